import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { endCondition } from '../../src/conditions/end-condition.ts';
import { raiseCondition } from '../../src/conditions/raise-condition.ts';
import { startApi, type Api } from '../support/api.ts';
import type { Answer, Call } from '../support/api-client.ts';
import { NotificationFixture } from '../support/notification-fixture.ts';
import { addUser } from '../support/fleet-records.ts';

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

const nothing = { action_required: 0, information_available: 0 };

test('without items the lists are empty, and the status has all four types', async () => {
  const status = await api.call('getNotificationStatus');
  expect(status.body).toEqual({
    electric_vehicle: nothing,
    heat_pump: nothing,
    inverter: nothing,
    wallbox: nothing,
  });
  for (const operation of ['listActions', 'listInformation'] as const) {
    const { body } = await api.call(operation);
    expect(body).toEqual({ items: [], total: 0, total_capped: false, limit: 50, offset: 0 });
  }
});

test('items have the specified shapes, keep their id, and come newest first', async () => {
  const device = await content.deviceOf(api.own.user, 'heat_pump');
  const offline = await content.raise(device, 'device_offline', 1);
  const session = await content.raise(device, 'reauthenticate', 2);
  const link = (id: string) =>
    expect.stringMatching(
      new RegExp(`^/api/partners/v2\\.0/notifications/items/${id}/resolve\\?secret=[0-9a-z]+\\.[\\w-]{43}$`),
    );
  const of = { device_id: device.deviceId, device_type: 'heat_pump', owner_id: api.own.user.id };
  const actions = await api.call('listActions');
  expect(actions.body).toEqual({
    items: [
      {
        id: session,
        code: 'reauthenticate',
        ...of,
        resolution: { url: link(session), required_parameters: ['success_url', 'cancel_url'] },
        created_at: new Date(start.getTime() + 2).toISOString(),
        metadata: {},
      },
      {
        id: offline,
        code: 'information',
        ...of,
        resolution: { url: link(offline), required_parameters: [] },
        sent_at: new Date(start.getTime() + 1).toISOString(),
        metadata: { message: expect.stringContaining('Roof & <shed> cannot be reached.') },
      },
    ],
    total: 2,
    total_capped: false,
    limit: 50,
    offset: 0,
  });
  const information = await api.call('listInformation');
  expect(information.body).toEqual({
    items: [
      {
        id: offline,
        code: 'device_offline',
        message: actions.body.items[1].metadata.message,
        sent_at: new Date(start.getTime() + 1).toISOString(),
        dismissed: false,
        cleared_at: null,
        ...of,
        resolution_link: { url: link(offline), required_parameters: [] },
      },
    ],
    total: 1,
    total_capped: false,
    limit: 50,
    offset: 0,
  });
});

test('items of one instant are ordered by id, so that pages neither repeat nor miss one', async () => {
  const all: string[] = [];
  for (const code of ['device_offline', 'steering_recovery_failed', 'subscription_required'] as const) {
    for (const person of [api.own.user, api.own.staff])
      all.push(await content.raise(await content.deviceOf(person), code));
  }
  const pages = await Promise.all(
    [0, 2, 4].map((offset) => content.ids('listActions', { limit: 2, offset })),
  );
  expect(pages.flat()).toEqual(all.toSorted().toReversed());
  const [first, middle, last] = await Promise.all(
    [0, 2, 5].map((offset) =>
      api.call('listInformation', { query: { limit: 2, offset, device_type: 'inverter' } }),
    ),
  );
  expect(middle?.body).toMatchObject({ total: 6, limit: 2, offset: 2 });
  const relations = (answer: Answer | undefined) =>
    Object.fromEntries(
      [...(answer?.headers['link'] ?? '').matchAll(/<([^>]*)>; rel="(\w+)"/g)].map(
        ([, url = '', relation = '']) => [relation, new URL(url).searchParams.get('offset')],
      ),
    );
  expect([first, middle, last].map(relations)).toEqual([
    { first: '0', next: '2', last: '4' },
    { first: '0', prev: '0', next: '4', last: '4' },
    { first: '0', prev: '3', last: '4' },
  ]);
  expect(middle?.headers['link']).toContain(
    `<${api.baseUrl}/api/partners/v2.0/org/${api.own.orgId}/notifications/information?`,
  );
  expect(middle?.headers['link']).toContain('device_type=inverter');
});

