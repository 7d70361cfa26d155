import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, vi, test } from 'vitest';
import { CONDITION_CODES } from '../../src/domain/notifications/conditions.ts';
import { endCondition } from '../../src/conditions/end-condition.ts';
import { raiseCondition } from '../../src/conditions/raise-condition.ts';
import { startApi, type Api } from '../support/api.ts';
import type { Answer } from '../support/api-client.ts';
import { addDevice, addFleet, addUser, type SimulatedFleet } from '../support/fleet-records.ts';

const url = 'https://partner.example.com/hook';

let api: Api;
let fleet: SimulatedFleet;
let userId: string;
let deviceId: string;
const wakeDispatcher = vi.fn<() => void>();

beforeAll(async () => {
  api = await startApi({ services: { wakeDispatcher } });
});
afterAll(() => api.close());
beforeEach(async () => {
  fleet = await addFleet(api.db, api.own.orgId, api.clock.now());
  userId = await addUser(api.db, fleet.orgId, api.clock.now());
  deviceId = await addDevice(api.db, { ...fleet, userId }, api.clock.now());
  wakeDispatcher.mockClear();
});

function trigger(
  code: string,
  overrides: { device_id?: string; job_id?: string; org_id?: string } = {},
): Promise<Answer> {
  const path = { job_id: fleet.fleetId, device_id: deviceId, ...overrides };
  return api.call('triggerDeviceEvent', { path, body: { code } });
}

async function subscribe(topics: readonly string[]): Promise<string> {
  const { body } = await api.call('createWebhook', { path: { org_id: fleet.orgId }, body: { url, topics } });
  return body.id as string;
}

/** Everything that the simulation organization's conditions have written. */
async function written() {
  const conditions = await api.db
    .selectFrom('device_conditions')
    .select(['device_id', 'code', 'active', 'changed_at'])
    .where('org_id', '=', fleet.orgId)
    .orderBy('code')
    .execute();
  const items = await api.db
    .selectFrom('notification_items')
    .select([
      'kind',
      'code',
      'device_id',
      'device_type',
      'owner_id',
      'occurred_at',
      'cleared_at',
      'dismissed_at',
    ])
    .where('org_id', '=', fleet.orgId)
    .orderBy('occurred_at')
    .orderBy('code')
    .execute();
  const messages = await api.db
    .selectFrom('messages')
    .select(['id', 'message_type', 'occurred_at', 'payload'])
    .where('org_id', '=', fleet.orgId)
    .orderBy('occurred_at')
    .execute();
  const deliveries = await api.db
    .selectFrom('deliveries')
    .select(['message_id', 'webhook_id', 'state', 'request_id'])
    .where('org_id', '=', fleet.orgId)
    .execute();
  return { conditions, items, messages, deliveries };
}

