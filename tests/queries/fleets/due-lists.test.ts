// What is due is looked for fleet by fleet: a look reads a row of each active fleet, and walks neither through what waits for a suspended
// partner nor through what a fleet has fallen behind with.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { suspendPartner } from '../../../src/accounts/suspension.ts';
import { listFleetsWithDueChecks } from '../../../src/queries/fleets/charge-checks.ts';
import {
  claimDueConditionChanges,
  findNextConditionChangeAt,
  listFleetsWithDueChanges,
} from '../../../src/queries/fleets/planned-conditions.ts';
import { foundCompany } from '../../support/api.ts';
import { testDatabase } from '../../support/database.ts';
import type { TestDatabase } from '../../support/database.ts';
import { addFleet } from '../../support/fleet-records.ts';
import type { SimulatedFleet } from '../../support/fleet-records.ts';
import { recordStatements } from '../../support/sent-statements.ts';
import type { SentStatement } from '../../support/sent-statements.ts';

const NOW = new Date('2026-06-15T12:00:00Z');
/** Changes and checks of each fleet, all of them due. */
const DUE = 30_000;
/** Pages of tables and indexes that a look may read. Thirty thousand entries of an index alone take 160. */
const MOST_PAGES = 100;

let database: TestDatabase;
let recorder: ReturnType<typeof recordStatements>;
let active: SimulatedFleet;
beforeAll(async () => {
  recorder = recordStatements();
  database = await testDatabase();
  const { db, pool } = database;
  const [partner, suspended] = [
    await foundCompany(db, NOW, 'Partner'),
    await foundCompany(db, NOW, 'Suspended'),
  ];
  active = await addFleet(db, partner.orgId, NOW);
  await fill(active, '2026-01-01');
  await fill(await addFleet(db, suspended.orgId, NOW), '2025-01-01');
  await suspendPartner(db, suspended.orgId, NOW);
  await pool.query('vacuum analyze');
});
afterAll(async () => {
  await database.close();
  recorder.stop();
});

/** Changes and checks of so many devices that are due from a day on, one in each second; without the checks of keys. */
async function fill({ orgId, fleetId }: SimulatedFleet, from: string): Promise<void> {
  const client = await database.pool.connect();
  await client.query('set session_replication_role = replica');
  const write = (statement: string, ...values: readonly unknown[]) =>
    client.query(statement, [orgId, ...values]);
  await write(
    `insert into households (org_id, fleet_id, household_index, household_id, user_id, group_name, profile, attributes, created_at)
     select $1, $2, i, gen_random_uuid(), gen_random_uuid(), 'g', 'family', 'null', now() from generate_series(1, $3::integer) i`,
    fleetId,
    DUE,
  );
  await write(
    `insert into devices (org_id, id, user_id, device_type, fleet_id, household_index, name, manufacturer, model, ratings, created_at)
     select org_id, gen_random_uuid(), user_id, 'inverter', fleet_id, household_index, 'n', 'm', 'o', '{}', now()
     from households where org_id = $1`,
  );
  await write(
    `insert into device_conditions (org_id, device_id, code, active, begins_at, changed_at)
     select org_id, id, 'device_offline', false, $2::timestamptz + household_index * interval '1 second', now()
     from devices where org_id = $1`,
    from,
  );
  await write(
    `insert into charge_checks (org_id, device_id, due_at)
     select org_id, device_id, begins_at from device_conditions where org_id = $1`,
  );
  // Its settings go with it.
  client.release(true);
}

interface Explained {
  readonly 'QUERY PLAN': readonly [
    { readonly Plan: { readonly 'Shared Hit Blocks': number; readonly 'Shared Read Blocks': number } },
  ];
}

/** The pages that a statement reads where it runs. */
async function countPages({ text, values }: Pick<SentStatement, 'text' | 'values'>): Promise<number> {
  const client = await database.pool.connect();
  try {
    await client.query('begin');
    const { rows } = await client.query<Explained>(`explain (analyze, buffers, format json) ${text}`, [
      ...values,
    ]);
    const pages = rows.map(({ 'QUERY PLAN': [{ Plan: plan }] }) => plan);
    return pages.reduce((sum, plan) => sum + plan['Shared Hit Blocks'] + plan['Shared Read Blocks'], 0);
  } finally {
    await client.query('rollback');
    client.release();
  }
}

/** The pages that the one statement of a look reads. */
async function pagesOf(look: () => Promise<unknown>): Promise<number> {
  recorder.take();
  await look();
  const [statement, ...more] = recorder.take().filter(({ text }) => /^\s*select\b/i.test(text));
  if (statement === undefined) throw new Error('Nothing was looked for.');
  expect(more).toEqual([]);
  return countPages(statement);
}

const of = ({ partnerOrgId, orgId, fleetId }: SimulatedFleet) => ({
  fleetOrgId: partnerOrgId,
  orgId,
  fleetId,
});

const LOOKS = {
  'a fleet whose planned changes are due': async () =>
    expect(await listFleetsWithDueChanges(database.db, NOW)).toMatchObject([of(active)]),
  'the next planned change': async () =>
    expect(await findNextConditionChangeAt(database.db)).toEqual(new Date('2026-01-01T00:00:01Z')),
  'a fleet whose cars are due': async () =>
    expect(await listFleetsWithDueChecks(database.db, NOW)).toMatchObject([of(active)]),
  'five changes of a fleet': () =>
    database.db.transaction().execute(async (tx) => {
      const due = await claimDueConditionChanges(tx, active.orgId, NOW, 5);
      expect(due.map(({ householdIndex }) => householdIndex)).toEqual([1, 2, 3, 4, 5]);
    }),
};

test.each(Object.entries(LOOKS))('%s: what waits besides is not read', async (_name, look) => {
  expect(await pagesOf(look)).toBeLessThanOrEqual(MOST_PAGES);
});

test('a look that walks through what waits is found', async () => {
  const text =
    'select org_id, min(next_change_at) from device_conditions where next_change_at <= $1 group by org_id';
  expect(await countPages({ text, values: [NOW] })).toBeGreaterThan(2 * MOST_PAGES);
});
