import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from 'kysely';
import { fromCheckpointRow } from '../../src/households/counters.ts';
import { loadSteering } from '../../src/households/history-prices.ts';
import { countUse } from '../../src/queries/accounts/quotas.ts';
import { REMOVAL_BATCH_SIZE } from '../../src/queries/fleets/fleet-removal.ts';
import { UNSTEERED } from '../../src/simulation/control/steering.ts';
import type { Household } from '../../src/simulation/household/household.ts';
import { createHouseholdModel } from '../../src/simulation/model/model.ts';
import { encryptionKey, fixedCredentials, PartnerApi, runFleet, until } from '../process/partner.ts';
import type { RunningFleet } from '../process/partner.ts';
import { testDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { Gate } from '../support/gate.ts';
import { startService } from '../support/service.ts';
import type { ServiceProcess } from '../support/service.ts';
import { queryEverywhere } from '../support/everywhere.ts';

// Workers that are killed in the middle of a fleet, at a row on which they wait for this test.

interface Fleet {
  readonly status: string;
  readonly progress: { readonly created: number };
  readonly device_counts: Readonly<Record<string, number>>;
  readonly simulation_org_id: string;
}
type Counts = Readonly<Record<string, number>>;

const GATE = 4711;
const fleets = '/device-simulator/fleets';
const definition = { request_id: randomUUID(), count: 1000, ev_ownership_fraction: 0.5 };
const fixed = fixedCredentials();
let database: TestDatabase;
let env: Record<string, string>;
let service: ServiceProcess;
let worker: ServiceProcess;
let api: PartnerApi;
let neighbour: RunningFleet;
let path: string;
let simulated: string;
let expected: Counts;

const startWorker = (): Promise<ServiceProcess> => startService({ env, args: ['--role', 'worker'] });

beforeAll(async () => {
  database = await testDatabase();
  env = { ...fixed.env, DATABASE_URL: database.url, ENCRYPTION_KEY: encryptionKey() };
  service = await startService({ env, args: ['--role', 'api'] });
  worker = await startWorker();
  api = await PartnerApi.open(service, fixed);
  neighbour = await runFleet(api);
  expected = (await api.call<Fleet>('POST', `${fleets}/preview`, definition)).body.device_counts;
});
afterAll(async () => {
  await service.remove();
  await worker.remove();
  await database.close();
});

/** Lets whoever writes or removes a row (a household's, at an index) wait until the gate is opened; tells when somebody does. */
async function closeGate(
  event: 'insert' | 'delete',
  table: 'households' | 'household_checkpoints' | 'messages' = 'households',
  when = `${event === 'insert' ? 'new' : 'old'}.household_index = 600`,
): Promise<{ reached: () => Promise<boolean>; open: () => Promise<void> }> {
  const row = event === 'insert' ? 'new' : 'old';
  const gate = await Gate.make(database, GATE);
  await gate.close();
  await database.pool.query(`create function gate() returns trigger language plpgsql as
    'begin if ${when} then perform pg_advisory_xact_lock(${GATE}); end if; return ${row}; end'`);
  await database.pool.query(
    `create trigger gate before ${event} on ${table} for each row execute function gate()`,
  );
  return {
    reached: async () => (await gate.countWaiting()) === 1,
    open: async () => {
      // The trigger goes when its table is free, that is, when the dead worker's session has ended.
      await gate.open();
      await database.pool.query('drop function gate() cascade');
      await gate.end();
    },
  };
}

/** Rows of an organization by table, in every table that has organizations but for the log of what this test itself sends. */
async function contents(orgId: string): Promise<Counts> {
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.columns
    where table_schema = 'public' and column_name = 'org_id' and table_name <> 'logged_requests' order by 1
  `.execute(database.db);
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const { rows } = await sql<{ n: number }>`
      select count(*)::int as n from ${sql.table(name)} where org_id = ${orgId}
    `.execute(database.db);
    counts[name] = rows[0]?.n ?? 0;
  }
  return counts;
}

async function fleet(): Promise<Fleet & { readonly code?: string }> {
  return (await api.call<Fleet & { readonly code?: string }>('GET', path)).body;
}

async function killAt(gate: Awaited<ReturnType<typeof closeGate>>): Promise<void> {
  await until(gate.reached, (isReached) => isReached);
  expect(await worker.stop('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
  await gate.open();
}

test('a fleet whose worker is killed while it is built is finished by another, nothing twice', async () => {
  const gate = await closeGate('insert');
  const created = await api.call<Fleet & { job_id: string }>('POST', fleets, definition);
  path = `${fleets}/${created.body.job_id}`;
  simulated = created.body.simulation_org_id;
  await killAt(gate);
  expect(await fleet()).toMatchObject({ status: 'provisioning', progress: { created: 600 } });
  const part = await contents(simulated);
  expect([part['users'], part['households']]).toEqual([600, 600]);

  worker = await startWorker();
  await until(fleet, ({ status }) => status !== 'provisioning');
  expect(await fleet()).toMatchObject({
    status: 'running',
    progress: { created: 1000 },
    device_counts: expected,
    error: null,
  });
  const devices = Object.values(expected).reduce((a, b) => a + b, 0);
  expect(await contents(simulated)).toMatchObject({ users: 1000, households: 1000, devices });
  const indexes = await sql<{ n: number; most: number; people: number }>`
    select count(distinct household_index)::int as n, max(household_index) as most,
      count(distinct user_id)::int as people
    from households where org_id = ${simulated}
  `.execute(database.db);
  expect(indexes.rows).toEqual([{ n: 1000, most: 999, people: 1000 }]);
});

test('a shared outage whose worker is killed while it is told of is told of by another, each device once', async () => {
  await queryEverywhere(database.everywhere, 'create sequence told');
  const gate = await closeGate('insert', 'messages', "nextval(''told'') = 150");
  const outage = { request_id: randomUUID(), cause: 'manufacturer_cloud', manufacturer: 'Heliodor' };
  const body = { ...outage, duration_minutes: 60 };
  const raised = await api.call<{ devices: number }>('POST', `${path}/events`, body);
  expect(raised.body.devices).toBeGreaterThan(200);
  const told = async (): Promise<string[]> => {
    const { rows } = await sql<{ device: string }>`
      select convert_from(payload, 'UTF8')::jsonb -> 'data' ->> 'device_id' as device from messages
      where org_id = ${simulated}`.execute(database.db);
    return rows.map(({ device }) => device);
  };
  await killAt(gate);
  expect(await told()).toHaveLength(100);

  worker = await startWorker();
  const all = await until(told, ({ length }) => length >= raised.body.devices);
  expect([all.length, new Set(all).size]).toEqual([raised.body.devices, raised.body.devices]);
});

test('a fleet whose worker is killed while it is removed is removed by another, and nothing else', async () => {
  const before = [await contents(neighbour.simulationOrgId), await contents(api.orgId)];
  const users = await countUse(database.db, api.orgId, 'users');
  expect((await api.call('POST', `${path}/stop`)).status).toBe(200);
  const gate = await closeGate('delete');
  expect((await api.call('POST', `${path}/purge`)).status).toBe(200);
  await killAt(gate);
  expect((await fleet()).status).toBe('purging');
  const left = await contents(simulated);
  expect(left).toMatchObject({ users: 0, devices: 0 });
  // Those of the batch that was under way are all there, those of the batches before it are gone.
  expect(left['households']).toBeGreaterThanOrEqual(REMOVAL_BATCH_SIZE);
  expect((left['households'] ?? 0) % REMOVAL_BATCH_SIZE).toBe(0);

  worker = await startWorker();
  await until(fleet, ({ code }) => code === 'not_found');
  expect(Object.values(await contents(simulated)).filter((count) => count > 0)).toEqual([]);
  const organization = await sql`select 1 from organizations where id = ${simulated}`.execute(database.db);
  expect(organization.rows).toEqual([]);
  const [, own] = before;
  expect([await contents(neighbour.simulationOrgId), await contents(api.orgId)]).toEqual([
    before[0],
    // What a partner has of users is spread over rows that are made as they are needed.
    { ...own, fleets: (own?.['fleets'] ?? 0) - 1, user_counts: expect.any(Number) },
  ]);
  expect(await countUse(database.db, api.orgId, 'users')).toBe(users);
});

test('checkpoints whose worker is killed are made by another, and are what the whole history sums up to', async () => {
  const gate = await closeGate('insert', 'household_checkpoints', 'new.household_index = 2');
  const old = { request_id: randomUUID(), count: 4, history_cutoff: '2016-06-15T07:20:00Z' };
  const created = await api.call<Fleet>('POST', fleets, old);
  const orgId = created.body.simulation_org_id;
  const kept = () =>
    database.db
      .selectFrom('household_checkpoints as c')
      .innerJoin('households as h', (join) =>
        join.onRef('h.org_id', '=', 'c.org_id').onRef('h.household_index', '=', 'c.household_index'),
      )
      .selectAll('c')
      .select('h.attributes')
      .where('c.org_id', '=', orgId)
      .orderBy('c.household_index')
      .execute();
  await killAt(gate);
  expect((await kept()).length).toBeLessThan(3);

  worker = await startWorker();
  const isDone = async (): Promise<boolean> => {
    const row = await database.db
      .selectFrom('fleets')
      .select('checkpoint_day')
      .where('simulation_org_id', '=', orgId)
      .executeTakeFirstOrThrow();
    return row.checkpoint_day > 20_000;
  };
  await until(isDone, (is) => is);
  const rows = await kept();
  expect(rows.map((row) => row.household_index)).toEqual([0, 1, 2, 3]);
  const steeringOf = await loadSteering(
    database.db,
    { orgId, since: new Date(old.history_cutoff), now: new Date() },
    [],
  );
  for (const row of rows) {
    const household = row.attributes as Household;
    const { counters } = createHouseholdModel(
      household,
      household.heat_pump ? steeringOf(household) : UNSTEERED,
    );
    expect(fromCheckpointRow(row)).toEqual(counters.checkpointAt(row.day));
  }
});
