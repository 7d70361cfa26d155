import { deleteFleetAndItsOrganization, deleteSimulationRowsBatch } from '../queries/fleets/fleet-removal.ts';
import { extendFleetClaimWithProgress, lockClaimedFleet } from '../queries/fleets/fleet-work.ts';
import type { ClaimedFleet } from '../queries/fleets/fleet-work.ts';
import type { FleetWorkContext } from './provisioning.ts';

/** Rows that one transaction removes. */
const ROW_BATCH_SIZE = 1000;

/**
 * Removes everything of a simulation organization, then the fleet and the organization together. Every batch is a
 * transaction of its own, so that a worker that takes over continues where the first one ended.
 */
export async function purgeFleetInBatches(context: FleetWorkContext, claim: ClaimedFleet): Promise<void> {
  for (;;) {
    if (context.isStopping()) return;
    const isOver = await context.db.transaction().execute(async (tx) => {
      const fleet = await lockClaimedFleet(tx, claim);
      if (fleet === undefined) return true;
      if ((await deleteSimulationRowsBatch(tx, fleet.simulation_org_id, ROW_BATCH_SIZE)) > 0) {
        await extendFleetClaimWithProgress(tx, claim, { leaseUntil: context.leaseUntil() });
        return false;
      }
      await deleteFleetAndItsOrganization(tx, fleet);
      return true;
    });
    if (isOver) return;
  }
}
