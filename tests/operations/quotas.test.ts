import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { changeQuotas, listQuotaStates } from '../../src/accounts/quotas.ts';
import { DEFAULT_QUOTAS } from '../../src/domain/api/quotas.ts';
import type { QuotaName } from '../../src/domain/api/quotas.ts';
import { countUse } from '../../src/queries/accounts/quotas.ts';
import { openDatabase } from '../../src/queries/connection/database.ts';
import { fleetApi } from '../fleets/fleet-api.ts';
import { addPerson } from '../support/api.ts';
import { until } from '../process/partner.ts';
import type { Answer } from '../support/api-client.ts';
import { lockWaits } from '../support/lock-waits.ts';
import { refusal } from './refusal.ts';

/** Ten that change the same count wait for one another, on a busy machine for longer than a partner would. */
const PATIENCE_MS = 60_000;
const fleets = fleetApi({
  requestPool: {
    open: (connection) => Promise.resolve(openDatabase({ connection, lockMs: PATIENCE_MS })),
    waitMs: PATIENCE_MS,
  },
});

/** Quotas of our partner, in place of those before. */
async function setQuotas(quotas: Partial<Record<QuotaName, number>>): Promise<void> {
  const { db, own } = fleets.api;
  await db.deleteFrom('partner_quotas').execute();
  await changeQuotas(db, own.orgId, new Map(Object.entries(quotas) as [QuotaName, number][]));
}

const use = (name: Parameters<typeof countUse>[2]): Promise<number> =>
  countUse(fleets.api.db, fleets.api.own.orgId, name);

const user = (more: object = {}) => ({ email: `${randomUUID()}@example.com`, role: 'user', ...more });
const createUser = (orgId = fleets.api.own.orgId, body: object = user()): Promise<Answer> =>
  fleets.api.call('createUser', { path: { org_id: orgId }, body });
const createWebhook = (orgId = fleets.api.own.orgId): Promise<Answer> =>
  fleets.api.call('createWebhook', {
    path: { org_id: orgId },
    body: { url: 'https://partner.example.com/hook' },
  });
const upload = (timestamps: readonly string[], price = 1, orgId = fleets.api.own.orgId): Promise<Answer> =>
  fleets.api.call('uploadDayAheadPrices', {
    path: { org_id: orgId },
    body: { data: timestamps.map((timestamp) => ({ timestamp, price })) },
  });
/** Quarter hours that no test has used yet. */
let next = Date.parse('2026-07-01T00:00:00Z');
const quarters = (count: number): string[] =>
  Array.from({ length: count }, () => new Date((next += 900_000)).toISOString());

async function purge(jobId: string): Promise<void> {
  await fleets.runner.processAll();
  for (const operation of ['stopFleet', 'cancelFleet', 'purgeFleet'] as const) {
    await fleets.act(operation, jobId);
  }
  await fleets.runner.processAll();
}

beforeEach(() => setQuotas({}));

test('who asks for a quota waits for who does at the moment', async () => {
  const { pool, own } = fleets.api;
  const client = await pool.connect();
  await client.query('begin');
  await client.query('select lock_organization($1)', [own.orgId]);
  let isDone = false;
  const created = createWebhook().finally(() => (isDone = true));
  const isBlocked = async (): Promise<boolean> =>
    (await pool.query(`select from ${lockWaits()}`)).rows.length > 0;
  try {
    await until(async () => isDone || (await isBlocked()), Boolean);
    expect(isDone).toBe(false);
  } finally {
    await client.query('commit');
    client.release();
  }
  expect((await created).status).toBe(201);
});

describe('of ten at once for whom three places are left, three pass:', () => {
  test.each([
    ['users', () => createUser()],
    ['webhooks', () => createWebhook()],
    ['fleets', () => fleets.create({ count: 1 })],
    ['households', () => fleets.create({ count: 1 })],
    ['price_quarters', () => upload(quarters(1))],
    ['fleet_requests', () => fleets.create({ count: 1 })],
  ] as const)('%s', async (name, create) => {
    const before = await use(name);
    await setQuotas({ [name]: before + 3 });
    const answers = await Promise.all(Array.from({ length: 10 }, create));
    const refused = answers.filter(({ status }) => status === 422);
    expect(refused).toHaveLength(7);
    expect(await use(name)).toBe(before + 3);
    for (const { body } of refused) {
      expect(body.code).toBe('quota_reached');
      const [limit, there] = [`"${name}" is ${before + 3} `, `there are ${before + 3}, and 1 more`];
      expect(body.detail).toContain(limit);
      expect(body.detail).toContain(there);
      expect(body.detail).toMatch(/or ask the operator of the service for a higher quota\.$/);
    }
    expect((await create()).status).toBe(422);
    await setQuotas({});
    expect([200, 201]).toContain((await create()).status);
  });
});

