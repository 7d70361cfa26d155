import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { DEFAULT_PREFERENCES } from '../../src/simulation/control/preference-changes.ts';
import type { SteeredType } from '../../src/simulation/control/preference-changes.ts';
import { addPerson } from '../support/api.ts';
import { by, NEXT, NOW, preferencesFixture, STEERED_TYPES } from './preferences-fixture.ts';
import type { Verb } from './preferences-fixture.ts';
import { refusal } from './refusal.ts';

const fixture = preferencesFixture();

const CHANGES = {
  electric_vehicle: {
    change: { charge_policy: 'smart', ready_by: { monday: '06:30', sunday: null } },
    changed: {
      charge_policy: 'smart',
      ready_by: { ...DEFAULT_PREFERENCES.electric_vehicle.ready_by, monday: '06:30', sunday: null },
    },
    reset: { charge_policy: null, ready_by: null },
  },
  heat_pump: {
    change: { comfort_temperature_c: 21.5, setback_k: 0 },
    changed: { comfort_temperature_c: 21.5, setback_k: 0 },
    reset: { comfort_temperature_c: null, setback_k: null },
  },
  inverter: {
    change: { reserve_percent: 30, grid_charging: true },
    changed: { reserve_percent: 30, grid_charging: true },
    reset: { reserve_percent: null, grid_charging: null },
  },
} as const satisfies Record<SteeredType, object>;

describe.each(STEERED_TYPES)('preferences of an %s', (type) => {
  const { change, changed, reset } = CHANGES[type];
  const defaults = DEFAULT_PREFERENCES[type];

  test('have their defaults, are changed field by field and set back by null, each time as a revision', async () => {
    const device = await fixture.deviceOf(type);
    const nothing = {
      device_id: device.id,
      device_type: type,
      ...defaults,
      boost_ends_at: null,
      revision: 0,
      change: null,
      received_at: null,
      effective_from: null,
      changed_by: null,
      request_id: null,
    };
    expect((await device.call('get')).body).toEqual(nothing);
    expect((await device.call('list')).body).toEqual({ items: [], limit: 50, next: null });

    const headers = { 'x-request-id': 'request-of-the-owner' };
    const first = await device.call('update', { body: change, token: fixture.owner.token, headers });
    const asked = {
      ...nothing,
      ...changed,
      revision: 1,
      change: 'preferences',
      received_at: NOW,
      effective_from: NEXT,
      changed_by: by(fixture.owner),
      request_id: 'request-of-the-owner',
    };
    expect([first.status, first.body]).toEqual([200, asked]);
    expect((await device.call('get')).body).toEqual(asked);

    fixture.api.clock.set('2026-06-15T12:15:00.000Z');
    const second = await device.call('update', { body: reset, token: fixture.api.own.staff.token });
    expect(second.body).toEqual({
      ...nothing,
      revision: 2,
      change: 'preferences',
      received_at: NEXT,
      effective_from: '2026-06-15T12:30:00.000Z',
      changed_by: by(fixture.api.own.staff),
      request_id: second.headers['x-request-id'],
    });
    expect((await device.call('list')).body.items).toEqual([second.body, asked]);
  });

  test('that a body does not change stay the revision they are', async () => {
    const device = await fixture.deviceOf(type);
    for (const body of [{}, defaults, reset]) {
      expect((await device.call('update', { body })).body.revision).toBe(0);
    }
    await device.call('update', { body: change });
    const again = await device.call('update', { body: change, token: fixture.owner.token });
    expect(again.body).toMatchObject({ revision: 1, changed_by: by(fixture.api.own.admin) });
  });

  test('are those of the user, the staff and the admin; nobody else learns of them', async () => {
    const device = await fixture.deviceOf(type);
    const ofAdmin = await fixture.deviceOf(type, fixture.api.own.admin);
    const other = await addPerson(fixture.api.db, fixture.api.own.orgId, 'user', fixture.api.clock.now());
    const body: Readonly<Record<Verb, object | undefined>> = {
      get: undefined,
      update: change,
      list: undefined,
      start: { ends_at: '2026-06-15T14:00:00Z' },
      end: undefined,
    };
    for (const verb of Object.keys(body) as Verb[]) {
      const call = body[verb] === undefined ? {} : { body: body[verb] };
      const ok = verb === 'end' ? 204 : 200;
      for (const { token } of [fixture.owner, fixture.api.own.staff, fixture.api.own.admin]) {
        expect((await device.call(verb, { ...call, token })).status).toBe(ok);
      }
      expect((await device.call(verb, { ...call, token: other.token })).status).toBe(404);
      for (const { token } of [fixture.owner, fixture.api.own.staff]) {
        expect((await ofAdmin.call(verb, { ...call, token })).status).toBe(404);
      }
      const foreign = fixture.api.foreign.admin.token;
      expect((await device.call(verb, { ...call, token: foreign })).status).toBe(403);
      const inTheirs = { ...call, token: foreign, path: { org_id: fixture.api.foreign.orgId } };
      expect((await device.call(verb, inTheirs)).status).toBe(404);
    }
  });
});

