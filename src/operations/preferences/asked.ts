// What is asked of a device, and how something else comes to be asked of it.
import { checkControlRevisions } from '../../accounts/quotas.ts';
import { notFoundProblem } from '../../domain/api/problem.ts';
import { effectiveFrom } from '../../domain/api/quarter-hours.ts';
import {
  findLatestControlRevision,
  insertControlRevision,
  lockDevice,
} from '../../queries/fleets/control-revisions.ts';
import { scheduleChargeCheck } from '../../queries/fleets/charge-checks.ts';
import type { ControlRevision } from '../../queries/fleets/control-revisions.ts';
import type { Db, Tx } from '../../queries/connection/database.ts';
import { inTransaction } from '../../queries/connection/in-transaction.ts';
import type { DeviceRow } from '../../queries/fleets/devices.ts';
import { readStoredPreferences } from '../../simulation/control/preference-changes.ts';
import type { DevicePreferences, SteeredType } from '../../simulation/control/preference-changes.ts';
import type { VehiclePreferences } from '../../simulation/control/preferences.ts';
import { quotaScope } from '../context.ts';
import type { Context } from '../context.ts';

/** The path of a device's user. */
export interface UserPath {
  readonly user_id: string;
}

export interface Asked<Type extends SteeredType> {
  readonly preferences: DevicePreferences[Type];
  /** Null when no boost is asked for; one that is over may still stand here. */
  readonly boostEndsAt: Date | null;
  /** The last revision; undefined where nothing was ever asked. */
  readonly last: ControlRevision | undefined;
}

/** What is to be asked from then on. */
export interface ControlChange<Type extends SteeredType> {
  readonly kind: ControlRevision['change'];
  readonly preferences: DevicePreferences[Type];
  readonly boostEndsAt: Date | null;
}

/** What is asked of a device now. */
export async function findAsked<Type extends SteeredType>(
  db: Db | Tx,
  device: DeviceRow,
  type: Type,
): Promise<Asked<Type>> {
  const last = await findLatestControlRevision(db, { orgId: device.org_id, deviceId: device.id });
  return toAsked(type, last);
}

/**
 * Asks something else of a device, one call after the other: `decide` gets what is asked, and from when on a change would hold,
 * and answers undefined to leave it at that. Resolves to what is asked then. Throws 404 when the device is gone and 422
 * `quota_reached`, and what `decide` throws.
 */
export function askOfDevice<Type extends SteeredType>(
  context: Context,
  device: DeviceRow,
  type: Type,
  decide: (before: Asked<Type>, startsAt: Date) => ControlChange<Type> | undefined,
): Promise<Asked<Type>> {
  const key = { orgId: device.org_id, deviceId: device.id };
  return inTransaction(context.db, async (tx) => {
    if (!(await lockDevice(tx, key))) throw notFoundProblem('device');
    const before = await findAsked(tx, device, type);
    const receivedAt = laterThan(before.last?.received_at, context.clock());
    const startsAt = effectiveFrom(receivedAt);
    const change = decide(before, startsAt);
    if (change === undefined) return before;
    const used = before.last?.revision ?? 0;
    // What was asked for can be ended in any case, so that there may be one more.
    if (change.kind !== 'boost_end') await checkControlRevisions(tx, quotaScope(context), used);
    const revision = {
      revision: used + 1,
      received_at: receivedAt,
      effective_from: startsAt,
      change: change.kind,
      preferences: change.preferences,
      boost_ends_at: change.boostEndsAt,
      actor_org_id: context.actor.orgId,
      actor_user_id: context.actor.userId,
      actor_role: context.actor.role,
      request_id: context.requestId,
    };
    // Before the household, which is locked last: who tells of a check holds it and waits for the user, and who changes the user
    // waits for the household.
    if (type === 'electric_vehicle') {
      const { charge_policy: policy } = change.preferences as VehiclePreferences;
      await scheduleChargeCheck(tx, key, startsAt, { onlyIfThere: policy !== 'smart' });
    }
    await insertControlRevision(tx, key, revision);
    return toAsked(type, revision);
  });
}

/** The end of the boost that still holds at an instant; null when none does. */
export function boostAt({ boostEndsAt }: Pick<Asked<SteeredType>, 'boostEndsAt'>, at: Date): Date | null {
  return boostEndsAt !== null && boostEndsAt > at ? boostEndsAt : null;
}

function toAsked<Type extends SteeredType>(type: Type, last: ControlRevision | undefined): Asked<Type> {
  const preferences = readStoredPreferences(type, last?.preferences);
  return { preferences, boostEndsAt: last?.boost_ends_at ?? null, last };
}

/** Two may come in the same millisecond, and clocks of processes differ. */
function laterThan(before: Date | undefined, now: Date): Date {
  return before === undefined || before < now ? now : new Date(before.getTime() + 1);
}
