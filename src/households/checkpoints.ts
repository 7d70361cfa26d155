import type { Db } from '../queries/connection/database.ts';
import { lockFleetForCheckpoints, upsertCheckpoints } from '../queries/fleets/checkpoints.ts';
import type { HouseholdCheckpoint } from '../queries/fleets/checkpoints.ts';

/** Stores the checkpoints that requests have computed, unless the fleet is cleaned up or purged meanwhile. */
export async function saveCheckpoints(
  db: Db,
  simulationOrgId: string,
  made: readonly HouseholdCheckpoint[],
): Promise<void> {
  if (made.length === 0) return;
  await db.transaction().execute(async (tx) => {
    if (await lockFleetForCheckpoints(tx, simulationOrgId))
      await upsertCheckpoints(tx, simulationOrgId, made);
  });
}
