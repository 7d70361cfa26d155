import { raiseCondition } from '../conditions/raise-condition.ts';
import { isFleetActive } from '../domain/fleets/fleet-states.ts';
import type { Tx } from '../queries/connection/database.ts';
import {
  claimOutage,
  listNextStruckDevices,
  listUnappliedOutages,
  updateOutageProgress,
} from '../queries/fleets/shared-outages.ts';
import type { UnappliedOutage } from '../queries/fleets/shared-outages.ts';
import { lockConditions, updateControlVersions } from '../queries/notifications/device-conditions.ts';
import { findFreeEventFleet } from '../queries/notifications/condition-devices.ts';
import { doEach, doInBatch, inTimelyTransaction, NOTHING_DONE } from './due-work.ts';
import type { Done, DueWorkOptions, Pass } from './due-work.ts';

/** Devices that one transaction takes offline, unless they have many webhooks. */
const OUTAGE_BATCH_SIZE = 50;

/**
 * Takes devices offline that a raised outage strikes: a batch of one outage of each partner, together with the record of how far
 * it has come, so that each device is struck once whoever continues.
 */
export async function applySharedOutages(options: DueWorkOptions): Promise<Pass> {
  return doEach(options, await listUnappliedOutages(options.db), (outage, pendingDeliveries) =>
    inTimelyTransaction(options, (tx, now) => strikeNextDevices(tx, outage, now, pendingDeliveries)),
  );
}

/**
 * The fleet's row is taken first, as every change of its state does, and whoever has it is not waited for; one that has ended is struck no
 * more.
 */
async function strikeNextDevices(
  tx: Tx,
  unapplied: UnappliedOutage,
  appliedAt: Date,
  pendingDeliveries: number,
): Promise<Done> {
  const { orgId: simulationOrgId, fleetOrgId, fleetId } = unapplied;
  const fleet = await findFreeEventFleet(tx, {
    org_id: fleetOrgId,
    id: fleetId,
    simulation_org_id: simulationOrgId,
  });
  if (fleet === 'locked') return NOTHING_DONE;
  const outage = await claimOutage(tx, unapplied);
  if (outage === undefined) return NOTHING_DONE;
  const isActive = fleet !== undefined && isFleetActive(fleet.status);
  const deviceIds = isActive ? await listNextStruckDevices(tx, outage, OUTAGE_BATCH_SIZE) : [];
  if (deviceIds.length > 0) await lockConditions(tx, outage.orgId, deviceIds, 'device_offline');
  const changedDevices = new Set<string>();
  const done = await doInBatch(deviceIds, (deviceId) => {
    const { orgId, startsAt, endsAt, requestId } = outage;
    const call = requestId === null ? {} : { requestId };
    const when = { now: startsAt, appliedAt, endsAt };
    const event = { orgId, deviceId, code: 'device_offline', ...when, changedDevices } as const;
    return raiseCondition(tx, { ...event, ...call }, pendingDeliveries);
  });
  if (changedDevices.size > 0) await updateControlVersions(tx, outage.orgId, [...changedDevices]);
  const isLast = done.count === deviceIds.length && deviceIds.length < OUTAGE_BATCH_SIZE;
  await updateOutageProgress(tx, outage, isLast ? undefined : deviceIds[done.count - 1]);
  // An outage that has struck all its devices was due too, also one without any: others of its partner are due behind it.
  return isLast ? { ...done, count: done.count + 1 } : done;
}
