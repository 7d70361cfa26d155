import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { endCondition } from '../../src/conditions/end-condition.ts';
import { raiseCondition } from '../../src/conditions/raise-condition.ts';
import { CONDITION_CODES } from '../../src/domain/notifications/conditions.ts';
import { DEVICE_TYPES } from '../../src/domain/fleets/devices.ts';
import type { Db } from '../../src/queries/connection/database.ts';
import { insertOrganization } from '../../src/queries/accounts/organizations.ts';
import { softDeleteUser } from '../../src/queries/accounts/users.ts';
import { countFleetDevicesByType } from '../../src/queries/fleets/fleets.ts';
import { deleteHouseholdsFrom, insertHouseholds } from '../../src/queries/fleets/households.ts';
import { countPendingItems } from '../../src/queries/notifications/notifications.ts';
import { until } from '../process/partner.ts';
import { testDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';

const NOW = new Date('2026-06-15T12:00:00.000Z');
const HOUSEHOLDS = 12;

let database: TestDatabase;
let db: Db;
let orgId: string;
let devices: { id: string; user_id: string }[];
beforeAll(async () => {
  database = await testDatabase();
  ({ db } = database);
});
afterAll(() => database.close());
beforeEach(async () => {
  orgId = randomUUID();
  await insertOrganization(db, { id: orgId, name: 'O', kind: 'partner', parentOrgId: null, createdAt: NOW });
  const users = Array.from({ length: HOUSEHOLDS }, () => randomUUID());
  const households = users.map((user_id, household_index) => ({
    household_index,
    household_id: randomUUID(),
    user_id,
    email: `${user_id}@example.com`,
    first_name: 'A',
    last_name: 'B',
    country: null,
    group_name: household_index % 3 === 0 ? 'third' : 'others',
    profile: 'family',
    latitude: 1,
    longitude: 1,
    location_source: 'fixed' as const,
    attributes: {},
  }));
  const rows = users.flatMap((user_id, household_index) =>
    DEVICE_TYPES.map((device_type) => ({
      id: randomUUID(),
      user_id,
      device_type,
      household_index,
      name: 'N',
      manufacturer: 'M',
      model: 'O',
      ratings: {},
    })),
  );
  const batch = { orgId, fleetId: randomUUID(), households, devices: rows, conditions: [] };
  await db.transaction().execute((tx) => insertHouseholds(tx, batch, NOW));
  devices = rows;
});

const owner = (index: number): string => devices[index * DEVICE_TYPES.length]?.user_id ?? '';
const raise = (deviceId: string, code: (typeof CONDITION_CODES)[number]) =>
  db.transaction().execute((tx) => raiseCondition(tx, { orgId, deviceId, code, now: NOW }));
const deleteOwner = (index: number) =>
  db.transaction().execute((tx) => softDeleteUser(tx, { orgId, id: owner(index) }, NOW));
const removeFrom = (index: number) =>
  db.transaction().execute((tx) => deleteHouseholdsFrom(tx, orgId, index));

/** What the tables hold, as it would be counted; pending items and devices of users who are not deleted. */
async function counted(): Promise<{ items: unknown[]; devices: unknown[] }> {
  const items = await sql`
    select i.device_type, i.kind, count(*) as count from notification_items i
    join users u on u.org_id = i.org_id and u.id = i.owner_id and u.deleted_at is null
    where i.org_id = ${orgId} and i.cleared_at is null and i.dismissed_at is null and i.device_type is not null
    group by i.device_type, i.kind order by i.device_type, i.kind`.execute(db);
  const types = await sql`
    select d.device_type, h.group_name, count(*) as count from devices d
    join households h on h.org_id = d.org_id and h.household_index = d.household_index
    join users u on u.org_id = d.org_id and u.id = d.user_id and u.deleted_at is null
    where d.org_id = ${orgId} group by d.device_type, h.group_name order by d.device_type, h.group_name`.execute(
    db,
  );
  return { items: items.rows, devices: types.rows };
}

async function kept(): Promise<{ items: unknown[]; devices: unknown[] }> {
  const pending = (await countPendingItems(db, { orgId, ownerId: undefined })).filter(
    ({ count }) => count !== 0,
  );
  const keyOf = (each: (typeof pending)[number]): string => `${each.device_type} ${each.kind}`;
  const types = await sql`
    select device_type, group_name, devices as count from device_counts where org_id = ${orgId} and devices <> 0
    order by device_type, group_name`.execute(db);
  return {
    items: pending.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)),
    devices: types.rows,
  };
}

