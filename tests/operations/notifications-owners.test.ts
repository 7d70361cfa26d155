import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startApi, type Api } from '../support/api.ts';
import { NotificationFixture } from '../support/notification-fixture.ts';
import { addFleet, addUser } from '../support/fleet-records.ts';

type ContentCall = 'getNotificationStatus' | 'listActions' | 'listInformation';
const contentCalls: readonly ContentCall[] = ['getNotificationStatus', 'listActions', 'listInformation'];
const nothing = { action_required: 0, information_available: 0 };

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

describe('broadcasts', () => {
  test('reach every user, are dismissed by each alone, and are not counted', async () => {
    const notice = await content.broadcast('Maintenance tonight.');
    const seen = async (token: string) => {
      const { items } = (await api.call('listInformation', { token })).body;
      return [
        await content.ids('listActions', {}, token),
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
    expect((await content.resolve(items[0].resolution_link, user.token)).body).toEqual({});
    expect((await content.resolve(items[0].resolution_link, user.token)).body).toEqual({});
    expect(await seen(user.token)).toEqual([[], [true]]);
    expect(await seen(staff.token)).toEqual([[notice], [false]]);
    expect((await api.call('getNotificationStatus')).body.inverter).toEqual(nothing);
    const foreign = await api.call('listInformation', { token: api.foreign.user.token });
    expect([foreign.status, foreign.body.code]).toEqual([403, 'organization_forbidden']);
  });

  test('are dismissed for the user whom an admin named, and with nobody else’s link', async () => {
    const notice = await content.broadcast('Maintenance tonight.');
    const { user, staff, admin } = api.own;
    const { items } = (await api.call('listActions', { query: { owner_id: user.id } })).body;
    const theirs = await content.resolve(items[0].resolution, staff.token);
    expect([theirs.status, theirs.body.code]).toEqual([403, 'link_invalid']);
    expect((await content.resolve(items[0].resolution)).status).toBe(200);
    expect(await content.ids('listActions', {}, user.token)).toEqual([]);
    expect(await content.ids('listActions', { owner_id: user.id })).toEqual([]);
    expect(await content.ids('listActions', {}, admin.token)).toEqual([notice]);
    expect(await content.ids('listActions', {}, staff.token)).toEqual([notice]);
  });

  test('of a simulation organization are dismissed by the admin of its parent for itself', async () => {
    const fleet = await addFleet(api.db, api.own.orgId, start);
    await content.broadcast('Simulated.', fleet.orgId);
    const path = { org_id: fleet.orgId };
    const { items } = (await api.call('listActions', { path })).body;
    expect(items).toHaveLength(1);
    expect((await content.resolve(items[0].resolution)).status).toBe(200);
    expect((await api.call('listActions', { path })).body.items).toEqual([]);
    const staff = await api.call('listActions', { path, token: api.own.staff.token });
    expect([staff.status, staff.body.total]).toEqual([200, 0]);
  });
});

describe('owners', () => {
  test.each(contentCalls)(
    '%s shows an admin everybody or one user, others only themselves, staff too',
    async (operation) => {
      const { user, staff, admin } = api.own;
      await content.raise(await content.deviceOf(user, 'wallbox'), 'device_offline');
      await content.raise(await content.deviceOf(staff, 'heat_pump'), 'device_offline');
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
      await content.raise(await content.deviceOf(owner, 'wallbox'), 'device_offline');
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
