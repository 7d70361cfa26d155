// Clean-ups and purges remove rows in small batches, and what is half removed is seen by nobody.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fleetKeyOf } from '../../src/operations/fleets/fleet-access.ts';
import { removeLeftUsers } from '../../src/fleets/purge.ts';
import { deleteLeftUsers } from '../../src/queries/fleets/fleet-removal.ts';
import { fleetApi } from './fleet-api.ts';
import { queryEverywhere } from '../support/everywhere.ts';

const fleets = fleetApi();
const NOTHING = { users: 0, devices: 0, revisions: 0, places: 0, items: 0 };
const COUNTED_TABLES = [
  'users',
  'devices',
  'notification_items',
  'households',
  'control_revisions',
  'user_places',
];
/** Rows that one transaction may remove: some 10 ms. */
const MAX_ROWS = 100;

async function countRows(orgId: string): Promise<unknown> {
  const { rows } = await sql`
    select (select count(*) from users where org_id = ${orgId}) as users,
      (select count(*) from devices where org_id = ${orgId}) as devices,
      (select count(*) from control_revisions where org_id = ${orgId}) as revisions,
      (select count(*) from user_places where org_id = ${orgId}) as places,
      (select count(*) from notification_items where org_id = ${orgId}) as items
  `.execute(fleets.api.db);
  return rows[0];
}

async function stoppedFleet(count: number) {
  const { job_id, simulation_org_id } = await fleets.running({ count });
  const [jobId, orgId] = [job_id as string, simulation_org_id as string];
  expect((await fleets.act('stopFleet', jobId)).status).toBe(200);
  return { jobId, orgId };
}

async function addNotices(orgId: string, count: number): Promise<void> {
  await sql`
    insert into notification_items (org_id, id, kind, message, occurred_at)
    select ${orgId}, gen_random_uuid(), 'information', 'A notice', now() from generate_series(1, ${count}::int)
  `.execute(fleets.api.db);
}

/** What was asked of the fleet's first device, and where its first user lived. */
async function addRevisions(orgId: string, count: number): Promise<void> {
  const { db } = fleets.api;
  await sql`
    insert into control_revisions (org_id, device_id, received_at, revision, user_id, effective_from, change, preferences,
      actor_org_id, actor_user_id, actor_role, request_id)
    select d.org_id, d.id, now() + i * interval '1 minute', i, d.user_id, now() + i * interval '1 minute', 'preferences', '{}',
      d.org_id, d.user_id, 'user', 'request'
    from (select * from devices where org_id = ${orgId} order by household_index limit 1) d, generate_series(1, ${count}::int) i
  `.execute(db);
  await sql`
    insert into user_places (org_id, user_id, effective_from, received_at)
    select u.org_id, u.id, now() + i * interval '1 minute', now()
    from (select * from users where org_id = ${orgId} order by household_index limit 1) u, generate_series(1, ${count}::int) i
  `.execute(db);
}

describe('no transaction removes more than 100 rows', () => {
  beforeAll(async () => {
    const { db, everywhere } = fleets.api;
    await queryEverywhere(
      everywhere,
      'create table removed (transaction bigint not null, rows bigint not null)',
    );
    await sql`
      create function count_removed() returns trigger language plpgsql as $$
      begin
        insert into removed select txid_current(), count(*) from gone;
        return null;
      end $$
    `.execute(db);
    for (const table of COUNTED_TABLES)
      await sql`
        create trigger count_removed after delete on ${sql.table(table)}
        referencing old table as gone for each statement execute function count_removed()
      `.execute(db);
  });
  afterAll(async () => {
    const { db, everywhere } = fleets.api;
    await queryEverywhere(everywhere, 'drop table removed');
    await sql`drop function count_removed cascade`.execute(db);
  });

  test.each([
    ['a clean-up, and the purge after it', true],
    ['a purge without a clean-up', false],
  ])('of %s', async (_name, isCleanedUp) => {
    const { everywhere } = fleets.api;
    await queryEverywhere(everywhere, 'delete from removed');
    const { jobId, orgId } = await stoppedFleet(300);
    await addNotices(orgId, 600);
    await addRevisions(orgId, 300);
    const before = (await countRows(orgId)) as Record<'users' | 'devices' | 'items', number>;
    expect(before).toMatchObject({ users: 300, items: 600, revisions: 300, places: 300 });
    if (isCleanedUp) {
      expect((await fleets.act('cleanupFleet', jobId)).body.status).toBe('cleaned');
      expect(await countRows(orgId)).toEqual(NOTHING);
    }
    await fleets.act('purgeFleet', jobId);
    await fleets.runner.processAll();
    expect(await countRows(orgId)).toEqual(NOTHING);
    const transactions = await queryEverywhere<{ rows: number }>(
      everywhere,
      'select sum(rows)::float8 as rows from removed group by transaction',
    );
    const counts = transactions.map(({ rows }) => rows);
    expect(Math.max(...counts)).toBeLessThanOrEqual(MAX_ROWS);
    // The households too, by the purge, and the 300 revisions and places.
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(
      before.users + before.devices + before.items + 3 * 300,
    );
  });
});

