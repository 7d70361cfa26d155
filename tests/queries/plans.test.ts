// The plans of the statements that lists and the sweeper send, in a database with enough rows for the planner to decide as in production.
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OperationId } from '../../generated/routes.ts';
import { deleteAccessTokensExpiredBefore } from '../../src/queries/accounts/access-tokens.ts';
import { deletePortalSessionsExpiredBefore } from '../../src/queries/accounts/portal-sessions.ts';
import { deleteRateLimitsBefore } from '../../src/queries/accounts/rate-limits.ts';
import { deleteUsersDeletedBefore } from '../../src/queries/accounts/user-retention.ts';
import { openDatabase } from '../../src/queries/connection/database.ts';
import type { Db } from '../../src/queries/connection/database.ts';
import {
  deleteAttemptsBefore,
  deleteMessagesAnnouncedBefore,
  deleteWebhooksDeletedBefore,
} from '../../src/queries/deliveries/retention.ts';
import {
  deleteDismissalsOfBroadcastsEndedBefore,
  deleteItemsEndedBefore,
} from '../../src/queries/notifications/item-retention.ts';
import { deleteSupersededPricesBefore } from '../../src/queries/prices/price-retention.ts';
import { startApi } from '../support/api.ts';
import type { Api } from '../support/api.ts';
import type { Call } from '../support/api-client.ts';
import { addFleet } from '../support/fleet-records.ts';
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
let own: FilledOrganization;
let largeTables: ReadonlySet<string>;
let [owner, device, message] = ['', '', ''];
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
  for (const [company, rows] of [
    [api.foreign, 500],
    [api.own, ROWS],
  ] as const) {
    const fleet = await addFleet(api.db, company.orgId, api.clock.now(), 'stopped');
    own = {
      orgId: company.orgId,
      adminId: company.admin.id,
      fleetId: fleet.fleetId,
      simulationOrgId: fleet.orgId,
      webhookId: randomUUID(),
      rows,
    };
    await fillOrganization(pool, own);
  }
  await pool.query('vacuum analyze');
  const tables = await pool.query<{ relname: string }>(
    `select relname from pg_class where relkind = 'r' and reltuples > 1000`,
  );
  largeTables = new Set(tables.rows.map(({ relname }) => relname));
  const { rows } = await pool.query<{ id: string; user_id: string; message_id: string }>(
    `select id, user_id, (select id from messages where org_id = $2 limit 1) as message_id from devices
     where org_id = $1 and household_index = 7 and device_type = 'inverter'`,
    [own.simulationOrgId, own.orgId],
  );
  [owner, device, message] = [rows[0]?.user_id ?? '', rows[0]?.id ?? '', rows[0]?.message_id ?? ''];
});
afterAll(async () => {
  await api.close();
  recorder.stop();
});

interface ListCall extends Call {
  readonly operation: OperationId;
}

const inFleet = (operation: OperationId, query: Call['query'] = {}): ListCall => ({
  operation,
  query,
  path: { org_id: own.simulationOrgId },
});
const ofFleet = (query: Call['query'] = {}): ListCall => ({
  operation: 'listFleetDevices',
  query,
  path: { job_id: own.fleetId },
});

/** Every filter of the lists of items, alone and with others. */
const ITEM_FILTERS: Readonly<Record<string, () => Call['query']>> = {
  'no filter': () => ({}),
  'an owner': () => ({ owner_id: owner }),
  'a device': () => ({ device_id: device }),
  'a common type': () => ({ device_type: 'inverter' }),
  'a rare type': () => ({ device_type: 'heat_pump' }),
  'a common code': () => ({ code: ['device_offline'] }),
  'a rare code': () => ({ code: ['subscription_required'] }),
  'two codes': () => ({ code: ['device_offline', 'subscription_required'] }),
  'a code that the type does not have': () => ({ code: ['subscription_required'], device_type: 'wallbox' }),
  'an unknown code': () => ({ code: ['nothing'] }),
  'an owner and a code': () => ({ owner_id: owner, code: ['device_offline'] }),
  'an owner and a type': () => ({ owner_id: owner, device_type: 'wallbox' }),
  'a device and a code': () => ({ device_id: device, code: ['device_offline'] }),
  'an end': () => ({ created_before: '2026-04-30T23:00:00Z' }),
  'a beginning': () => ({ created_after: '2026-12-01T00:00:00Z' }),
  'a rare type and an end': () => ({ device_type: 'heat_pump', created_before: '2026-04-30T23:00:00Z' }),
};

