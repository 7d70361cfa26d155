import { DAY_MS } from '../domain/api/durations.ts';
import { REQUEST_MEMORY_DAYS } from '../domain/fleets/fleet-limits.ts';
import { scheduleCreationToForget } from '../queries/fleets/fleet-requests.ts';
import {
  deleteFleetAndItsOrganization,
  deleteLeftUsers,
  listFleetsWithLeftUsers,
  deleteSimulationRowsBatch,
  REMOVAL_BATCH_SIZE,
} from '../queries/fleets/fleet-removal.ts';
import { extendFleetClaimWithProgress, lockClaimedFleet } from '../queries/fleets/fleet-work.ts';
import type { ClaimedFleet } from '../queries/fleets/fleet-work.ts';
import { changeUserCount, REMOVAL_SHARD } from '../queries/accounts/user-counts.ts';
import { doEach } from './due-work.ts';
import type { DueWorkOptions, Pass } from './due-work.ts';
import type { FleetWorkContext } from './provisioning.ts';

/** Removes a batch of each partner of what clean-ups that were cut off, or had too much to do, have left. */
export async function removeLeftUsers(options: DueWorkOptions): Promise<Pass> {
  const { db } = options;
  return doEach(options, await listFleetsWithLeftUsers(db), async ({ fleet }) => {
    const isRemoved = await deleteLeftUsers(db, REMOVAL_BATCH_SIZE, fleet, 'skip');
    return { count: isRemoved ? 1 : 0, dropped: 0 };
  });
}

/**
 * Removes everything of a simulation organization, then the fleet and the organization together. Every batch is a
 * transaction of its own, so that a worker that takes over continues where the first one ended. False when rows are left
 * after `maxBatches`.
 */
export async function purgeFleetInBatches(
  context: FleetWorkContext,
  claim: ClaimedFleet,
  maxBatches = Infinity,
): Promise<boolean> {
  for (let batch = 0; batch < maxBatches; batch += 1) {
    if (context.isStopping()) return false;
    const isOver = await context.db.transaction().execute(async (tx) => {
      const fleet = await lockClaimedFleet(tx, claim);
      if (fleet === undefined) return true;
      // The count before the users, as at creation: two transactions must not wait for each other.
      await changeUserCount(tx, fleet.org_id, REMOVAL_SHARD, 0);
      const removed = await deleteSimulationRowsBatch(tx, fleet.simulation_org_id, REMOVAL_BATCH_SIZE);
      if (removed.rows > 0) {
        if (removed.users > 0) await changeUserCount(tx, fleet.org_id, REMOVAL_SHARD, -removed.users);
        await extendFleetClaimWithProgress(tx, claim, { leaseUntil: context.leaseUntil() });
        return false;
      }
      const forgetAt = new Date(context.now().getTime() + REQUEST_MEMORY_DAYS * DAY_MS);
      await scheduleCreationToForget(tx, fleet, forgetAt);
      await deleteFleetAndItsOrganization(tx, fleet);
      return true;
    });
    if (isOver) return true;
    await context.pause();
  }
  return false;
}