test('a clean-up that was cut off is invisible, and is completed by a fleet runner', async () => {
  const { api } = fleets;
  const { jobId, orgId } = await stoppedFleet(20);
  const path = { org_id: orgId };
  const email = `${randomUUID()}@example.com`;
  expect((await api.call('createUser', { path, body: { email, role: 'user' } })).status).toBe(201);
  await sql`update fleets set status = 'cleaned', has_users_to_remove = true where id = ${jobId}`.execute(
    api.db,
  );
  expect(await deleteLeftUsers(api.db, 10, fleetKeyOf(api.own.orgId, jobId))).toBe(true);
  expect(await countRows(orgId)).toMatchObject({ users: 21 });

  for (const operation of ['listUsers', 'listInformation', 'getNotificationStatus'] as const)
    expect((await api.call(operation, { path })).status).toBe(403);
  expect(await fleets.devices(jobId)).toEqual([]);
  const { status: state, device_counts } = await fleets.get(jobId);
  expect([state, ...Object.values(device_counts as object)]).toEqual(['cleaned', 0, 0, 0, 0]);

  await fleets.runner.processAll();
  expect(await countRows(orgId)).toEqual({ ...NOTHING, users: 1 });
  const { status, body } = await api.call('listUsers', { path });
  expect([status, (body as { email: string }[]).map((user) => user.email)]).toEqual([200, [email]]);
  expect(await fleets.locations(jobId)).toHaveLength(20);
});

test('of clean-ups of several partners a batch of each is removed in turn, whatever becomes of that of another', async () => {
  const { api } = fleets;
  const { orgId: partnerId, admin } = api.foreign;
  const call = async (operation: 'createFleet' | 'stopFleet', job_id?: unknown) => {
    const path = { org_id: partnerId, ...(job_id === undefined ? {} : { job_id: job_id as string }) };
    const body = operation === 'createFleet' ? { request_id: randomUUID(), count: 5 } : undefined;
    return (await api.call(operation, { token: admin.token, path, body })).body;
  };
  const { job_id, simulation_org_id } = await call('createFleet');
  await fleets.runner.processAll();
  await call('stopFleet', job_id);
  const [ours, theirs] = [(await stoppedFleet(5)).orgId, simulation_org_id as string];
  await sql`
    update fleets set status = 'cleaned', has_users_to_remove = true where simulation_org_id in (${ours}, ${theirs})
  `.execute(api.db);
  const pass = await removeLeftUsers({ db: api.db, now: api.clock.now, pause: () => Promise.resolve() });
  expect(pass.changed.toSorted()).toEqual([ours, theirs].toSorted());

  const [failing, other] = api.own.orgId < partnerId ? [ours, theirs] : [theirs, ours];
  await sql`create function refuse() returns trigger language plpgsql as 'begin raise ''It stays.''; end'`.execute(
    api.db,
  );
  await sql`create trigger refuse before delete on users for each row when (old.org_id = ${sql.lit(failing)})
    execute function refuse()`.execute(api.db);
  await expect(fleets.runner.processAll()).rejects.toThrow('It stays.');
  expect(await countRows(other)).toEqual(NOTHING);
  expect(await countRows(failing)).toMatchObject({ users: 5 });
  await sql`drop trigger refuse on users`.execute(api.db);
  await fleets.runner.processAll();
  expect(await countRows(failing)).toEqual(NOTHING);
});

test('a clean-up that was cut off is completed by a repeat', async () => {
  const { jobId, orgId } = await stoppedFleet(5);
  await sql`update fleets set status = 'cleaned', has_users_to_remove = true where id = ${jobId}`.execute(
    fleets.api.db,
  );
  expect((await fleets.act('cleanupFleet', jobId)).status).toBe(200);
  expect(await countRows(orgId)).toEqual(NOTHING);
  expect((await fleets.api.call('listUsers', { path: { org_id: orgId } })).status).toBe(200);
});
