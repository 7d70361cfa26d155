// Users and webhooks that are deleted stay for as long as is promised; then nothing of them is left in any table.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSession } from '../../src/accounts/sessions.ts';
import { raiseCondition } from '../../src/conditions/raise-condition.ts';
import { readSettings } from '../../src/config/settings.ts';
import { TOPICS } from '../../src/domain/notifications/topics.ts';
import { removeExpiredData } from '../../src/maintenance/sweeper.ts';
import type { RetentionDays } from '../../src/maintenance/sweeper.ts';
import { deleteUsersDeletedBefore } from '../../src/queries/accounts/user-retention.ts';
import { deleteWebhooksDeletedBefore } from '../../src/queries/deliveries/retention.ts';
import { insertHouseholds } from '../../src/queries/fleets/households.ts';
import { addPerson, startApi } from '../support/api.ts';
import type { Api, Company } from '../support/api.ts';
import { addDevice, addFleet } from '../support/fleet-records.ts';

const DAY_MS = 86_400_000;
const DEFAULTS = readSettings({}).retentionDays;
/** All else stays, so that what goes went with its user or webhook. */
const LONG: RetentionDays = { ...DEFAULTS, messages: 3_650, attempts: 3_650, items: 3_650, sessions: 3_650 };

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const remove = (days: RetentionDays, isStopped = () => false): Promise<void> =>
  removeExpiredData(
    { db: api.db, clock: api.clock.now, days, rateLimitWindowMs: 60_000, batch: 2 },
    isStopped,
  );

