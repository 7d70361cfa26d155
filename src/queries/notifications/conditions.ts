import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { v7 as timeOrderedUuid } from 'uuid';
import {
  conditionMessage,
  endsOnDismissal,
  itemKindOf,
  type ConditionCode,
} from '../../domain/notifications/conditions.ts';
import { encodeEnvelope, type DeviceType } from '../../domain/notifications/envelope.ts';
import type { FleetStatus } from '../../domain/fleets/fleet-states.ts';
import { notificationText } from '../../domain/notifications/notification-texts.ts';
import type { Db, Tx } from '../connection/database.ts';
import { insertMessageWithDeliveries } from '../deliveries/deliveries.ts';

/**
 * A condition of a device in its (simulation) organization; `now` is when it began or ended. Who comes late (the clock
 * of planned faults, a call that waited for another) changes it at the instant of the change before, never earlier.
 */
export interface ConditionEvent {
  readonly orgId: string;
  readonly deviceId: string;
  readonly code: ConditionCode;
  readonly now: Date;
  /** The call that raises it; none where the clock of faults does. */
  readonly requestId?: string;
}

export interface ConditionChange {
  /** False when the device was in that condition (or out of it) already: then nothing was written. */
  readonly changed: boolean;
  /** When it came to be so. */
  readonly changedAt: Date;
}

/**
 * Raises a condition: the condition's row, the notification item, the message and its deliveries, all or nothing.
 * Whoever comes second waits for the first one's row and then finds the condition raised, so that an outage is told
 * once. That still holds when its notice was dismissed. Undefined when there is no such device, or its owner was
 * deleted. Wake the dispatcher after the commit.
 */
export async function raiseCondition(tx: Tx, event: ConditionEvent): Promise<ConditionChange | undefined> {
  const { orgId, deviceId, code } = event;
  const device = await findDevice(tx, orgId, deviceId);
  if (device === undefined) return undefined;
  const raised = await tx
    .insertInto('device_conditions')
    .values({ org_id: orgId, device_id: deviceId, code, active: true, changed_at: event.now })
    .onConflict((conflict) =>
      conflict
        .columns(['org_id', 'device_id', 'code'])
        .doUpdateSet({
          active: true,
          changed_at: sql<Date>`greatest(device_conditions.changed_at, excluded.changed_at)`,
        })
        .where('device_conditions.active', '=', false),
    )
    .returning('changed_at')
    .executeTakeFirst();
  if (raised === undefined)
    return { changed: false, changedAt: (await lockCondition(tx, event))?.changed_at ?? event.now };
  const now = raised.changed_at;
  await tx
    .insertInto('notification_items')
    .values({
      org_id: orgId,
      id: randomUUID(),
      kind: itemKindOf(code),
      code,
      device_id: deviceId,
      device_type: device.deviceType,
      owner_id: device.ownerId,
      message: notificationText(code, device),
      occurred_at: now,
    })
    .execute();
  // Messages of one time lie side by side in their tables, so that a claim from a long backlog reads few pages.
  const id = timeOrderedUuid({ msecs: now.getTime() });
  const content = conditionMessage(code, { deviceId, ...device });
  const payload = encodeEnvelope(id, content, now);
  const message = { org_id: orgId, id, message_type: content.type, occurred_at: now, payload };
  await insertMessageWithDeliveries(tx, { ...message, request_id: event.requestId }, now);
  return { changed: true, changedAt: now };
}

/** Ends a condition and clears its item, also one that was dismissed. No message tells of it. */
export async function endCondition(tx: Tx, event: ConditionEvent): Promise<ConditionChange> {
  const condition = await lockCondition(tx, event);
  if (condition?.active !== true) return { changed: false, changedAt: condition?.changed_at ?? event.now };
  const now = event.now > condition.changed_at ? event.now : condition.changed_at;
  await deactivate(tx, { ...event, now });
  await tx
    .updateTable('notification_items')
    .set({ cleared_at: now })
    .where('org_id', '=', event.orgId)
    .where('device_id', '=', event.deviceId)
    .where('code', '=', event.code)
    .where('cleared_at', 'is', null)
    // Not the dismissed items of earlier times, which did not end by themselves.
    .where('occurred_at', '>=', condition.changed_at)
    .execute();
  return { changed: true, changedAt: now };
}

