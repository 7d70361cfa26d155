// What goes wrong in the world of the portal, so that its pages have something to tell.
import { encodeCursor } from '../../src/domain/api/cursor.ts';
import { MINUTE_MS } from '../../src/domain/api/durations.ts';
import { MOST_ATTEMPTS } from '../../src/domain/notifications/retry.ts';
import { until } from '../process/partner.ts';
import type { PortalWorld } from './portal-world.ts';

export interface PortalTroubles {
  /** The page of a request that was refused. */
  readonly refusedPath: string;
  /** Ids of the notice of an outage in the simulation, and of one that a person has written. */
  readonly outageId: string;
  readonly noticeId: string;
}

/** A refused request, a vehicle that is offline, a notice to all, and a message that was given up. */
export async function addTroubles(world: PortalWorld): Promise<PortalTroubles> {
  const { api } = world;
  await api.call('POST', '/users', { email: 'anna.huber@sun-and-sons.example', role: 'owner' });
  await api.call('POST', '/notifications/information', {
    message: 'On 2 December devices rest from 02:00 to 03:00.',
  });
  const [, vehicle, other] = await listVehicles(world);
  await raise(world, vehicle, 'device_offline');
  await raise(world, other, 'reauthenticate');
  await giveUp(world);
  return {
    refusedPath: await findRefused(world),
    outageId: await findItem(world, world.fleet.simulationOrgId, '&code=device_offline'),
    noticeId: await findItem(world, world.orgId, ''),
  };
}

async function listVehicles({ api, fleet }: PortalWorld): Promise<readonly string[]> {
  const path = `/device-simulator/fleets/${fleet.jobId}/devices?device_type=electric_vehicle`;
  const { body } = await api.call<{ items: { device_id: string }[] }>('GET', path);
  return body.items.map(({ device_id: id }) => id);
}

async function raise({ api, fleet }: PortalWorld, device = '', code: string): Promise<void> {
  const path = `/device-simulator/fleets/${fleet.jobId}/devices/${device}/events`;
  const { status } = await api.call('POST', path, { code });
  if (status !== 200) throw new Error(`The event was answered ${status}.`);
}

async function findItem({ api }: PortalWorld, orgId: string, filter: string): Promise<string> {
  const path = `/notifications/information?limit=1${filter}`;
  const { body } = await api.at({ orgId }).call<{ items: { id: string }[] }>('GET', path);
  return body.items[0]?.id ?? '';
}

/**
 * Gives the newest message of the simulation's webhook up, once its first attempt has failed, as if all had, five minutes apart up to
 * ten minutes ago; each has its row, so that the webhook is failing from the first page on.
 */
async function giveUp({ db, webhooks }: PortalWorld): Promise<void> {
  const find = () =>
    db
      .selectFrom('deliveries')
      .selectAll()
      .where('webhook_id', '=', webhooks.simulation)
      .orderBy('created_at', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow();
  const { message_id: id } = await until(find, ({ attempts }) => attempts > 0);
  const begins = Array.from(
    { length: MOST_ATTEMPTS },
    (_, index) => new Date(Date.now() - (10 + 5 * (MOST_ATTEMPTS - 1 - index)) * MINUTE_MS),
  );
  const [queued = new Date(), last = queued] = [begins[0], begins.at(-1)];
  const message = { created_at: queued, occurred_at: queued };
  await db.updateTable('messages').set(message).where('id', '=', id).execute();
  await db
    .updateTable('deliveries')
    .set({ state: 'exhausted', attempts: MOST_ATTEMPTS, created_at: queued, finished_at: last })
    .where('message_id', '=', id)
    .execute();
  const first = await db
    .deleteFrom('delivery_attempts')
    .where('message_id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  const rows = begins.map((started_at, index) => ({ ...first, attempt: index + 1, started_at }));
  await db.insertInto('delivery_attempts').values(rows).execute();
}

/** The log is written a second after the answer. */
async function findRefused({ db, orgId }: PortalWorld): Promise<string> {
  const find = () =>
    db
      .selectFrom('logged_requests')
      .select(['sent_at', 'id'])
      .where('org_id', '=', orgId)
      .where('status', '>=', 400)
      .executeTakeFirst();
  const found = await until(find, (each) => each !== undefined);
  if (found === undefined) throw new Error('No request was refused.');
  return `/portal/requests/${encodeCursor({ createdAt: found.sent_at, id: found.id })}/`;
}
