import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { ConditionCode } from '../../src/domain/conditions.ts';
import type { DeviceType } from '../../src/domain/envelope.ts';
import { endCondition, raiseCondition } from '../../src/queries/conditions.ts';
import { startApi, type Api, type Person } from '../support/api.ts';
import type { Answer, Call } from '../support/api-client.ts';
import { addDevice, addFleet, addUser } from '../support/simulated.ts';

type ContentCall = 'getNotificationStatus' | 'listActions' | 'listInformation';
const contentCalls: readonly ContentCall[] = ['getNotificationStatus', 'listActions', 'listInformation'];

let api: Api;
let start: Date;

beforeAll(async () => {
  api = await startApi();
  start = api.clock.now();
});
afterAll(() => api.close());

beforeEach(async () => {
  await api.db.deleteFrom('notification_items').execute();
  await api.db.deleteFrom('device_conditions').execute();
  api.clock.set(start);
});

interface Where {
  readonly orgId: string;
  readonly deviceId: string;
}

async function deviceOf(person: Pick<Person, 'id' | 'orgId'>, type: DeviceType = 'inverter'): Promise<Where> {
  const owner = { orgId: person.orgId, userId: person.id };
  return { orgId: person.orgId, deviceId: await addDevice(api.db, owner, start, type) };
}

/** Raises at so many milliseconds after the start and answers the item's id. */
async function raise(device: Where, code: ConditionCode, atMs = 0): Promise<string> {
  const now = new Date(start.getTime() + atMs);
  await api.db.transaction().execute((tx) => raiseCondition(tx, { ...device, code, now }));
  const item = await api.db
    .selectFrom('notification_items')
    .select('id')
    .where('device_id', '=', device.deviceId)
    .where('code', '=', code)
    .where('occurred_at', '=', now)
    .executeTakeFirstOrThrow();
  return item.id;
}

async function broadcast(message: string, atMs: number, orgId = api.own.orgId): Promise<string> {
  const id = randomUUID();
  const occurred_at = new Date(start.getTime() + atMs);
  await api.db
    .insertInto('notification_items')
    .values({ org_id: orgId, id, kind: 'information', message, occurred_at })
    .execute();
  return id;
}

function resolve(link: { url: string }, token?: string): Promise<Answer> {
  const url = new URL(link.url, api.baseUrl);
  const path = { item_id: url.pathname.split('/').at(-2) ?? '' };
  const query = { secret: url.searchParams.get('secret') ?? '' };
  return api.call('resolveNotificationItem', { path, query, ...(token === undefined ? {} : { token }) });
}

async function ids(operation: 'listActions' | 'listInformation', query: Call['query'] = {}, token?: string) {
  const answer = await api.call(operation, { query, ...(token === undefined ? {} : { token }) });
  expect(answer.status).toBe(200);
  return answer.body.items.map((item: { id: string }) => item.id) as string[];
}

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
    expect(body).toEqual({ items: [], total: 0, limit: 50, offset: 0 });
  }
});

test('items have the specified shapes, keep their id, and come newest first', async () => {
  const device = await deviceOf(api.own.user, 'heat_pump');
  const offline = await raise(device, 'device_offline', 1);
  const session = await raise(device, 'reauthenticate', 2);
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
    limit: 50,
    offset: 0,
  });
});