test("a simulation organization's count with the partner's, and another partner's do not", async () => {
  const { body: fleet } = await fleets.create({ count: 1 });
  const orgId = fleet.simulation_org_id as string;
  await setQuotas({ users: (await use('users')) + 1, webhooks: (await use('webhooks')) + 1 });
  expect([(await createUser(orgId)).status, (await createWebhook(orgId)).status]).toEqual([201, 201]);
  for (const org of [orgId, fleets.api.own.orgId]) {
    expect([(await createUser(org)).status, (await createWebhook(org)).status]).toEqual([422, 422]);
  }
  const { foreign } = fleets.api;
  const path = { org_id: foreign.orgId };
  const other = await fleets.api.call('createUser', { path, token: foreign.admin.token, body: user() });
  expect(other.status).toBe(201);
  // A user of the simulation organization counts against the same partner.
  const { token } = await addPerson(fleets.api.db, orgId, 'admin', fleets.api.clock.now());
  const own = await fleets.api.call('createUser', { path: { org_id: orgId }, token, body: user() });
  expect(refusal(own)).toEqual([422, 'quota_reached']);
});

describe('request_ids of fleets count, and are answered again at the quota:', () => {
  const raise = (jobId: string, requestId: string): Promise<Answer> =>
    fleets.api.call('triggerFleetEvent', {
      path: { job_id: jobId },
      body: { request_id: requestId, cause: 'region', country: 'DE', duration_minutes: 1 },
    });
  test.each([
    ['creations', (_jobId: string, requestId: string) => fleets.create({ request_id: requestId, count: 1 })],
    ['expansions', (jobId: string, requestId: string) => fleets.expand(jobId, 1, requestId)],
    ['events', raise],
  ])('%s', async (_what, send) => {
    const jobId = (await fleets.running({ count: 1 })).job_id as string;
    const most = (await use('fleet_requests')) + 1;
    await setQuotas({ fleet_requests: most });
    const requestId = randomUUID();
    expect((await send(jobId, requestId)).status).toBe(200);
    await fleets.runner.processAll();
    expect((await send(jobId, requestId)).status).toBe(200);
    expect(refusal(await send(jobId, randomUUID()))).toEqual([422, 'quota_reached']);
    expect(await use('fleet_requests')).toBe(most);
  });
});

test('households count from the call on, and what a purge has removed is free', async () => {
  const before = await use('households');
  await setQuotas({ households: before + 10 });
  const { body: fleet } = await fleets.create({ count: 6 });
  const jobId = fleet.job_id as string;
  expect(await use('households')).toBe(before + 6);
  await fleets.runner.processAll();
  expect(refusal(await fleets.expand(jobId, 5))).toEqual([422, 'quota_reached']);
  expect((await fleets.get(jobId)).status).toBe('running');
  expect((await fleets.expand(jobId, 4)).status).toBe(200);
  expect(refusal(await fleets.create({ count: 1 }))).toEqual([422, 'quota_reached']);
  const preview = { body: { request_id: randomUUID(), count: 1 } };
  expect(refusal(await fleets.api.call('previewFleet', preview))).toEqual([422, 'quota_reached']);
  await fleets.act('cancelFleet', jobId);
  expect(await use('households')).toBe(before + 6);
  await fleets.act('stopFleet', jobId);
  await fleets.act('cleanupFleet', jobId);
  expect(await use('households')).toBe(before + 6);
  await purge(jobId);
  expect(await use('households')).toBe(before);
});

test('a repeated creation or expansion gets its first answer also at the limit', async () => {
  const body = { request_id: randomUUID(), count: 1 };
  const first = await fleets.create(body);
  await fleets.runner.processAll();
  const requestId = randomUUID();
  const expanded = await fleets.expand(first.body.job_id as string, 1, requestId);
  await setQuotas({ fleets: 0, households: 0 });
  expect((await fleets.create(body)).body).toEqual(first.body);
  expect((await fleets.expand(first.body.job_id as string, 1, requestId)).body).toEqual(expanded.body);
  expect((await fleets.api.call('previewFleet', { body })).status).toBe(200);
});

test('so many prices are stored for a quarter hour, and a faulty upload leaves none', async () => {
  await setQuotas({ price_revisions: 2, price_quarters: (await use('price_quarters')) + 3 });
  const [a, b] = quarters(2) as [string, string];
  const statuses = [await upload([a, b], 1), await upload([a], 2), await upload([a], 2)];
  expect(statuses.map(({ body }) => body.state)).toEqual(['success', 'success', 'existing']);
  const third = await upload([b, a], 3);
  expect(refusal(third)).toEqual([422, 'quota_reached']);
  expect(third.body.detail).toContain(
    '"price_revisions" is 2 prices in turn for a quarter hour; there are 2, and 1 more',
  );
  expect((await upload([b], 1)).body.state).toBe('existing');
  const before = await use('price_quarters');
  const beyond = await upload(quarters(2));
  expect(refusal(beyond)).toEqual([422, 'quota_reached']);
  expect(beyond.body.detail).toContain('and 2 more would exceed it');
  expect(await use('price_quarters')).toBe(before);
});