/**
 * Puts an information item away; again is a no-op. Where dismissal is what ends the condition, it ends too, so
 * that it can be raised again. The condition is locked before the item, as `endCondition` does.
 */
export async function dismissInformation(
  tx: Tx,
  item: {
    readonly org_id: string;
    readonly id: string;
    readonly device_id: string | null;
    readonly code: string | null;
  },
  now: Date,
): Promise<void> {
  const code = item.code as ConditionCode | null;
  const event =
    item.device_id !== null && code !== null && endsOnDismissal(code)
      ? { orgId: item.org_id, deviceId: item.device_id, code, now }
      : undefined;
  const condition = event === undefined ? undefined : await lockCondition(tx, event);
  const dismissed = await tx
    .updateTable('notification_items')
    .set({ dismissed_at: now })
    .where('org_id', '=', item.org_id)
    .where('id', '=', item.id)
    .where('dismissed_at', 'is', null)
    .returning('cleared_at')
    .executeTakeFirst();
  // A cleared item belongs to an earlier time than the condition that holds now.
  if (event !== undefined && condition?.active === true && dismissed?.cleared_at === null)
    await deactivate(tx, event);
}

interface ConditionKey {
  readonly orgId: string;
  readonly deviceId: string;
  readonly code: ConditionCode;
}

function lockCondition(tx: Tx, { orgId, deviceId, code }: ConditionKey) {
  return tx
    .selectFrom('device_conditions')
    .select(['active', 'changed_at'])
    .where('org_id', '=', orgId)
    .where('device_id', '=', deviceId)
    .where('code', '=', code)
    .forUpdate()
    .executeTakeFirst();
}

async function deactivate(tx: Tx, { orgId, deviceId, code, now }: ConditionEvent): Promise<void> {
  await tx
    .updateTable('device_conditions')
    .set({ active: false, changed_at: now })
    .where('org_id', '=', orgId)
    .where('device_id', '=', deviceId)
    .where('code', '=', code)
    .execute();
}

interface ConditionDevice {
  readonly deviceType: DeviceType;
  readonly ownerId: string;
  readonly name: string;
  readonly manufacturer: string;
}

/** A device whose owner lives. */
export function findDevice(
  db: Db | Tx,
  orgId: string,
  deviceId: string,
): Promise<ConditionDevice | undefined> {
  return db
    .selectFrom('devices')
    .innerJoin('users', (join) =>
      join.onRef('users.org_id', '=', 'devices.org_id').onRef('users.id', '=', 'devices.user_id'),
    )
    .select([
      'devices.device_type as deviceType',
      'devices.user_id as ownerId',
      'devices.name as name',
      'devices.manufacturer as manufacturer',
    ])
    .where('devices.org_id', '=', orgId)
    .where('devices.id', '=', deviceId)
    .where('users.deleted_at', 'is', null)
    .executeTakeFirst();
}

export interface EventFleet {
  readonly status: FleetStatus;
  readonly simulationOrgId: string;
}

/** The fleet; within a transaction its status stays what it is until the commit, without holding up other events. */
export function findEventFleet(db: Db | Tx, orgId: string, fleetId: string): Promise<EventFleet | undefined> {
  let query = db
    .selectFrom('fleets')
    .select(['status', 'simulation_org_id as simulationOrgId'])
    .where('org_id', '=', orgId)
    .where('id', '=', fleetId);
  if (db.isTransaction) query = query.forShare();
  return query.executeTakeFirst();
}

/** Whether the device belongs to the fleet and its owner lives. */
export async function fleetHasDevice(
  db: Db | Tx,
  fleet: EventFleet,
  fleetId: string,
  deviceId: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('devices')
    .innerJoin('users', (join) =>
      join.onRef('users.org_id', '=', 'devices.org_id').onRef('users.id', '=', 'devices.user_id'),
    )
    .select(sql<number>`1`.as('found'))
    .where('devices.org_id', '=', fleet.simulationOrgId)
    .where('devices.id', '=', deviceId)
    .where('devices.fleet_id', '=', fleetId)
    .where('users.deleted_at', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
}