test('items of one instant are ordered by id, so that pages neither repeat nor miss one', async () => {
  const all: string[] = [];
  for (const code of ['device_offline', 'steering_recovery_failed', 'subscription_required'] as const) {
    for (const person of [api.own.user, api.own.staff]) all.push(await raise(await deviceOf(person), code));
  }
  const pages = await Promise.all([0, 2, 4].map((offset) => ids('listActions', { limit: 2, offset })));
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
  const heatPump = await deviceOf(api.own.user, 'heat_pump');
  const car = await deviceOf(api.own.staff, 'electric_vehicle');
  await raise(heatPump, 'device_offline');
  await raise(heatPump, 'subscription_required');
  await raise(heatPump, 'reauthenticate');
  await raise(car, 'reauthenticate');
  await broadcast('Maintenance tonight.', 0);
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

describe('filters', () => {
  test('by device, type and code; several codes are any of them; all filters must hold', async () => {
    const [pump, car] = [
      await deviceOf(api.own.user, 'heat_pump'),
      await deviceOf(api.own.user, 'electric_vehicle'),
    ];
    const offline = await raise(pump, 'device_offline', 1);
    const session = await raise(pump, 'reauthenticate', 2);
    const carOffline = await raise(car, 'device_offline', 3);
    const subscription = await raise(car, 'subscription_required', 4);
    const notice = await broadcast('Maintenance tonight.', 5);
    expect(await ids('listActions')).toEqual([notice, subscription, carOffline, session, offline]);
    expect(await ids('listActions', { device_id: pump.deviceId.toUpperCase() })).toEqual([session, offline]);
    expect(await ids('listActions', { device_type: 'electric_vehicle' })).toEqual([subscription, carOffline]);
    expect(await ids('listActions', { code: 'reauthenticate' })).toEqual([session]);
    expect(await ids('listActions', { code: 'device_offline' })).toEqual([carOffline, offline]);
    expect(await ids('listActions', { code: ['device_offline', 'reauthenticate', 'new_code'] })).toEqual([
      carOffline,
      session,
      offline,
    ]);
    expect(await ids('listActions', { code: 'device_offline', device_id: pump.deviceId })).toEqual([offline]);
    expect(await ids('listActions', { device_id: randomUUID() })).toEqual([]);
    for (const code of ['information', 'unknown', '\0', 'device_offline\0']) {
      expect([code, await ids('listActions', { code }), await ids('listInformation', { code })]).toEqual([
        code,
        [],
        [],
      ]);
    }
    expect(await ids('listInformation')).toEqual([notice, subscription, carOffline, offline]);
    expect(await ids('listInformation', { code: ['device_offline', 'subscription_required'] })).toEqual([
      subscription,
      carOffline,
      offline,
    ]);
    expect(await ids('listInformation', { code: 'reauthenticate' })).toEqual([]);
    expect(await ids('listInformation', { device_type: 'heat_pump' })).toEqual([offline]);
    expect(await ids('listInformation', { device_id: car.deviceId, limit: 1 })).toEqual([subscription]);
  });

  test('by time are inclusive to the millisecond; naive values are UTC, offsets count', async () => {
    const device = await deviceOf(api.own.user);
    const session = await raise(device, 'reauthenticate', 0);
    const offline = await raise(device, 'device_offline', 1);
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
      [{ created_after: '0000-01-01T00:00:00+14:00' }, [offline, session]],
    ];
    for (const [query, expected] of cases) {
      expect([query, await ids('listActions', query)]).toEqual([query, expected]);
      const notices = expected.filter((id) => id === offline);
      expect([query, await ids('listInformation', query)]).toEqual([query, notices]);
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

describe('the end of a notice', () => {
  test('reconnecting takes it off the actions and counts and marks it as cleared, not as dismissed', async () => {
    const device = await deviceOf(api.own.user);
    const offline = await raise(device, 'device_offline');
    const steering = await raise(device, 'steering_recovery_failed', 1);
    const now = new Date(start.getTime() + 60_000);
    await api.db.transaction().execute((tx) => endCondition(tx, { ...device, code: 'device_offline', now }));
    expect(await ids('listActions')).toEqual([steering]);
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
    const device = await deviceOf(api.own.user);
    const offline = await raise(device, 'device_offline');
    const { items } = (await api.call('listActions')).body;
    expect((await resolve(items[0].resolution)).body).toEqual({});
    expect(await ids('listActions')).toEqual([]);
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
    await raise(await deviceOf(owner), 'device_offline');
    expect(await ids('listActions', { owner_id: owner.id })).toHaveLength(1);
    await api.db.updateTable('users').set({ deleted_at: start }).where('id', '=', owner.id).execute();
    expect([await ids('listActions'), await ids('listInformation')]).toEqual([[], []]);
    expect((await api.call('getNotificationStatus')).body.inverter).toEqual(nothing);
  });
});

describe('broadcasts', () => {
  test('reach every user, are dismissed by each alone, and are not counted', async () => {
    const notice = await broadcast('Maintenance tonight.', 0);
    const seen = async (token: string) => {
      const { items } = (await api.call('listInformation', { token })).body;
      return [
        await ids('listActions', {}, token),
        items.map((item: { dismissed: boolean }) => item.dismissed),
      ];
    };
    const { user, staff, admin } = api.own;
    for (const { token } of [user, staff, admin]) expect(await seen(token)).toEqual([[notice], [false]]);
    const { items } = (await api.call('listInformation', { token: user.token })).body;
    expect(items).toMatchObject([
      {
        code: null,
        message: 'Maintenance tonight.',
        device_id: null,
        device_type: null,
        owner_id: null,
        cleared_at: null,
      },
    ]);
    expect((await resolve(items[0].resolution_link, user.token)).body).toEqual({});
    expect((await resolve(items[0].resolution_link, user.token)).body).toEqual({});
    expect(await seen(user.token)).toEqual([[], [true]]);
    expect(await seen(staff.token)).toEqual([[notice], [false]]);
    expect((await api.call('getNotificationStatus')).body.inverter).toEqual(nothing);
    expect(await seen(api.foreign.user.token).catch(() => 'forbidden')).toBe('forbidden');
  });

  test('are dismissed for the user whom an admin named, and with nobody else’s link', async () => {
    const notice = await broadcast('Maintenance tonight.', 0);
    const { user, staff, admin } = api.own;
    const { items } = (await api.call('listActions', { query: { owner_id: user.id } })).body;
    const theirs = await resolve(items[0].resolution, staff.token);
    expect([theirs.status, theirs.body.code]).toEqual([403, 'link_invalid']);
    expect((await resolve(items[0].resolution)).status).toBe(200);
    expect(await ids('listActions', {}, user.token)).toEqual([]);
    expect(await ids('listActions', { owner_id: user.id })).toEqual([]);
    expect(await ids('listActions', {}, admin.token)).toEqual([notice]);
    expect(await ids('listActions', {}, staff.token)).toEqual([notice]);
  });

  test('of a simulation organization cannot be dismissed by somebody who is not in it', async () => {
    const fleet = await addFleet(api.db, api.own.orgId, start);
    await broadcast('Simulated.', 0, fleet.orgId);
    const path = { org_id: fleet.orgId };
    const { items } = (await api.call('listActions', { path })).body;
    expect(items).toHaveLength(1);
    expect((await resolve(items[0].resolution)).status).toBe(404);
    const staff = await api.call('listActions', { path, token: api.own.staff.token });
    expect([staff.status, staff.body.total]).toEqual([200, 0]);
  });
});

describe('owners', () => {
  test.each(contentCalls)(
    '%s shows an admin everybody or one user, others only themselves, staff too',
    async (operation) => {
      const { user, staff, admin } = api.own;
      await raise(await deviceOf(user, 'wallbox'), 'device_offline');
      await raise(await deviceOf(staff, 'heat_pump'), 'device_offline');
      const seen = async (token: string, owner_id?: string) => {
        const { status, body } = await api.call(operation, {
          token,
          query: owner_id === undefined ? {} : { owner_id },
        });
        if (status !== 200) return body.code as string;
        return operation === 'getNotificationStatus'
          ? (['heat_pump', 'wallbox'] as const).filter((type) => body[type].information_available > 0)
          : body.items.map((item: { device_type: string }) => item.device_type).toSorted();
      };
      expect(await seen(admin.token)).toEqual(['heat_pump', 'wallbox']);
      expect(await seen(admin.token, user.id)).toEqual(['wallbox']);
      expect(await seen(admin.token, admin.id)).toEqual([]);
      expect(await seen(admin.token, randomUUID())).toBe('not_found');
      expect(await seen(admin.token, api.foreign.user.id)).toBe('not_found');
      for (const [person, own] of [
        [user, ['wallbox']],
        [staff, ['heat_pump']],
      ] as const) {
        expect(await seen(person.token)).toEqual(own);
        expect(await seen(person.readToken)).toEqual(own);
        expect(await seen(person.token, person.id.toUpperCase())).toEqual(own);
        for (const other of [user, staff, admin, { id: randomUUID() }]) {
          if (other.id !== person.id) expect(await seen(person.token, other.id)).toBe('owner_forbidden');
        }
      }
      expect(await seen(api.foreign.admin.token)).toBe('organization_forbidden');
      expect((await api.call(operation, { token: null })).status).toBe(401);
    },
  );

  test.each(contentCalls)(
    '%s works for the partner’s admin in its simulation organization',
    async (operation) => {
      const fleet = await addFleet(api.db, api.own.orgId, start);
      const owner = { id: await addUser(api.db, fleet.orgId, start), orgId: fleet.orgId };
      await raise(await deviceOf(owner, 'wallbox'), 'device_offline');
      const path = { org_id: fleet.orgId };
      const seen = async (token: string, owner_id?: string) => {
        const query = owner_id === undefined ? {} : { owner_id };
        const { status, body } = await api.call(operation, { path, token, query });
        if (status !== 200) return body.code as string;
        return operation === 'getNotificationStatus' ? body.wallbox.information_available : body.total;
      };
      const { admin, staff, user } = api.own;
      expect([await seen(admin.token), await seen(admin.token, owner.id)]).toEqual([1, 1]);
      expect(await seen(admin.token, admin.id)).toBe('not_found');
      expect([await seen(staff.token), await seen(staff.token, owner.id)]).toEqual([0, 'owner_forbidden']);
      expect(await seen(user.token)).toBe('organization_forbidden');
      expect(await seen(api.foreign.admin.token)).toBe('organization_forbidden');
    },
  );
});