test('the status counts pending actions and unread notices by type', async () => {
  const heatPump = await content.deviceOf(api.own.user, 'heat_pump');
  const car = await content.deviceOf(api.own.staff, 'electric_vehicle');
  await content.raise(heatPump, 'device_offline');
  await content.raise(heatPump, 'subscription_required');
  await content.raise(heatPump, 'reauthenticate');
  await content.raise(car, 'reauthenticate');
  await content.broadcast('Maintenance tonight.');
  const status = async (query: Call['query'] = {}) =>
    (await api.call('getNotificationStatus', { query })).body;
  const heatPumps = { action_required: 1, information_available: 2 };
  const cars = { action_required: 1, information_available: 0 };
  expect(await status()).toEqual({
    electric_vehicle: cars,
    heat_pump: heatPumps,
    inverter: nothing,
    wallbox: nothing,
  });
  expect(await status({ owner_id: api.own.staff.id.toUpperCase() })).toEqual({
    electric_vehicle: cars,
    heat_pump: nothing,
    inverter: nothing,
    wallbox: nothing,
  });
});

describe('the end of a notice', () => {
  test('reconnecting takes it off the actions and counts and marks it as cleared, not as dismissed', async () => {
    const device = await content.deviceOf(api.own.user);
    const offline = await content.raise(device, 'device_offline');
    const steering = await content.raise(device, 'steering_recovery_failed', 1);
    const now = new Date(start.getTime() + 60_000);
    await api.db.transaction().execute((tx) => endCondition(tx, { ...device, code: 'device_offline', now }));
    expect(await content.ids('listActions')).toEqual([steering]);
    expect((await api.call('getNotificationStatus')).body.inverter).toEqual({
      action_required: 0,
      information_available: 1,
    });
    const { items } = (await api.call('listInformation')).body;
    expect(items.map((item: Record<string, unknown>) => [item.id, item.dismissed, item.cleared_at])).toEqual([
      [steering, false, null],
      [offline, false, now.toISOString()],
    ]);
  });

  test('dismissal takes it off the actions and counts; it stays in the information as dismissed', async () => {
    const device = await content.deviceOf(api.own.user);
    const offline = await content.raise(device, 'device_offline');
    const { items } = (await api.call('listActions')).body;
    expect((await content.resolve(items[0].resolution)).body).toEqual({});
    expect(await content.ids('listActions')).toEqual([]);
    expect((await api.call('getNotificationStatus')).body.inverter).toEqual(nothing);
    const { items: history } = (await api.call('listInformation')).body;
    expect(history).toMatchObject([{ id: offline, dismissed: true, cleared_at: null }]);
    const again = { ...device, code: 'device_offline' as const, now: api.clock.now() };
    expect((await api.db.transaction().execute((tx) => raiseCondition(tx, again)))?.changed).toBe(false);
    await api.db.transaction().execute((tx) => endCondition(tx, again));
    expect((await api.db.transaction().execute((tx) => raiseCondition(tx, again)))?.changed).toBe(true);
  });

  test('items of a deleted user are gone from every call', async () => {
    const owner = { id: await addUser(api.db, api.own.orgId, start), orgId: api.own.orgId };
    await content.raise(await content.deviceOf(owner), 'device_offline');
    expect(await content.ids('listActions', { owner_id: owner.id })).toHaveLength(1);
    await api.db.updateTable('users').set({ deleted_at: start }).where('id', '=', owner.id).execute();
    expect([await content.ids('listActions'), await content.ids('listInformation')]).toEqual([[], []]);
    expect((await api.call('getNotificationStatus')).body.inverter).toEqual(nothing);
  });
});
