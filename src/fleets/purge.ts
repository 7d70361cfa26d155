import { purgeFleetRecord, purgeSome } from '../queries/fleets/fleet-removal.ts';
import { extendClaim, lockClaimedFleet } from '../queries/fleets/fleet-work.ts';
import type { ClaimedFleet } from '../queries/fleets/fleet-work.ts';
import type { WorkTools } from './provisioning.ts';

/** Rows that one transaction removes. */
const BATCH = 1000;

/**
 * Removes everything of a simulation organization, then the fleet and the organization together. Every batch is a
 * transaction of its own, so that a worker that takes over goes on where the first one ended.
 */
export async function purge(tools: WorkTools, claim: ClaimedFleet): Promise<void> {
  for (;;) {
    if (tools.isStopping()) return;
    const isOver = await tools.db.transaction().execute(async (tx) => {
      const fleet = await lockClaimedFleet(tx, claim);
      if (fleet === undefined) return true;
      if ((await purgeSome(tx, fleet.simulation_org_id, BATCH)) > 0) {
        await extendClaim(tx, claim, { leaseUntil: tools.leaseUntil() });
        return false;
      }
      await purgeFleetRecord(tx, fleet);
      return true;
    });
    if (isOver) return;
  }
}
