import { sql } from 'kysely';
import type { ConditionCode } from '../../domain/notifications/conditions.ts';
import type { Tx } from '../connection/database.ts';

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

/**
 * Makes a condition active from `now`, or from its last change where that was later; returns that instant. Undefined
 * when it is active already. A second call in another transaction waits for the first one's end.
 */
export async function activateCondition(
  tx: Tx,
  { orgId, deviceId, code }: ConditionKey,
  now: Date,
): Promise<Date | undefined> {
  const activated = await tx
    .insertInto('device_conditions')
    .values({ org_id: orgId, device_id: deviceId, code, active: true, changed_at: now })
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
  return activated?.changed_at;
}

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

/** Makes a condition inactive from `now`; nothing happens when the device never had it. */
export async function deactivateCondition(
  tx: Tx,
  { orgId, deviceId, code }: ConditionKey,
  now: Date,
): Promise<void> {
  await tx
    .updateTable('device_conditions')
    .set({ active: false, changed_at: now })
    .where('org_id', '=', orgId)
    .where('device_id', '=', deviceId)
    .where('code', '=', code)
    .execute();
}