/** How many rows hold an id, as it is or as text within bytes, by table of the catalogue. */
async function tracesOf(id: string): Promise<Record<string, number>> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1
  `.execute(api.db);
  const found: Record<string, number> = {};
  for (const { name } of rows) {
    const counted = await sql<{ rows: number }>`
      select count(*) as rows from ${sql.table(name)} as each
      where strpos(each::text, ${id}) + strpos(each::text, ${Buffer.from(id).toString('hex')}) > 0
    `.execute(api.db);
    if (counted.rows[0]?.rows !== 0) found[name] = counted.rows[0]?.rows ?? 0;
  }
  return found;
}

interface Seeded {
  readonly company: Company;
  readonly userId: string;
  readonly webhookId: string;
}

const DEVICES = 3;

/** A user with a row of whatever a user may have, and a webhook that has got a message about each of its devices. */
async function seed(company: Company): Promise<Seeded> {
  const { db } = api;
  const [{ orgId }, now] = [company, api.clock.now()];
  const { id: userId } = await addPerson(db, orgId, 'user', now);
  await createSession(db, { orgId, userId }, now);
  const created = await callAs(company, 'createWebhook', {}, { url: 'https://a.example/', topics: TOPICS });
  expect(created.status).toBe(201);
  const webhookId = (created.body as { id: string }).id;
  for (let index = 0; index < DEVICES; index += 1) {
    const deviceId = await addDevice(db, { orgId, userId }, now);
    const path = { user_id: userId, inverter_id: deviceId };
    const asked = await callAs(company, 'updateInverterPreferences', path, { reserve_percent: 20 });
    expect(asked.status).toBe(200);
    const event = { orgId, deviceId, code: 'device_offline', now } as const;
    await db.transaction().execute((tx) => raiseCondition(tx, event));
  }
  await sql`update deliveries set state = 'delivered', finished_at = ${now}`.execute(db);
  await sql`
    insert into delivery_attempts (org_id, message_id, webhook_id, attempt, started_at, duration_ms, outcome, secret_version)
    select org_id, message_id, webhook_id, 1, ${now}, 5, 'delivered', 1 from deliveries where webhook_id = ${webhookId}
  `.execute(db);
  const moved = await callAs(company, 'updateUser', { user_id: userId }, { latitude: 48, longitude: 14 });
  expect(moved.status).toBe(200);
  // A notice to all of the organization, and one to all of a simulation organization of it.
  for (const org_id of [orgId, (await addFleet(db, orgId, now)).orgId]) {
    const item = {
      org_id,
      id: randomUUID(),
      kind: 'information',
      message: 'To all.',
      occurred_at: now,
    } as const;
    await db.insertInto('notification_items').values(item).execute();
    const dismissal = { org_id, item_id: item.id, user_id: userId, dismissed_at: now };
    await db.insertInto('broadcast_dismissals').values(dismissal).execute();
  }
  return { company, userId, webhookId };
}

const callAs = (
  company: Company,
  operation: Parameters<Api['call']>[0],
  path: Readonly<Record<string, string>>,
  body?: object,
) =>
  api.call(operation, {
    token: company.admin.token,
    path: { org_id: company.orgId, ...path },
    ...(body === undefined ? {} : { body }),
    ...(operation === 'getUser' ? { query: { include_deleted: true } } : {}),
  });

async function deleteBoth({ company, userId, webhookId }: Seeded): Promise<void> {
  expect((await callAs(company, 'deleteUser', { user_id: userId })).status).toBe(204);
  expect((await callAs(company, 'deleteWebhook', { webhook_id: webhookId })).status).toBe(204);
}

/** What callers are told of the two: the status of the user, and of a test with its outcome. */
async function toldOf({ company, userId, webhookId }: Seeded): Promise<unknown[]> {
  const user = await callAs(company, 'getUser', { user_id: userId });
  const tested = await callAs(company, 'testWebhook', { webhook_id: webhookId }, { topic: TOPICS[0] });
  return [user.status, tested.status, (tested.body as { outcome?: string }).outcome];
}

const tracesOfBoth = async ({ userId, webhookId }: Seeded) => [
  await tracesOf(userId),
  await tracesOf(webhookId),
];

/** The same without one table. */
const tracesOfBothBut = async (of: Seeded, table: string) =>
  (await tracesOfBoth(of)).map((found) =>
    Object.fromEntries(Object.entries(found).filter(([name]) => name !== table)),
  );

/** All that is deleted and old enough goes at once, in one batch after the other; how many each has removed. */
async function removeAll(limit: number): Promise<number[]> {
  const sizes: number[] = [];
  for (const removeBatch of [deleteUsersDeletedBefore, deleteWebhooksDeletedBefore]) {
    do sizes.push(await removeBatch(api.db, api.clock.now(), limit));
    while (sizes.at(-1) === limit);
  }
  return sizes;
}

test('until the period is over all is as it was; then no table has a row of them, and the others have theirs', async () => {
  const [gone, kept, foreign] = [await seed(api.own), await seed(api.own), await seed(api.foreign)];
  await deleteBoth(gone);
  const others = [await tracesOfBoth(kept), await tracesOfBoth(foreign)];
  const before = await tracesOfBoth(gone);
  expect(before).toEqual([
    {
      applications: 1,
      broadcast_dismissals: 2,
      control_revisions: DEVICES,
      devices: DEVICES,
      messages: DEVICES,
      notification_items: DEVICES,
      user_places: 1,
      users: 1,
    },
    // It has got what was told of the other user's devices too.
    { deliveries: 2 * DEVICES, delivery_attempts: DEVICES, webhooks: 1 },
  ]);
  api.clock.advance(365 * DAY_MS);
  await remove(LONG);
  expect([await tracesOfBoth(gone), await toldOf(gone)]).toEqual([before, [200, 200, 'cancelled']]);
  api.clock.advance(1);
  await remove(LONG);
  // Messages have a time of their own: events are read from them.
  expect([await tracesOfBoth(gone), await toldOf(gone)]).toEqual([
    [{ messages: DEVICES }, {}],
    [404, 404, undefined],
  ]);
  expect([await tracesOfBoth(kept), await tracesOfBoth(foreign)]).toEqual(others);
  await remove({ ...LONG, messages: DEFAULTS.messages });
  expect(await tracesOfBoth(gone)).toEqual([{}, {}]);
});

test('a removal that is stopped after any batch goes on where it ended, and one that fails has removed nothing', async () => {
  const gone = await seed(api.own);
  await deleteBoth(gone);
  api.clock.advance(365 * DAY_MS + 1);
  await sql`
    create function refuse() returns trigger language plpgsql as $$ begin raise 'not now'; end $$`.execute(
    api.db,
  );
  await sql`create trigger refuse before delete on devices execute function refuse()`.execute(api.db);
  await expect(remove(LONG)).rejects.toThrow('not now');
  expect((await tracesOf(gone.userId))['users']).toBe(1);
  expect((await tracesOf(gone.userId))['devices']).toBe(DEVICES);
  await sql`drop trigger refuse on devices`.execute(api.db);
  await sql`drop function refuse`.execute(api.db);
  const seen = new Set<string>();
  let isLeft = true;
  for (let batches = 1; isLeft; batches += 1) {
    let asked = 0;
    await remove(LONG, () => (asked += 1) > batches);
    const [ofUser = {}, ofWebhook = {}] = await tracesOfBothBut(gone, 'messages');
    seen.add(JSON.stringify([ofUser, ofWebhook]));
    // Whatever is left belongs to a user and a webhook that are there.
    for (const [left, name] of [
      [ofUser, 'users'],
      [ofWebhook, 'webhooks'],
    ] as const)
      expect(left[name]).toBe(Object.keys(left).length > 0 ? 1 : undefined);
    isLeft = Object.keys({ ...ofUser, ...ofWebhook }).length > 0;
    expect(batches).toBeLessThan(100);
  }
  expect(seen.size).toBeGreaterThan(3);
});

test('a batch has no more rows than it may, and what belongs to a row goes before it', async () => {
  const gone = [await seed(api.own), await seed(api.own)];
  for (const each of gone) await deleteBoth(each);
  api.clock.advance(1);
  const sizes = await removeAll(2);
  expect(Math.max(...sizes)).toBe(2);
  // Two users with three items, three devices, three revisions, a place, two dismissals and an application, then two webhooks with
  // three deliveries.
  expect(sizes.length).toBeGreaterThan(3 + 3 + 3 + 1 + 2 + 1 + 1 + 3 + 1);
  for (const each of gone) expect(await tracesOfBothBut(each, 'messages')).toEqual([{}, {}]);
});

test('the times in which conditions of a device held go before it, as many as a batch may have', async () => {
  const gone = await seed(api.own);
  const { db } = api;
  await sql`insert into device_interruptions (org_id, device_id, code, started_at, read_until, unsteered_from)
    select org_id, id, 'device_offline', ${api.clock.now()}::timestamptz + number * interval '1 hour', ${api.clock.now()}, number
    from devices, generate_series(1, 5) number where user_id = ${gone.userId}`.execute(db);
  const count = async () =>
    (await sql`select 1 from device_interruptions where org_id = ${api.own.orgId}`.execute(db)).rows.length;
  await deleteBoth(gone);
  api.clock.advance(1);
  const before = await count();
  const removed: number[] = [];
  for (let [left, size] = [before, 2]; size === 2;) {
    size = await deleteUsersDeletedBefore(db, api.clock.now(), 2);
    removed.push(left - (left = await count()));
  }
  expect(removed.reduce((sum, each) => sum + each, 0)).toBeGreaterThanOrEqual(5 * DEVICES);
  expect(Math.max(...removed)).toBe(2);
});

test('what others have locked is left for the next round, and nobody is waited for', async () => {
  const [locked, free] = [await seed(api.own), await seed(api.own)];
  for (const each of [locked, free]) await deleteBoth(each);
  api.clock.advance(1);
  await api.db.transaction().execute(async (tx) => {
    await sql`select from devices where org_id = ${api.own.orgId} and user_id = ${locked.userId} limit 1 for update`.execute(
      tx,
    );
    await sql`select from deliveries where org_id = ${api.own.orgId} and webhook_id = ${locked.webhookId} limit 1 for update`.execute(
      tx,
    );
    await removeAll(100);
  });
  const [user, webhook] = await tracesOfBoth(locked);
  expect([user?.['devices'], user?.['users'], webhook?.['deliveries'], webhook?.['webhooks']]).toEqual([
    1, 1, 1, 1,
  ]);
  expect(await toldOf(free)).toEqual([404, 404, undefined]);
  await removeAll(100);
  expect(await toldOf(locked)).toEqual([404, 404, undefined]);
});

test('the household of a deleted user stays with its fleet', async () => {
  const [fleet, now] = [await addFleet(api.db, api.own.orgId, api.clock.now()), api.clock.now()];
  const [userId, id] = [randomUUID(), randomUUID()];
  const household = {
    household_index: 0,
    household_id: randomUUID(),
    user_id: userId,
    email: `${userId}@example.com`,
    first_name: 'A',
    last_name: 'B',
    country: null,
    group_name: 'all',
    profile: 'family',
    latitude: 1,
    longitude: 1,
    location_source: 'fixed' as const,
    attributes: {},
  };
  const words = { name: 'N', manufacturer: 'M', model: 'O', ratings: {} };
  const devices = [{ id, user_id: userId, device_type: 'inverter' as const, household_index: 0, ...words }];
  const batch = {
    orgId: fleet.orgId,
    fleetId: fleet.fleetId,
    households: [household],
    devices,
    conditions: [],
  };
  await api.db.transaction().execute((tx) => insertHouseholds(tx, batch, now));
  const path = { org_id: fleet.orgId, user_id: userId };
  expect((await callAs(api.own, 'deleteUser', path)).status).toBe(204);
  api.clock.advance(1);
  await removeAll(100);
  expect(await tracesOf(userId)).toEqual({ households: 1 });
});