test('own prices of a fleet count, and are free when it is purged', async () => {
  const { body: fleet } = await fleets.create({ count: 1 });
  const before = await use('price_quarters');
  const given = quarters(3);
  await upload(given, 1, fleet.simulation_org_id as string);
  await upload(given, 2, fleet.simulation_org_id as string);
  expect(await use('price_quarters')).toBe(before + 3);
  await purge(fleet.job_id as string);
  expect(await use('price_quarters')).toBe(before);
});

describe('the kept count of users', () => {
  /** Users that were made by calls: those of the test's companies are written straight into the table. */
  async function countRows(): Promise<number> {
    const { own } = fleets.api;
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from users u join organizations o on o.id = u.org_id
      where coalesce(o.parent_org_id, o.id) = ${own.orgId} and u.deleted_at is null and u.fleet_id is null
        and not exists (select from applications a where a.org_id = u.org_id and a.owner_user_id = u.id)
    `.execute(fleets.api.db);
    return rows[0]?.count ?? 0;
  }

  test('is that of the rows after creations, refusals, deletions, purges and changed quotas at once', async () => {
    const { api } = fleets;
    const { body: kept } = await fleets.create({ count: 2 });
    const { body: purged } = await fleets.create({ count: 2 });
    await fleets.runner.processAll();
    const organizations = [api.own.orgId, kept.simulation_org_id, purged.simulation_org_id] as string[];
    const made: { orgId: string; id: string }[] = [];
    for (let i = 0; i < 12; i++) {
      const orgId = organizations[i % 3] ?? '';
      made.push({ orgId, id: (await createUser(orgId)).body.id as string });
    }
    await setQuotas({ users: (await use('users')) + 8 });
    const taken = user();
    const households = await api.call('listUsers', { path: { org_id: kept.simulation_org_id as string } });
    const household = (households.body as { id: string; email: string }[]).find(({ id }) =>
      made.every((each) => each.id !== id),
    );
    const remove = (orgId: string, id: string | undefined) =>
      api.call('deleteUser', { path: { org_id: orgId, user_id: id ?? '' } });
    await fleets.act('stopFleet', purged.job_id as string);
    await Promise.all([
      ...Array.from({ length: 24 }, (_, i) => createUser(organizations[i % 3])),
      ...Array.from({ length: 4 }, () => createUser(api.own.orgId, taken)),
      ...made.slice(0, 8).map(({ orgId, id }) => remove(orgId, id)),
      ...made.slice(0, 3).map(({ orgId, id }) => remove(orgId, id)),
      remove(kept.simulation_org_id as string, household?.id),
      fleets.act('purgeFleet', purged.job_id as string).then(() => fleets.runner.processAll()),
      setQuotas({ users: (await use('users')) + 9 }),
    ]);
    await fleets.runner.processAll();
    expect(await use('users')).toBe(await countRows());
    expect(await countRows()).toBeGreaterThan(0);
    await setQuotas({ users: await use('users') });
    expect(refusal(await createUser())).toEqual([422, 'quota_reached']);
    expect(await use('users')).toBe(await countRows());
    const [left] = made.slice(9);
    await remove(left?.orgId ?? '', left?.id);
    expect((await createUser()).status).toBe(201);
    expect(refusal(await createUser())).toEqual([422, 'quota_reached']);
  });

  test('is spread over shards, so that creations do not wait for each other', async () => {
    const { db, own } = fleets.api;
    await createUser();
    // Another transaction holds an eighth of the shards: the others still take users.
    const waiting = await db.transaction().execute(async (tx) => {
      await sql`select from user_counts where org_id = ${own.orgId} and shard < 8 for update`.execute(tx);
      const answers = Array.from({ length: 6 }, () => createUser());
      expect((await Promise.any(answers)).status).toBe(201);
      return { answers };
    });
    for (const { status } of await Promise.all(waiting.answers)) expect(status).toBe(201);
  });
});

test('quotas and use are listed as they are, and a partner that is not there has none', async () => {
  const { db, own } = fleets.api;
  await setQuotas({ webhooks: 7 });
  const states = await listQuotaStates(db, { partnerId: own.orgId, quotas: DEFAULT_QUOTAS });
  expect(states?.map(({ name }) => name)).toEqual(Object.keys(DEFAULT_QUOTAS));
  expect(states?.find(({ name }) => name === 'webhooks')).toEqual({
    name: 'webhooks',
    quota: 7,
    isOwn: true,
    used: await use('webhooks'),
  });
  expect(states?.find(({ name }) => name === 'event_streams')).toEqual({
    name: 'event_streams',
    quota: 50,
    isOwn: false,
    used: null,
  });
  expect(await listQuotaStates(db, { partnerId: randomUUID(), quotas: DEFAULT_QUOTAS })).toBeUndefined();
});
