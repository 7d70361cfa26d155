import { DAY_MS } from '../domain/api/durations.ts';
import { REQUEST_MEMORY_DAYS } from '../domain/fleets/fleet-limits.ts';
import { scheduleRequestsToForget } from '../queries/fleets/fleet-requests.ts';
import { deleteFleetAndItsOrganization, deleteSimulationRowsBatch } from '../queries/fleets/fleet-removal.ts';
import { extendFleetClaimWithProgress, lockClaimedFleet } from '../queries/fleets/fleet-work.ts';
import type { ClaimedFleet } from '../queries/fleets/fleet-work.ts';
import { changeUserCount } from '../queries/accounts/user-counts.ts';
import { softDeleteCountedUsersBatch } from '../queries/accounts/users.ts';
import type { FleetWorkContext } from './provisioning.ts';

/** Rows that one transaction removes. */
const ROW_BATCH_SIZE = 1000;
/** The shard of the partner's user count that users are taken off. */
const PURGE_SHARD = 0;

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
  if (!(await uncountUsers(context, claim))) return false;
  for (let batch = 0; batch < maxBatches; batch += 1) {
    if (context.isStopping()) return false;
    const isOver = await context.db.transaction().execute(async (tx) => {
      const fleet = await lockClaimedFleet(tx, claim);
      if (fleet === undefined) return true;
      if ((await deleteSimulationRowsBatch(tx, fleet.simulation_org_id, ROW_BATCH_SIZE)) > 0) {
        await extendFleetClaimWithProgress(tx, claim, { leaseUntil: context.leaseUntil() });
        return false;
      }
      const forgetAt = new Date(context.now().getTime() + REQUEST_MEMORY_DAYS * DAY_MS);
      await scheduleRequestsToForget(tx, fleet, forgetAt);
      await deleteFleetAndItsOrganization(tx, fleet);
      return true;
    });
    if (isOver) return true;
  }
  return false;
}

/**
 * Takes the users that the partner has created in the simulation organization off its count, before their rows are removed:
 * the count is locked before the rows, as at creation. False when the claim is lost or the process stops.
 */
async function uncountUsers(context: FleetWorkContext, claim: ClaimedFleet): Promise<boolean> {
  for (;;) {
    if (context.isStopping()) return false;
    const isLeft = await context.db.transaction().execute(async (tx) => {
      const fleet = await lockClaimedFleet(tx, claim);
      if (fleet === undefined) return undefined;
      await changeUserCount(tx, fleet.org_id, PURGE_SHARD, 0);
      const orgId = fleet.simulation_org_id;
      const removed = await softDeleteCountedUsersBatch(tx, orgId, ROW_BATCH_SIZE, context.now());
      if (removed === 0) return false;
      await changeUserCount(tx, fleet.org_id, PURGE_SHARD, -removed);
      await extendFleetClaimWithProgress(tx, claim, { leaseUntil: context.leaseUntil() });
      return true;
    });
    if (isLeft !== true) return isLeft === false;
  }
}
