// The plans of the statements that lists and the sweeper send, in a database with enough rows for the planner to decide as in production.
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deleteAccessTokensExpiredBefore } from '../../src/queries/accounts/access-tokens.ts';
import { deletePortalSessionsExpiredBefore } from '../../src/queries/accounts/portal-sessions.ts';
import { deleteRateLimitsBefore } from '../../src/queries/accounts/rate-limits.ts';
import { deleteUsersDeletedBefore } from '../../src/queries/accounts/user-retention.ts';
import type { DeliveryFilter } from '../../src/domain/notifications/delivery-filter.ts';
import { openDatabase } from '../../src/queries/connection/database.ts';
import type { Db } from '../../src/queries/connection/database.ts';
import { findDeliveries } from '../../src/queries/deliveries/filtered-deliveries.ts';
import {
  deleteAttemptsBefore,
  deleteOldMessages,
  deleteWebhooksDeletedBefore,
  listOrganizationsWithOldMessages,
} from '../../src/queries/deliveries/retention.ts';
import {
  deleteDismissalsOfBroadcastsEndedBefore,
  deleteItemsEndedBefore,
} from '../../src/queries/notifications/item-retention.ts';
import { deleteSupersededPricesBefore } from '../../src/queries/prices/price-retention.ts';
import { startApi } from '../support/api.ts';
import type { Api, Company } from '../support/api.ts';
import { addFleet } from '../support/fleet-records.ts';
import { LISTS, findListed } from '../support/list-calls.ts';
import type { ListedOrganization } from '../support/list-calls.ts';
import { fillOrganization } from '../support/many-rows.ts';
import type { FilledOrganization } from '../support/many-rows.ts';
import { recordStatements } from '../support/sent-statements.ts';
import type { SentStatement } from '../support/sent-statements.ts';

const ROWS = 20_000;
/** What a first page may read: itself, the 1,001 rows of a capped total and what is read by key for each. */
const MOST_ROWS_READ = 3_500;

let api: Api;
let pool: pg.Pool;
let recorder: ReturnType<typeof recordStatements>;
let own: ListedOrganization;
let largeTables: ReadonlySet<string>;
beforeAll(async () => {
  recorder = recordStatements();
  api = await startApi({
    requestPool: {
      waitMs: 60_000,
      open: (connection) => {
        const database = openDatabase({ connection });
        ({ pool } = database);
        return Promise.resolve(database);
      },
    },
  });
  // Beside the large organization there is a small one.
  await fill(api.foreign, 500);
  const filled = await fill(api.own, ROWS);
  await pool.query('vacuum analyze');
  const tables = await pool.query<{ relname: string }>(
    `select relname from pg_class where relkind = 'r' and reltuples > 1000`,
  );
  largeTables = new Set(tables.rows.map(({ relname }) => relname));
  const { staff, user } = api.own;
  own = { ...filled, ...(await findListed(pool, filled)), staffToken: staff.token, userToken: user.token };
});
afterAll(async () => {
  await api.close();
  recorder.stop();
});

async function fill({ orgId, admin }: Company, rows: number): Promise<FilledOrganization> {
  const fleet = await addFleet(api.db, orgId, api.clock.now(), 'stopped');
  const filled = {
    orgId,
    adminId: admin.id,
    fleetId: fleet.fleetId,
    simulationOrgId: fleet.orgId,
    webhookId: randomUUID(),
    rows,
  };
  await fillOrganization(pool, filled);
  return filled;
}

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly Plan[];
}

type Explained = readonly { readonly 'QUERY PLAN': readonly [{ readonly Plan: Plan }] }[];

/** The plan of a statement for these values and, as of a prepared one that is, for any; both as they ran. */
async function plansOf({ text, values, isPrepared }: SentStatement): Promise<Plan[]> {
  return inTransaction(isPrepared, async (client) => [
    ...(await explain(client, 'analyze', text, values)),
    ...(isPrepared ? await explainPrepared(client, 'analyze', text, values.map(toLiteral)) : []),
  ]);
}

/** Tables that a plan reads whole, for parameters that it does not know, as of a prepared statement. */
async function wholeTablesOf({ text, values }: SentStatement): Promise<string[]> {
  const nulls = values.map(() => 'null');
  const plans = await inTransaction(true, (client) => explainPrepared(client, 'costs off', text, nulls));
  return plans
    .flatMap((plan) => [...nodesOf(plan)])
    .filter((node) => node['Node Type'] === 'Seq Scan' && largeTables.has(node['Relation Name'] ?? ''))
    .map((node) => `reads all of ${node['Relation Name'] ?? ''} when prepared: ${text}`);
}

/** What was prepared on a connection stays on it: then the connection is closed. */
async function inTransaction<T>(prepares: boolean, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    return await work(client);
  } finally {
    await client.query('rollback');
    client.release(prepares);
  }
}

async function explainPrepared(
  client: pg.PoolClient,
  how: string,
  text: string,
  literals: readonly string[],
): Promise<Plan[]> {
  await client.query('set local plan_cache_mode = force_generic_plan');
  await client.query(`prepare checked as ${text}`);
  const given = literals.length === 0 ? '' : `(${literals.join(', ')})`;
  return explain(client, how, `execute checked ${given}`, []);
}

async function explain(
  client: pg.PoolClient,
  how: string,
  statement: string,
  values: readonly unknown[],
): Promise<Plan[]> {
  const { rows } = await client.query(`explain (${how}, format json) ${statement}`, [...values]);
  return (rows as Explained).map((row) => row['QUERY PLAN'][0].Plan);
}

