import { randomUUID } from 'node:crypto';
import type { ConditionCode } from '../../src/domain/notifications/conditions.ts';
import type { DeviceType } from '../../src/domain/notifications/envelope.ts';
import { raiseCondition } from '../../src/conditions/raise-condition.ts';
import { tellNotice } from '../../src/conditions/tell-notice.ts';
import type { Api, Person } from './api.ts';
import type { Answer, Call } from './api-client.ts';
import { addDevice } from './fleet-records.ts';

export interface DeviceKey {
  readonly orgId: string;
  readonly deviceId: string;
}

/** What tests of the notification content do, with instants counted from `start`. */
export class NotificationFixture {
  readonly #api: Api;
  readonly #start: Date;

  constructor(api: Api) {
    this.#api = api;
    this.#start = api.clock.now();
  }

  /** No items, and the clock where it was. */
  async reset(): Promise<void> {
    await this.#api.db.deleteFrom('notification_items').execute();
    await this.#api.db.deleteFrom('device_conditions').execute();
    this.#api.clock.set(this.#start);
  }

  async deviceOf(person: Pick<Person, 'id' | 'orgId'>, type: DeviceType = 'inverter'): Promise<DeviceKey> {
    const owner = { orgId: person.orgId, userId: person.id };
    return { orgId: person.orgId, deviceId: await addDevice(this.#api.db, owner, this.#start, type) };
  }

  /** Raises at so many milliseconds after the start and answers the item's id. */
  async raise(device: DeviceKey, code: ConditionCode, atMs = 0): Promise<string> {
    const now = new Date(this.#start.getTime() + atMs);
    await this.#api.db.transaction().execute((tx) => raiseCondition(tx, { ...device, code, now }));
    const item = await this.#api.db
      .selectFrom('notification_items')
      .select('id')
      .where('device_id', '=', device.deviceId)
      .where('code', '=', code)
      .where('occurred_at', '=', now)
      .executeTakeFirstOrThrow();
    return item.id;
  }

  /** Tells that a car will not be charged as was asked, at so many milliseconds after the start; answers the item's id. */
  async tellMissedCharge(car: DeviceKey, owner: Pick<Person, 'id'>, atMs = 0): Promise<string> {
    const device = {
      deviceType: 'electric_vehicle',
      ownerId: owner.id,
      name: 'EV',
      manufacturer: 'A',
    } as const;
    const now = new Date(this.#start.getTime() + atMs);
    const notice = { ...car, device, code: 'charge_target_missed', now } as const;
    const { itemId } = await this.#api.db.transaction().execute((tx) => tellNotice(tx, notice, 1_000));
    return itemId;
  }

  async broadcast(message: string, orgId = this.#api.own.orgId): Promise<string> {
    const id = randomUUID();
    await this.#api.db
      .insertInto('notification_items')
      .values({ org_id: orgId, id, kind: 'information', message, occurred_at: this.#start })
      .execute();
    return id;
  }

  resolve(link: { url: string }, token?: string): Promise<Answer> {
    const url = new URL(link.url, this.#api.baseUrl);
    const path = { item_id: url.pathname.split('/').at(-2) ?? '' };
    const query = { secret: url.searchParams.get('secret') ?? '' };
    return this.#api.call('resolveNotificationItem', {
      path,
      query,
      ...(token === undefined ? {} : { token }),
    });
  }

  /** The ids of a list, in its order. */
  async ids(
    operation: 'listActions' | 'listInformation',
    query: Call['query'] = {},
    token?: string,
  ): Promise<string[]> {
    const answer = await this.#api.call(operation, { query, ...(token === undefined ? {} : { token }) });
    if (answer.status !== 200) throw new Error(`${operation} answers ${answer.text}`);
    return (answer.body as { items: { id: string }[] }).items.map((item) => item.id);
  }
}
