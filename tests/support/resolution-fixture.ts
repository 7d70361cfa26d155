import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { ConditionCode } from '../../src/domain/notifications/conditions.ts';
import { raiseCondition } from '../../src/conditions/raise-condition.ts';
import { addPerson, startApi, type Api, type Person } from './api.ts';
import type { Answer } from './api-client.ts';
import { addDevice } from './fleet-records.ts';

export const HOUR = 3_600_000;

export const RETURN_URLS = {
  success_url: 'https://app.partner.example.com:8443/connected?state=a%20b&x=1#done',
  cancel_url: 'http://localhost:3000/devices',
};

export interface Item {
  readonly id: string;
  readonly deviceId: string;
  readonly secret: string;
}

/** The test file's API, and for each test an owner of devices, at the same instant. */
export interface ResolutionFixture {
  api: Api;
  start: Date;
  owner: Person;
}

export function resolutionFixture(): ResolutionFixture {
  const set = {} as ResolutionFixture;
  beforeAll(async () => {
    set.api = await startApi();
    set.start = set.api.clock.now();
  });
  afterAll(() => set.api.close());
  beforeEach(async () => {
    set.api.clock.set(set.start);
    set.owner = await addPerson(set.api.db, set.api.own.orgId, 'user', set.start);
  });
  return set;
}

/** An item of a fresh device, with the secret that an admin reads from the list. */
export async function addActionItem(
  api: Api,
  code: ConditionCode,
  { id, orgId }: { readonly id: string; readonly orgId: string },
): Promise<Item> {
  const now = api.clock.now();
  const deviceId = await addDevice(api.db, { orgId, userId: id }, now, 'electric_vehicle');
  await api.db.transaction().execute((tx) => raiseCondition(tx, { orgId, deviceId, code, now }));
  const list = await api.call('listActions', { path: { org_id: orgId }, query: { device_id: deviceId } });
  const [item] = (list.body as { items: { id: string; resolution: { url: string } }[] }).items;
  const url = new URL(item?.resolution.url ?? '', api.baseUrl);
  return { id: item?.id ?? '', deviceId, secret: url.searchParams.get('secret') ?? '' };
}

export function resolve(
  api: Api,
  item: Item,
  call: { body?: object; token?: string | null; secret?: string } = {},
): Promise<Answer> {
  const { secret = item.secret, ...rest } = call;
  return api.call('resolveNotificationItem', { path: { item_id: item.id }, query: { secret }, ...rest });
}

export function refusal({ status, body }: Answer): unknown[] {
  return [status, (body as { code: string }).code];
}

export async function isPending(api: Api, item: Item): Promise<boolean> {
  const row = await api.db
    .selectFrom('notification_items')
    .select(['cleared_at', 'dismissed_at'])
    .where('id', '=', item.id)
    .executeTakeFirstOrThrow();
  return row.cleared_at === null && row.dismissed_at === null;
}

export async function isActive(api: Api, item: Item, code: ConditionCode): Promise<boolean> {
  const row = await api.db
    .selectFrom('device_conditions')
    .select('active')
    .where('device_id', '=', item.deviceId)
    .where('code', '=', code)
    .executeTakeFirstOrThrow();
  return row.active;
}