/** A value as a literal of any type: PostgreSQL reads it as what the statement takes there. */
function toLiteral(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Buffer.isBuffer(value)) return pg.escapeLiteral(`\\x${value.toString('hex')}`);
  if (Array.isArray(value))
    return pg.escapeLiteral(`{${value.map((each) => JSON.stringify(each)).join(',')}}`);
  return pg.escapeLiteral(value instanceof Date ? value.toISOString() : `${value as string | number}`);
}

function* nodesOf(plan: Plan): Iterable<Plan> {
  yield plan;
  for (const child of plan.Plans ?? []) yield* nodesOf(child);
}

/** What a statement's plans do that grows with a table: scans of whole large tables, and more rows read than a page needs. */
async function faultsOf(statement: SentStatement): Promise<string[]> {
  const { text } = statement;
  const faults = await wholeTablesOf(statement);
  for (const plan of await plansOf(statement)) {
    const nodes = [...nodesOf(plan)];
    const whole = nodes.filter(
      (node) => node['Node Type'] === 'Seq Scan' && rowsRead(node) / node['Actual Loops'] > 400,
    );
    faults.push(...whole.map((node) => `reads all of ${node['Relation Name'] ?? ''}: ${text}`));
    const read = nodes.filter((node) => node['Relation Name'] !== undefined).map(rowsRead);
    const total = read.reduce((sum, rows) => sum + rows, 0);
    if (total > MOST_ROWS_READ) faults.push(`reads ${total} rows: ${text}`);
  }
  return faults;
}

function rowsRead(node: Plan): number {
  const { 'Rows Removed by Filter': filtered = 0, 'Rows Removed by Index Recheck': rechecked = 0 } = node;
  return (node['Actual Rows'] + filtered + rechecked) * node['Actual Loops'];
}

const isExplained = ({ text }: SentStatement): boolean => /^\s*(select|with|delete)\b/i.test(text);

test.each(Object.entries(LISTS))('%s: a page is all that is read', async (_name, call) => {
  const { operation, ...rest } = call(own);
  recorder.take();
  expect((await api.call(operation, rest)).status).toBe(200);
  const reads = recorder.take().filter(isExplained);
  expect(reads.length).toBeGreaterThan(0);
  const faults = [];
  for (const statement of reads) faults.push(...(await faultsOf(statement)));
  expect(faults).toEqual([]);
});

const REMOVALS: Readonly<Record<string, (db: Db, before: Date, limit: number) => Promise<number>>> = {
  deleteAccessTokensExpiredBefore,
  deletePortalSessionsExpiredBefore,
  deleteAttemptsBefore,
  deleteOldMessages: async (db, before, limit) => {
    const orgIds = await listOrganizationsWithOldMessages(db, before);
    expect(orgIds).toContain(own.orgId);
    return (await deleteOldMessages(db, own.orgId, before, limit)).count;
  },
  deleteWebhooksDeletedBefore,
  deleteUsersDeletedBefore,
  deleteRateLimitsBefore,
  deleteDismissalsOfBroadcastsEndedBefore,
  deleteItemsEndedBefore,
  deleteSupersededPricesBefore,
};

test.each(Object.entries(REMOVALS))('%s: a batch reads what it removes', async (_name, removeBatch) => {
  recorder.take();
  expect(await removeBatch(api.db, new Date('2026-05-03'), 5)).toBe(5);
  const faults = [];
  for (const statement of recorder.take().filter(isExplained)) faults.push(...(await faultsOf(statement)));
  expect(faults).toEqual([]);
});

/** What the log of a webhook looks through is bounded where it does not fill a page; nothing of the large organization is that. */
const FILTERS: Readonly<Record<string, DeliveryFilter>> = {
  'no filter': {},
  pending: { state: 'pending' },
  delivered: { state: 'delivered' },
  exhausted: { state: 'exhausted' },
  cancelled: { state: 'cancelled' },
  'a topic': { topic: 'device.information' },
  'since and until': { since: new Date('2026-05-01T01:00:00Z'), until: new Date('2026-05-01T02:00:00Z') },
  'given up since': { state: 'exhausted', since: new Date('2026-05-01T01:00:00Z') },
  'a message': { messageId: randomUUID() },
};

test.each(Object.entries(FILTERS))('deliveries by %s: a page is all that is read', async (_name, filter) => {
  recorder.take();
  const { orgId, webhookId } = own;
  await findDeliveries(api.db, { orgId, webhookId }, filter, undefined);
  await findDeliveries(api.db, { orgId, webhookId }, filter, {
    createdAt: new Date('2026-05-01T01:30:00Z'),
    id: randomUUID(),
  });
  const faults = [];
  for (const statement of recorder.take().filter(isExplained)) faults.push(...(await faultsOf(statement)));
  expect(faults).toEqual([]);
});

test('a statement that counts, and one without an index, are found', async () => {
  const statement = (text: string, isPrepared = false): SentStatement => ({
    text,
    values: [own.simulationOrgId],
    isPrepared,
  });
  const counting = statement('select count(*) from notification_items where org_id = $1');
  expect(await faultsOf(counting)).not.toEqual([]);
  const unindexed = `select id from devices where org_id = $1 and name = 'none' limit 50`;
  const faults = await faultsOf(statement(unindexed));
  expect(faults).not.toEqual([]);
  // Of a prepared statement both plans are looked at.
  expect((await faultsOf(statement(unindexed, true))).length).toBeGreaterThan(faults.length);
  expect([...largeTables]).toEqual(
    expect.arrayContaining(['users', 'devices', 'notification_items', 'deliveries', 'delivery_attempts']),
  );
});