describe('raising', () => {
  test.each(CONDITION_CODES)(
    '%s writes condition, item, message and deliveries, and wakes the dispatcher',
    async (code) => {
      const topic = code === 'reauthenticate' ? 'device.action_required' : 'device.information';
      const webhook = await subscribe([topic]);
      await subscribe([topic === 'device.information' ? 'device.action_required' : 'device.information']);
      const now = api.clock.now();
      const answer = await trigger(code);
      expect([answer.status, answer.body]).toEqual([
        200,
        { device_id: deviceId, code, changed: true, occurred_at: now.toISOString() },
      ]);
      const { conditions, items, messages, deliveries } = await written();
      expect(conditions).toEqual([{ device_id: deviceId, code, active: true, changed_at: now }]);
      expect(items).toEqual([
        {
          kind: code === 'reauthenticate' ? 'action' : 'information',
          code,
          device_id: deviceId,
          device_type: 'inverter',
          owner_id: userId,
          occurred_at: now,
          cleared_at: null,
          dismissed_at: null,
        },
      ]);
      const [message] = messages;
      expect(messages).toHaveLength(1);
      expect(JSON.parse(String(message?.payload))).toEqual({
        message_id: message?.id,
        message_type: topic,
        schema_version: 1,
        occurred_at: now.toISOString(),
        data: {
          device_id: deviceId,
          device_type: 'inverter',
          owner_id: userId,
          ...(code === 'reauthenticate' ? { action: 'reauthentication_required' } : { notice: code }),
        },
      });
      const request_id = answer.headers['x-request-id'];
      expect(deliveries).toEqual([
        { message_id: message?.id, webhook_id: webhook, state: 'pending', request_id },
      ]);
      expect(wakeDispatcher).toHaveBeenCalledTimes(1);
    },
  );

  test('what is there already changes nothing and tells since when it is so', async () => {
    const began = api.clock.now();
    await trigger('device_offline');
    const before = await written();
    wakeDispatcher.mockClear();
    api.clock.advance(60_000);
    const again = await trigger('device_offline');
    expect(again.body).toEqual({
      device_id: deviceId,
      code: 'device_offline',
      changed: false,
      occurred_at: began.toISOString(),
    });
    expect(await written()).toEqual(before);
    expect(wakeDispatcher).not.toHaveBeenCalled();
  });

  test('twenty times at once makes one item and one message', async () => {
    await subscribe(['device.information']);
    const answers = await Promise.all(Array.from({ length: 20 }, () => trigger('device_offline')));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(answers.filter(({ body }) => body.changed as boolean)).toHaveLength(1);
    const { items, messages, deliveries } = await written();
    expect([items.length, messages.length, deliveries.length]).toEqual([1, 1, 1]);
  });

  test('leaves nothing behind when its transaction fails', async () => {
    await subscribe(['device.information']);
    const failing = api.db.transaction().execute(async (tx) => {
      const event = { orgId: fleet.orgId, deviceId, code: 'device_offline', now: api.clock.now() } as const;
      expect((await raiseCondition(tx, event))?.changed).toBe(true);
      throw new Error('after the condition');
    });
    await expect(failing).rejects.toThrow('after the condition');
    expect(await written()).toEqual({ conditions: [], items: [], messages: [], deliveries: [] });
  });

  test('of a device whose owner was deleted finds no device', async () => {
    await api.db.updateTable('users').set({ deleted_at: api.clock.now() }).where('id', '=', userId).execute();
    expect((await trigger('device_offline')).status).toBe(404);
    const event = { orgId: fleet.orgId, deviceId, code: 'device_offline', now: api.clock.now() } as const;
    expect(await api.db.transaction().execute((tx) => raiseCondition(tx, event))).toBeUndefined();
  });
});

