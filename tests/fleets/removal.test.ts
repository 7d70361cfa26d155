// Clean-ups and purges remove rows in small batches, and what is half removed is seen by nobody.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { deleteLeftUsers } from '../../src/queries/fleets/fleet-removal.ts';
import { fleetApi } from './fleet-api.ts';

const fleets = fleetApi();
/** Rows that one transaction may remove: some 10 ms. */
const MAX_ROWS = 250;

async function countRows(orgId: string): Promise<unknown> {
  const { rows } = await sql`
    select (select count(*) from users where org_id = ${orgId}) as users,
      (select count(*) from devices where org_id = ${orgId}) as devices,
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

test('no transaction of a clean-up or a purge removes more than 250 rows', async () => {
  const { db } = fleets.api;
  const { jobId, orgId } = await stoppedFleet(300);
  await addNotices(orgId, 600);
  await sql`create table removed (transaction bigint not null, rows bigint not null)`.execute(db);
  await sql`
    create function count_removed() returns trigger language plpgsql as $$
    begin
      insert into removed select txid_current(), count(*) from gone;
      return null;
    end $$
  `.execute(db);
  for (const table of ['users', 'devices', 'notification_items', 'households'])
    await sql`
      create trigger count_removed after delete on ${sql.table(table)}
      referencing old table as gone for each statement execute function count_removed()
    `.execute(db);
  const before = (await countRows(orgId)) as Record<'users' | 'devices' | 'items', number>;
  expect(before).toMatchObject({ users: 300, items: 600 });
  expect((await fleets.act('cleanupFleet', jobId)).body.status).toBe('cleaned');
  expect(await countRows(orgId)).toEqual({ users: 0, devices: 0, items: 0 });
  await fleets.act('purgeFleet', jobId);
  await fleets.runner.processAll();
  const { rows } = await sql<{ most: number; all: number }>`
    select max(rows) as most, sum(rows)::float8 as "all" from (
      select sum(rows) as rows from removed group by transaction
    ) as transactions`.execute(db);
  expect(Number(rows[0]?.most)).toBeLessThanOrEqual(MAX_ROWS);
  // The households too, by the purge.
  expect(rows[0]?.all).toBe(before.users + before.devices + before.items + 300);
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
  expect(await deleteLeftUsers(api.db, 10, { org_id: api.own.orgId, id: jobId })).toBe(true);
  expect(await countRows(orgId)).toMatchObject({ users: 21 });

  for (const operation of ['listUsers', 'listInformation', 'getNotificationStatus'] as const)
    expect((await api.call(operation, { path })).status).toBe(403);
  expect(await fleets.devices(jobId)).toEqual([]);
  const { status: state, device_counts } = await fleets.get(jobId);
  expect([state, ...Object.values(device_counts as object)]).toEqual(['cleaned', 0, 0, 0, 0]);

  await fleets.runner.processAll();
  expect(await countRows(orgId)).toEqual({ users: 1, devices: 0, items: 0 });
  const { status, body } = await api.call('listUsers', { path });
  expect([status, (body as { email: string }[]).map((user) => user.email)]).toEqual([200, [email]]);
  expect(await fleets.locations(jobId)).toHaveLength(20);
});

test('a clean-up that was cut off is completed by a repeat', async () => {
  const { jobId, orgId } = await stoppedFleet(5);
  await sql`update fleets set status = 'cleaned', has_users_to_remove = true where id = ${jobId}`.execute(
    fleets.api.db,
  );
  expect((await fleets.act('cleanupFleet', jobId)).status).toBe(200);
  expect(await countRows(orgId)).toEqual({ users: 0, devices: 0, items: 0 });
  expect((await fleets.api.call('listUsers', { path: { org_id: orgId } })).status).toBe(200);
});
