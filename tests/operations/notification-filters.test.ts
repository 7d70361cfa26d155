// What the filters of actions and information find.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startApi, type Api } from '../support/api.ts';
import type { Call } from '../support/api-client.ts';
import { NotificationFixture } from '../support/notification-fixture.ts';

let api: Api;
let content: NotificationFixture;
let start: Date;

beforeAll(async () => {
  api = await startApi();
  content = new NotificationFixture(api);
  start = api.clock.now();
});
afterAll(() => api.close());
beforeEach(() => content.reset());

describe('filters', () => {
  test('by device, type and code; several codes are any of them; all filters must hold', async () => {
    const [pump, car] = [
      await content.deviceOf(api.own.user, 'heat_pump'),
      await content.deviceOf(api.own.user, 'electric_vehicle'),
    ];
    const offline = await content.raise(pump, 'device_offline', 1);
    const session = await content.raise(pump, 'reauthenticate', 2);
    const carOffline = await content.raise(car, 'device_offline', 3);
    const subscription = await content.raise(car, 'subscription_required', 4);
    const notice = await content.broadcast('Maintenance tonight.');
    expect(await content.ids('listActions')).toEqual([subscription, carOffline, session, offline, notice]);
    expect(await content.ids('listActions', { device_id: pump.deviceId.toUpperCase() })).toEqual([
      session,
      offline,
    ]);
    expect(await content.ids('listActions', { device_type: 'electric_vehicle' })).toEqual([
      subscription,
      carOffline,
    ]);
    expect(await content.ids('listActions', { code: 'reauthenticate' })).toEqual([session]);
    expect(await content.ids('listActions', { code: 'device_offline' })).toEqual([carOffline, offline]);
    expect(
      await content.ids('listActions', { code: ['device_offline', 'reauthenticate', 'new_code'] }),
    ).toEqual([carOffline, session, offline]);
    expect(await content.ids('listActions', { code: 'device_offline', device_id: pump.deviceId })).toEqual([
      offline,
    ]);
    expect(await content.ids('listActions', { device_id: randomUUID() })).toEqual([]);
    for (const code of ['information', 'unknown']) {
      expect([
        code,
        await content.ids('listActions', { code }),
        await content.ids('listInformation', { code }),
      ]).toEqual([code, [], []]);
    }
    expect(await content.ids('listInformation')).toEqual([subscription, carOffline, offline, notice]);
    expect(
      await content.ids('listInformation', { code: ['device_offline', 'subscription_required'] }),
    ).toEqual([subscription, carOffline, offline]);
    expect(await content.ids('listInformation', { code: 'reauthenticate' })).toEqual([]);
    expect(await content.ids('listInformation', { device_type: 'heat_pump' })).toEqual([offline]);
    expect(await content.ids('listInformation', { device_id: car.deviceId, limit: 1 })).toEqual([
      subscription,
    ]);
  });

  test('by type and code find what a plan tells too, which is no condition', async () => {
    const car = await content.deviceOf(api.own.user, 'electric_vehicle');
    const missed = await content.tellMissedCharge(car, api.own.user);
    for (const operation of ['listActions', 'listInformation'] as const)
      for (const query of [{ code: 'charge_target_missed' }, { device_type: 'electric_vehicle' }])
        expect([operation, query, await content.ids(operation, query)]).toEqual([operation, query, [missed]]);
  });

  test('by time are inclusive to the millisecond; naive values are UTC, offsets count', async () => {
    const device = await content.deviceOf(api.own.user);
    const session = await content.raise(device, 'reauthenticate', 0);
    const offline = await content.raise(device, 'device_offline', 1);
    const at = (ms: number) => new Date(start.getTime() + ms).toISOString();
    const naive = (ms: number) => at(ms).slice(0, -1);
    const cases: [Call['query'], string[]][] = [
      [{ created_after: at(0) }, [offline, session]],
      [{ created_after: at(1) }, [offline]],
      [{ created_after: at(2) }, []],
      [{ created_before: at(1) }, [offline, session]],
      [{ created_before: at(0) }, [session]],
      [{ created_before: at(-1) }, []],
      [{ created_after: at(1), created_before: at(1) }, [offline]],
      [{ created_after: at(1), created_before: at(0) }, []],
      [{ created_after: naive(1) }, [offline]],
      [{ created_before: naive(0) }, [session]],
      [{ created_after: '2026-06-15T14:00:00.001+02:00' }, [offline]],
      [{ created_after: '2026-06-15' }, [offline, session]],
      [
        { created_after: '0001-01-01T00:00:00Z', created_before: '9999-12-31T23:59:59.999Z' },
        [offline, session],
      ],
      [{ created_after: '0000-01-01T00:00:00Z' }, [offline, session]],
    ];
    for (const [query, expected] of cases) {
      expect([query, await content.ids('listActions', query)]).toEqual([query, expected]);
      const notices = expected.filter((id) => id === offline);
      expect([query, await content.ids('listInformation', query)]).toEqual([query, notices]);
    }
  });

  test('that break the document are refused, all at once', async () => {
    const query = {
      owner_id: 'me',
      device_id: '1',
      device_type: 'toaster',
      created_after: 'yesterday',
      created_before: '2026-02-30T00:00:00Z',
      limit: 101,
      offset: -1,
      page: 2,
    };
    for (const operation of ['listActions', 'listInformation'] as const) {
      const answer = await api.call(operation, { query });
      expect(answer.status).toBe(422);
      const names = answer.body.errors.map((error: { parameter: string }) => error.parameter);
      expect(names.toSorted()).toEqual(Object.keys(query).toSorted());
    }
    expect((await api.call('listActions', { query: { limit: 0 } })).status).toBe(422);
    expect((await api.call('getNotificationStatus', { query: { limit: 1 } })).status).toBe(422);
  });
});
