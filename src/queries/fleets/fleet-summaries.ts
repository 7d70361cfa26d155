import { sql } from 'kysely';
import type { FleetSummary } from '../../domain/fleets/fleet-summary.ts';
import type { Db } from '../connection/database.ts';
import { prepare } from '../connection/prepared.ts';

/** An organization's fleets, newest first, at most `limit` of them. */
export function listFleetSummaries(db: Db, orgId: string, limit: number): Promise<FleetSummary[]> {
  return selectNewest(db, { orgId, limit });
}

const selectNewest = prepare((db, { orgId, limit }: { readonly orgId: string; readonly limit: number }) =>
  selectSummaries(db, orgId).orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit),
);

/** The organization's fleet that has reserved a simulation organization; undefined when none has. */
export async function findFleetSummary(
  db: Db,
  orgId: string,
  simulationOrgId: string,
): Promise<FleetSummary | undefined> {
  const [fleet] = await selectBySimulationOrg(db, { orgId, simulationOrgId });
  return fleet;
}

const selectBySimulationOrg = prepare(
  (db, { orgId, simulationOrgId }: { readonly orgId: string; readonly simulationOrgId: string }) =>
    selectSummaries(db, orgId).where('simulation_org_id', '=', simulationOrgId),
);

/** The organization's fleet of an id; undefined when it has none. */
export async function findFleetSummaryById(
  db: Db,
  orgId: string,
  id: string,
): Promise<FleetSummary | undefined> {
  const [fleet] = await selectById(db, { orgId, id });
  return fleet;
}

const selectById = prepare((db, { orgId, id }: { readonly orgId: string; readonly id: string }) =>
  selectSummaries(db, orgId).where('id', '=', id),
);

function selectSummaries(db: Db, orgId: string) {
  return db
    .selectFrom('fleets')
    .select([
      'id',
      'name',
      'status',
      'simulation_org_id as simulationOrgId',
      'household_count as householdCount',
      'created_count as createdCount',
      'error',
      'created_at as createdAt',
      sql<boolean>`status <> 'purging' and not has_users_to_remove`.as('isReachable'),
    ])
    .where('org_id', '=', orgId);
}