test('a device of another type, of another user or that is gone has no preferences', async () => {
  const [vehicle, pump] = [await fixture.deviceOf('electric_vehicle'), await fixture.deviceOf('heat_pump')];
  for (const path of [
    { electric_vehicle_id: pump.id },
    { electric_vehicle_id: randomUUID() },
    { user_id: fixture.api.own.user.id },
  ]) {
    expect(refusal(await vehicle.call('get', { path }))).toEqual([404, 'not_found']);
    expect(refusal(await vehicle.call('update', { path, body: { ready_by: 7 } }))).toEqual([
      404,
      'not_found',
    ]);
  }
  await fixture.api.call('deleteUser', { path: { user_id: fixture.owner.id } });
  expect((await vehicle.call('get')).status).toBe(404);
});

describe('preferences are refused, all errors at once:', () => {
  const refusals: readonly (readonly [type: SteeredType, body: object, ...errors: string[]])[] = [
    [
      'electric_vehicle',
      {
        charge_policy: 'cheap',
        minimum_soc_percent: 101,
        target_soc_percent: -1,
        ready_by: { monday: '7:00', tuesday: '24:00', noday: '07:00' },
        color: 'red',
      },
      '/charge_policy enum',
      '/color unknown_property',
      '/minimum_soc_percent maximum',
      '/ready_by/monday pattern',
      '/ready_by/noday unknown_property',
      '/ready_by/tuesday pattern',
      '/target_soc_percent minimum',
    ],
    [
      'electric_vehicle',
      { minimum_soc_percent: 80, target_soc_percent: 70 },
      '/minimum_soc_percent minimum_above_target',
    ],
    ['electric_vehicle', { target_soc_percent: 5 }, '/target_soc_percent minimum_above_target'],
    [
      'electric_vehicle',
      { target_soc_percent: 5, minimum_soc_percent: null, charge_policy: 7 },
      '/charge_policy enum',
      '/charge_policy type',
      '/minimum_soc_percent minimum_above_target',
    ],
    [
      'heat_pump',
      {
        comfort_temperature_c: 9.9,
        setback_k: 4.1,
        boost_k: -0.1,
        hot_water_temperature_c: 61,
        price_response: 'no',
      },
      '/boost_k minimum',
      '/comfort_temperature_c minimum',
      '/hot_water_temperature_c maximum',
      '/price_response type',
      '/setback_k maximum',
    ],
    [
      'heat_pump',
      { comfort_temperature_c: 26.1, hot_water_temperature_c: 44.9 },
      '/comfort_temperature_c maximum',
      '/hot_water_temperature_c minimum',
    ],
    [
      'inverter',
      { reserve_percent: 'half', grid_charging: 1, revision: 7 },
      '/grid_charging type',
      '/reserve_percent type',
      '/revision unknown_property',
    ],
  ];

  test.each(refusals.map(([type, body, ...errors]) => ({ type, body, errors })))(
    '$type $errors',
    async ({ type, body, errors }) => {
      const device = await fixture.deviceOf(type);
      const [status, code, ...found] = refusal(await device.call('update', { body }));
      expect([status, code, ...found.toSorted()]).toEqual([422, 'validation_failed', ...errors]);
      expect((await device.call('get')).body.revision).toBe(0);
    },
  );

  test('values at the bounds are taken', async () => {
    const [vehicle, pump] = [await fixture.deviceOf('electric_vehicle'), await fixture.deviceOf('heat_pump')];
    const battery = await fixture.deviceOf('inverter');
    for (const [device, body] of [
      [
        vehicle,
        { minimum_soc_percent: 0, target_soc_percent: 0, ready_by: { monday: '00:00', friday: '23:59' } },
      ],
      [vehicle, { minimum_soc_percent: 100, target_soc_percent: 100 }],
      [pump, { comfort_temperature_c: 10, setback_k: 4, boost_k: 3, hot_water_temperature_c: 60 }],
      [pump, { comfort_temperature_c: 26, setback_k: 0, boost_k: 0, hot_water_temperature_c: 45 }],
      [battery, { reserve_percent: 100 }],
      [battery, { reserve_percent: 0 }],
    ] as const) {
      expect((await device.call('update', { body })).body).toMatchObject(body);
    }
  });
});