describe('reconnecting', () => {
  test('clears the outage without a message; a later outage is a new item and message', async () => {
    await subscribe(['device.information']);
    const [first, back, second] = [0, 1, 2].map(
      (hours) => new Date(api.clock.now().getTime() + hours * 3_600_000),
    );
    await trigger('device_offline');
    api.clock.set(back ?? '');
    wakeDispatcher.mockClear();
    expect((await trigger('reconnect')).body).toEqual({
      device_id: deviceId,
      code: 'reconnect',
      changed: true,
      occurred_at: back?.toISOString(),
    });
    expect(wakeDispatcher).not.toHaveBeenCalled();
    expect((await written()).messages).toHaveLength(1);
    api.clock.set(second ?? '');
    expect((await trigger('reconnect')).body).toMatchObject({
      changed: false,
      occurred_at: back?.toISOString(),
    });
    expect((await trigger('device_offline')).body.changed).toBe(true);
    const { items, messages, conditions } = await written();
    expect(items.map(({ occurred_at, cleared_at }) => [occurred_at, cleared_at])).toEqual([
      [first, back],
      [second, null],
    ]);
    expect(messages.map(({ occurred_at }) => occurred_at)).toEqual([first, second]);
    expect(conditions).toEqual([
      { device_id: deviceId, code: 'device_offline', active: true, changed_at: second },
    ]);
  });

  test('of a device that was never away changes nothing', async () => {
    const answer = await trigger('reconnect');
    expect(answer.body).toMatchObject({ changed: false, occurred_at: api.clock.now().toISOString() });
    expect((await written()).items).toEqual([]);
  });

  test('leaves the other conditions of the device, and other devices, as they are', async () => {
    const other = await addDevice(api.db, { ...fleet, userId }, api.clock.now(), 'wallbox');
    for (const code of CONDITION_CODES) await trigger(code);
    await trigger('device_offline', { device_id: other });
    api.clock.advance(1000);
    await trigger('reconnect');
    const { items, conditions } = await written();
    expect(items.filter(({ cleared_at }) => cleared_at !== null)).toMatchObject([
      { device_id: deviceId, code: 'device_offline' },
    ]);
    expect(conditions.filter(({ active }) => active)).toHaveLength(4);
  });

  test('does not clear items of an earlier time', async () => {
    const event = (now: Date) => ({
      orgId: fleet.orgId,
      deviceId,
      code: 'subscription_required' as const,
      now,
    });
    await trigger('subscription_required');
    const { items } = (await api.call('listInformation', { path: { org_id: fleet.orgId } })).body;
    const secret = new URL(items[0].resolution_link.url as string, url).searchParams.get('secret') ?? '';
    await api.call('resolveNotificationItem', {
      path: { item_id: items[0].id as string },
      query: { secret },
    });
    api.clock.advance(1000);
    const again = await trigger('subscription_required');
    expect(again.body.changed).toBe(true);
    api.clock.advance(1000);
    await api.db.transaction().execute((tx) => endCondition(tx, event(api.clock.now())));
    expect(
      (await written()).items.map(({ cleared_at, dismissed_at }) => [
        cleared_at !== null,
        dismissed_at !== null,
      ]),
    ).toEqual([
      [false, true],
      [true, false],
    ]);
  });
});

describe('access', () => {
  test('an unknown code is refused, after fleet and device were found', async () => {
    const answer = await trigger('explode');
    expect([answer.status, answer.body.errors]).toMatchObject([422, [{ pointer: '/code', code: 'enum' }]]);
    expect((await trigger('explode', { device_id: randomUUID() })).status).toBe(404);
  });

  test('a fleet or device that is not there, or is another fleet’s, is 404', async () => {
    const other = await addFleet(api.db, api.own.orgId, api.clock.now());
    const theirs = await addFleet(api.db, api.foreign.orgId, api.clock.now());
    const answers = [
      await trigger('device_offline', { job_id: randomUUID() }),
      await trigger('device_offline', { device_id: randomUUID() }),
      await trigger('device_offline', { job_id: other.fleetId }),
      await trigger('device_offline', { job_id: theirs.fleetId }),
      await trigger('device_offline', { org_id: fleet.orgId }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
  });

  test.each([
    ['running', 200],
    ['expanding', 200],
    ['stopped', 409],
    ['queued', 409],
  ] as const)('in a fleet that is %s the answer is %d', async (status, expected) => {
    fleet = await addFleet(api.db, api.own.orgId, api.clock.now(), status);
    userId = await addUser(api.db, fleet.orgId, api.clock.now());
    deviceId = await addDevice(api.db, { ...fleet, userId }, api.clock.now());
    const answer = await trigger('device_offline');
    expect(answer.status).toBe(expected);
    if (expected === 409) expect(answer.body.code).toBe('fleet_state_conflict');
  });

  test('users may not call it, staff may', async () => {
    const path = { job_id: fleet.fleetId, device_id: deviceId };
    const call = (token: string) =>
      api.call('triggerDeviceEvent', { path, body: { code: 'reconnect' }, token });
    expect((await call(api.own.user.token)).body.code).toBe('role_forbidden');
    expect((await call(api.own.staff.token)).status).toBe(200);
  });
});
