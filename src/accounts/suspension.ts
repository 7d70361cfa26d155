import { updateSuspension } from '../queries/accounts/organizations.ts';
import type { Db } from '../queries/connection/database.ts';
import { notifyDispatchers } from '../queries/deliveries/deliveries.ts';
import { endFleetClaimsOf } from '../queries/fleets/fleet-work.ts';
import { notifyFleetRunners } from '../queries/fleets/fleets.ts';

/**
 * Stops a partner with its simulation organizations: its tokens and sessions are refused within a second in every process,
 * no delivery of it begins, and work on its fleets stops at the next step. Nothing is deleted. False when there is no
 * partner's organization with this id; again it changes nothing.
 */
export async function suspendPartner(db: Db, orgId: string, now: Date): Promise<boolean> {
  return db.transaction().execute((tx) => updateSuspension(tx, orgId, now));
}

/** Lets a suspended partner go on; its deliveries and fleets at once. False when there is no such organization. */
export async function resumePartner(db: Db, orgId: string): Promise<boolean> {
  const isFound = await db.transaction().execute(async (tx) => {
    const isFound = await updateSuspension(tx, orgId, null);
    if (isFound) {
      await endFleetClaimsOf(tx, orgId);
      await notifyFleetRunners(tx);
    }
    return isFound;
  });
  if (isFound) await notifyDispatchers(db);
  return isFound;
}
