import type { DeviceType } from '../../src/domain/fleets/devices.ts';
import { DEVICE_TYPES } from '../../src/domain/fleets/devices.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { randomUUID } from 'node:crypto';
import type { OperationId } from '../../generated/routes.ts';
import { NO_RATINGS } from '../../src/simulation/household/device-description.ts';
import { addPerson, startApi } from '../support/api.ts';
import type { Api } from '../support/api.ts';
import { refusal } from './refusal.ts';

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const operations: Readonly<
  Record<DeviceType, readonly [list: OperationId, get: OperationId, parameter: string]>
> = {
  electric_vehicle: ['listUserElectricVehicles', 'getUserElectricVehicle', 'electric_vehicle_id'],
  heat_pump: ['listUserHeatPumps', 'getUserHeatPump', 'heat_pump_id'],
  inverter: ['listUserInverters', 'getUserInverter', 'inverter_id'],
  wallbox: ['listUserWallboxes', 'getUserWallbox', 'wallbox_id'],
};

async function addDevice(userId: string, deviceType: DeviceType, orgId = api.own.orgId): Promise<string> {
  const id = randomUUID();
  await api.db
    .insertInto('devices')
    .values({
      org_id: orgId,
      id,
      user_id: userId,
      device_type: deviceType,
      name: 'Cellar',
      manufacturer: 'Maker',
      model: 'M 1',
      ratings: JSON.stringify({ ...NO_RATINGS, rated_power_w: 3200 }),
      created_at: api.clock.now(),
    })
    .execute();
  return id;
}

describe.each(DEVICE_TYPES)('%s', (type) => {
  const [list, get, parameter] = operations[type];

  test('is listed and shown with its user and state', async () => {
    const { orgId } = api.own;
    const person = await addPerson(api.db, orgId, 'user', api.clock.now());
    const ids = [await addDevice(person.id, type), await addDevice(person.id, type)].toSorted();
    for (const other of DEVICE_TYPES) if (other !== type) await addDevice(person.id, other);
    const listed = await api.call(list, { path: { user_id: person.id } });
    expect([listed.status, listed.body]).toEqual([
      200,
      ids.map((device_id) => ({
        device_id,
        device_type: type,
        user_id: person.id,
        org_id: orgId,
        job_id: null,
        household_index: null,
        group: null,
        profile: null,
        name: 'Cellar',
        manufacturer: 'Maker',
        model: 'M 1',
        ...NO_RATINGS,
        rated_power_w: 3200,
        online: true,
        state: expect.any(Object),
        as_of: api.clock.now().toISOString(),
      })),
    ]);
    const one = await api.call(get, {
      path: { user_id: person.id, [parameter]: ids[1] ?? '' },
      token: person.token,
    });
    expect([one.status, one.body]).toEqual([200, (listed.body as unknown[])[1]]);
    const without = await addPerson(api.db, orgId, 'user', api.clock.now());
    const none = await api.call(list, { path: { user_id: without.id }, token: without.token });
    expect([none.status, none.body]).toEqual([200, []]);
  });

  test('of another type, user or organization is 404, as is a user that the caller may not see', async () => {
    const { user, admin, staff } = api.own;
    const foreign = await addDevice(api.foreign.user.id, type, api.foreign.orgId);
    const ofAdmin = await addDevice(admin.id, type);
    const otherType = await addDevice(user.id, type === 'inverter' ? 'wallbox' : 'inverter');
    const missing = [
      [user.id, randomUUID()],
      [user.id, otherType],
      [user.id, ofAdmin],
      [user.id, foreign],
      [api.foreign.user.id, foreign],
      [randomUUID(), ofAdmin],
    ] as const;
    for (const [user_id, id] of missing) {
      expect(refusal(await api.call(get, { path: { user_id, [parameter]: id } }))).toEqual([
        404,
        'not_found',
      ]);
    }
    for (const { token } of [staff, user]) {
      const path = { user_id: admin.id, [parameter]: ofAdmin };
      expect((await api.call(get, { path, token })).status).toBe(404);
      expect((await api.call(list, { path, token })).status).toBe(404);
    }
    expect((await api.call(list, { path: { user_id: api.foreign.user.id } })).status).toBe(404);
  });

  test('of a deleted user is 404', async () => {
    const person = await addPerson(api.db, api.own.orgId, 'user', api.clock.now());
    const path = { user_id: person.id, [parameter]: await addDevice(person.id, type) };
    await api.call('deleteUser', { path });
    expect([(await api.call(get, { path })).status, (await api.call(list, { path })).status]).toEqual([
      404, 404,
    ]);
  });

  test('with an id that is none, or an unknown parameter, is 422', async () => {
    const path = { user_id: api.own.user.id, [parameter]: 'first' };
    expect(refusal(await api.call(get, { path }))).toEqual([422, 'validation_failed', `${parameter} format`]);
    const query = { page: 1 };
    expect(refusal(await api.call(list, { path, query }))).toEqual([
      422,
      'validation_failed',
      'page unknown_property',
    ]);
    const elsewhere = await api.call(get, { path: { ...path, [parameter]: randomUUID() }, query });
    expect(elsewhere.status).toBe(404);
  });
});
