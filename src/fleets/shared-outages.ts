import { raiseCondition } from '../conditions/raise-condition.ts';
import { DEFAULT_QUOTAS } from '../domain/api/quotas.ts';
import { isFleetActive } from '../domain/fleets/fleet-states.ts';
import type { Db, Tx } from '../queries/connection/database.ts';
import {
  claimOutage,
  listNextStruckDevices,
  listUnappliedOutages,
  updateOutageProgress,
} from '../queries/fleets/shared-outages.ts';
import type { UnappliedOutage } from '../queries/fleets/shared-outages.ts';
import { lockConditions, updateControlVersions } from '../queries/notifications/device-conditions.ts';
import { findEventFleet } from '../queries/notifications/condition-devices.ts';

/** Devices that one transaction takes offline. */
const OUTAGE_BATCH_SIZE = 100;

export interface SharedOutagesOptions {
  readonly db: Db;
  readonly now: () => Date;
  /** How many pending deliveries a partner may have that has no quota of its own; as documented by default. */
  readonly pendingDeliveries?: number;
  /** Counts deliveries that were cancelled at once, since their partner had as many. */
  readonly countDropped?: (count: number) => void;
}

/**
 * Takes devices offline that a raised outage strikes: a batch of one outage of each partner, together with the record of how far
 * it has come, so that each device is struck once whoever continues. The organizations in which some were, so that there may be
 * more.
 */
export async function applySharedOutages(options: SharedOutagesOptions): Promise<string[]> {
  const struck: string[] = [];
  for (const outage of await listUnappliedOutages(options.db)) {
    const { count, dropped } = await options.db
      .transaction()
      .execute((tx) => strikeNextDevices(tx, outage, options));
    if (count > 0) struck.push(outage.orgId);
    if (dropped > 0) options.countDropped?.(dropped);
  }
  return struck;
}

/** The fleet's row is taken first, as every change of its state does; one that has ended is struck no more. */
async function strikeNextDevices(
  tx: Tx,
  unapplied: UnappliedOutage,
  { now, pendingDeliveries = DEFAULT_QUOTAS.pending_deliveries }: SharedOutagesOptions,
): Promise<{ readonly count: number; readonly dropped: number }> {
  const fleet = await findEventFleet(tx, unapplied.fleetOrgId, unapplied.fleetId);
  const outage = await claimOutage(tx, unapplied);
  if (outage === undefined) return { count: 0, dropped: 0 };
  const isActive = fleet !== undefined && isFleetActive(fleet.status);
  const deviceIds = isActive ? await listNextStruckDevices(tx, outage, OUTAGE_BATCH_SIZE) : [];
  if (deviceIds.length > 0) await lockConditions(tx, outage.orgId, deviceIds, 'device_offline');
  let dropped = 0;
  const changedDevices = new Set<string>();
  for (const deviceId of deviceIds) {
    const { orgId, startsAt, endsAt, requestId } = outage;
    const call = requestId === null ? {} : { requestId };
    const when = { now: startsAt, appliedAt: now(), endsAt };
    const event = { orgId, deviceId, code: 'device_offline', ...when, changedDevices } as const;
    dropped += (await raiseCondition(tx, { ...event, ...call }, pendingDeliveries))?.dropped ?? 0;
  }
  if (changedDevices.size > 0) await updateControlVersions(tx, outage.orgId, [...changedDevices]);
  const isLast = deviceIds.length < OUTAGE_BATCH_SIZE;
  await updateOutageProgress(tx, outage, isLast ? undefined : deviceIds.at(-1));
  return { count: deviceIds.length, dropped };
}