const LISTS: Readonly<Record<string, () => ListCall>> = {
  'the status': () => inFleet('getNotificationStatus'),
  'the status of an owner': () => inFleet('getNotificationStatus', { owner_id: owner }),
  ...Object.fromEntries(
    Object.entries(ITEM_FILTERS).flatMap(([name, query]) => [
      [`actions by ${name}`, () => inFleet('listActions', query())],
      [`information by ${name}`, () => inFleet('listInformation', query())],
    ]),
  ),
  deliveries: () => ({ operation: 'listDeliveries', path: { webhook_id: own.webhookId } }),
  'attempts of a delivery': () => ({
    operation: 'getDelivery',
    path: { webhook_id: own.webhookId, message_id: message },
  }),
  users: () => ({ operation: 'listUsers', query: { limit: 50 } }),
  'users with deleted ones': () => ({ operation: 'listUsers', query: { limit: 50, include_deleted: true } }),
  'users as staff': () => ({ operation: 'listUsers', query: { limit: 50 }, token: api.own.staff.token }),
  'users as user': () => ({ operation: 'listUsers', query: { limit: 50 }, token: api.own.user.token }),
  'a user by external id': () => ({ operation: 'getUserByExternalId', path: { external_user_id: 'x9000' } }),
  'a deleted user by external id': () => ({
    operation: 'getUserByExternalId',
    path: { external_user_id: 'x9' },
    query: { include_deleted: true },
  }),
  webhooks: () => ({ operation: 'listWebhooks' }),
  'devices of a fleet': () => ofFleet(),
  'devices of a common type': () => ofFleet({ device_type: 'inverter' }),
  'devices of a rare type': () => ofFleet({ device_type: 'heat_pump' }),
  'devices of a common group': () => ofFleet({ group: 'g1' }),
  'devices of a rare group': () => ofFleet({ group: 'rare' }),
  'devices of a rare group and type': () => ofFleet({ group: 'rare', device_type: 'heat_pump' }),
  'revisions of what is asked of a device': () => ({
    operation: 'listInverterPreferenceRevisions',
    path: { org_id: own.simulationOrgId, user_id: owner, inverter_id: device },
  }),
  'what is asked of a device': () => ({
    operation: 'getInverterPreferences',
    path: { org_id: own.simulationOrgId, user_id: owner, inverter_id: device },
  }),
  'devices of a user': () => ({
    operation: 'listUserInverters',
    path: { org_id: own.simulationOrgId, user_id: owner },
  }),
};

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

/** The plan for the values, and of a prepared statement also the one for any values, as both ran. */
async function plansOf({ text, values, isPrepared }: SentStatement): Promise<Plan[]> {
  const client = await pool.connect();
  const explain = async (statement: string, given: readonly unknown[]): Promise<Plan[]> => {
    const { rows } = await client.query(`explain (analyze, format json) ${statement}`, [...given]);
    return (rows as Explained).map((row) => row['QUERY PLAN'][0].Plan);
  };
  try {
    await client.query('begin');
    const plans = await explain(text, values);
    if (!isPrepared) return plans;
    await client.query('set local plan_cache_mode = force_generic_plan');
    await client.query(`prepare checked as ${text}`);
    const given = values.length === 0 ? '' : `(${values.map(toLiteral).join(', ')})`;
    plans.push(...(await explain(`execute checked ${given}`, [])));
    return plans;
  } finally {
    await client.query('rollback');
    // Else the connection would keep what was prepared here.
    client.release(isPrepared);
  }
}

/** Tables that a plan reads whole, for parameters that it does not know, as of a prepared statement. */
async function wholeTablesOf({ text }: SentStatement): Promise<string[]> {
  const { rows } = await pool.query(`explain (generic_plan, format json) ${text}`);
  return (rows as Explained)
    .flatMap((row) => [...nodesOf(row['QUERY PLAN'][0].Plan)])
    .filter((node) => node['Node Type'] === 'Seq Scan' && largeTables.has(node['Relation Name'] ?? ''))
    .map((node) => `reads all of ${node['Relation Name'] ?? ''} when prepared: ${text}`);
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
  const { operation, ...rest } = call();
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
  deleteMessagesAnnouncedBefore,
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