test('numbers are kept through raising, ending, dismissing, deleting and removing, many at once', async () => {
  await Promise.all(devices.flatMap(({ id }) => CONDITION_CODES.map((code) => raise(id, code))));
  expect(await kept()).toEqual(await counted());
  expect((await kept()).items).toHaveLength(2 * DEVICE_TYPES.length);
  await db
    .updateTable('notification_items')
    .set({ dismissed_at: NOW })
    .where('org_id', '=', orgId)
    .where('code', '=', 'device_offline')
    .execute();
  await Promise.all([
    ...devices
      .slice(0, 16)
      .map(({ id: deviceId }) =>
        db
          .transaction()
          .execute((tx) => endCondition(tx, { orgId, deviceId, code: 'subscription_required', now: NOW })),
      ),
    deleteOwner(1),
    deleteOwner(6),
    deleteOwner(HOUSEHOLDS - 1),
  ]);
  expect(await kept()).toEqual(await counted());
  await removeFrom(HOUSEHOLDS - 4);
  expect(await kept()).toEqual(await counted());
  const types = (await countFleetDevicesByType(db, [orgId])).get(orgId);
  expect(types).toEqual({ electric_vehicle: 6, heat_pump: 6, inverter: 6, wallbox: 6 });
  await removeFrom(0);
  expect(await kept()).toEqual({ items: [], devices: [] });
});

test('an owner who is deleted while its device raises something leaves nothing behind', async () => {
  const deletions = devices.flatMap(({ id }, index) =>
    index % DEVICE_TYPES.length === 0
      ? [raise(id, 'device_offline'), deleteOwner(index / DEVICE_TYPES.length), raise(id, 'reauthenticate')]
      : [],
  );
  await Promise.all(deletions);
  expect(await kept()).toEqual({ items: [], devices: [] });
  const pending = await sql`
    select from notification_items where org_id = ${orgId} and cleared_at is null and dismissed_at is null`.execute(
    db,
  );
  expect(pending.rows).toEqual([]);
});

test('an owner who is deleted while the household is removed is counted off once', async () => {
  await Promise.all(
    [deleteOwner(9), removeFrom(8), deleteOwner(10)].map((each) => each.catch(() => undefined)),
  );
  expect(await kept()).toEqual(await counted());
});

test('an event waits for no other connection that raises one of another household of the organization', async () => {
  const [first, second] = [devices[0], devices[DEVICE_TYPES.length]];
  const shardOf = async (tx: Db): Promise<number> => {
    const { rows } = await sql<{ shard: number }>`select pg_backend_pid() % 32 as shard`.execute(tx);
    return rows[0]?.shard ?? -1;
  };
  await db.transaction().execute(async (tx) => {
    await raiseCondition(tx, { orgId, deviceId: first?.id ?? '', code: 'device_offline', now: NOW });
    const own = await shardOf(tx);
    const raiseElsewhere = (): Promise<boolean> =>
      db.transaction().execute(async (other) => {
        if ((await shardOf(other)) === own) return false;
        await raiseCondition(other, { orgId, deviceId: second?.id ?? '', code: 'device_offline', now: NOW });
        return true;
      });
    await until(raiseElsewhere, (isDone) => isDone);
  });
  expect(await kept()).toEqual(await counted());
});
