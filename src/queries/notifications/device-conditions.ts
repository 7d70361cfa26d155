import { sql } from 'kysely';
import type { ConditionCode } from '../../domain/notifications/conditions.ts';
import { QUARTER_HOUR_MS } from '../../domain/api/durations.ts';
import { COMMIT_MARGIN_MS, effectiveFrom } from '../../domain/api/quarter-hours.ts';
import { MAX_INTERRUPTIONS } from '../../domain/notifications/interruptions.ts';
import type { Tx } from '../connection/database.ts';
import { prepare } from '../connection/prepared.ts';

/** One condition of one device; `orgId` is the device's (simulation) organization. */
export interface ConditionKey {
  readonly orgId: string;
  readonly deviceId: string;
  readonly code: ConditionCode;
}

export interface StoredCondition {
  readonly active: boolean;
  /** When it last began or ended. */
  readonly changed_at: Date;
}

/** When a condition changes, and when that came in: until then the device was read, and what it steers changes from the next quarter hour on. */
export interface ChangeInstants {
  readonly at: Date;
  readonly appliedAt: Date;
}

/** The quarter hour since 1970 from which on a change counts, as `effectiveFrom` says of when it was and when it came in. */
function effectiveQuarter({ at, appliedAt }: ChangeInstants): number {
  const later = at > appliedAt ? at : appliedAt;
  return effectiveFrom(later).getTime() / QUARTER_HOUR_MS;
}

/**
 * Makes a condition active from `at`, or from its last change where that was later, until `endsAt`, or until somebody ends it;
 * returns the instant at which it began. Undefined when it is active already, or has begun as often as it may. A second call
 * in another transaction waits for the first one's end.
 */
export async function activateCondition(
  tx: Tx,
  { orgId, deviceId, code }: ConditionKey,
  { at, appliedAt }: ChangeInstants,
  endsAt: Date | null,
): Promise<Date | undefined> {
  const rows = await callActivateCondition(tx, { orgId, deviceId, code, at, appliedAt, endsAt });
  return rows[0]?.begun_at ?? undefined;
}

interface Activation extends ConditionKey, ChangeInstants {
  readonly endsAt: Date | null;
}

const callActivateCondition = prepare(
  (_db, { orgId, deviceId, code, at, appliedAt, endsAt }: Activation) => sql<{ begun_at: Date | null }>`
    select activate_condition(${orgId}, ${deviceId}, ${code}, ${at}, ${appliedAt}, ${endsAt}, ${MAX_INTERRUPTIONS},
      ${COMMIT_MARGIN_MS / 1000}) as begun_at`,
);

/**
 * Lets an active condition last until `endsAt` at least, or until somebody ends it; locks it. Since when it holds; undefined
 * when it does not.
 */
export async function extendCondition(
  tx: Tx,
  { orgId, deviceId, code }: ConditionKey,
  endsAt: Date | null,
): Promise<Date | undefined> {
  const extended = await tx
    .updateTable('device_conditions')
    .set({
      ends_at:
        endsAt === null
          ? null
          : sql<Date>`case when ends_at is not null then greatest(ends_at, ${endsAt}::timestamptz) end`,
    })
    .where('org_id', '=', orgId)
    .where('device_id', '=', deviceId)
    .where('code', '=', code)
    .where('active', '=', true)
    .returning('changed_at')
    .executeTakeFirst();
  return extended?.changed_at;
}

/**
 * Locks a condition of many devices, in the order of their ids, until the transaction ends. Who changes many locks them first:
 * behind other locks two transactions might wait for each other.
 */
export async function lockConditions(
  tx: Tx,
  orgId: string,
  deviceIds: readonly string[],
  code: ConditionCode,
): Promise<void> {
  await tx
    .selectFrom('device_conditions')
    .select('device_id')
    .where('org_id', '=', orgId)
    .where('device_id', 'in', [...deviceIds])
    .where('code', '=', code)
    .orderBy('device_id')
    .forUpdate()
    .execute();
}

/**
 * The households of some devices are others from now on, since one of their devices is steered or read otherwise. The last
 * locks of a transaction: behind others two transactions might wait for each other.
 */
export async function updateControlVersions(
  tx: Tx,
  orgId: string,
  deviceIds: readonly string[],
): Promise<void> {
  await increaseVersions(tx, { orgId, deviceIds: [...deviceIds] });
}

const increaseVersions = prepare(
  (_db, { orgId, deviceIds }: { orgId: string; deviceIds: string[] }) => sql`
    with locked as (
      select h.household_index from households h
      where h.org_id = ${orgId} and h.household_index in (
        select d.household_index from devices d where d.org_id = ${orgId} and d.id = any(${deviceIds}::uuid[]))
      order by h.household_index
      for no key update
    )
    update households h set control_version = h.control_version + 1
    from locked where h.org_id = ${orgId} and h.household_index = locked.household_index`,
);

/** Locks a condition until the transaction ends; undefined when the device never had it. */
export function lockCondition(
  tx: Tx,
  { orgId, deviceId, code }: ConditionKey,
): Promise<StoredCondition | undefined> {
  return tx
    .selectFrom('device_conditions')
    .select(['active', 'changed_at'])
    .where('org_id', '=', orgId)
    .where('device_id', '=', deviceId)
    .where('code', '=', code)
    .forUpdate()
    .executeTakeFirst();
}

/** Makes an active condition inactive from `at`; nothing happens when it does not hold. */
export async function deactivateCondition(
  tx: Tx,
  { orgId, deviceId, code }: ConditionKey,
  instants: ChangeInstants,
): Promise<void> {
  const { at } = instants;
  await sql`
    with deactivated as (
      update device_conditions set active = false, changed_at = ${at}, ends_at = null
      where org_id = ${orgId} and device_id = ${deviceId} and code = ${code} and active
    )
    update device_interruptions
    set ended_at = ${at}, unsteered_to = greatest(unsteered_from, ${effectiveQuarter(instants)}::integer)
    where org_id = ${orgId} and device_id = ${deviceId} and code = ${code} and ended_at is null
  `.execute(tx);
}
