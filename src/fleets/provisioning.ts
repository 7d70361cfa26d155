import type { Db, Tx } from '../queries/connection/database.ts';
import {
  finishFleetWork,
  extendFleetClaimWithProgress,
  findDensityWeights,
  lockClaimedFleet,
} from '../queries/fleets/fleet-work.ts';
import type { ClaimedFleet } from '../queries/fleets/fleet-work.ts';
import { cancelPlannedChanges } from '../queries/fleets/fleets.ts';
import type { Fleet } from '../queries/fleets/fleets.ts';
import { deleteHouseholdsFrom, insertHouseholds } from '../queries/fleets/households.ts';
import type { HouseholdBatch } from '../queries/fleets/households.ts';
import { describeDevices } from '../simulation/household/device-description.ts';
import type { Household } from '../simulation/household/household.ts';
import type { HouseholdsQuestion } from '../simulation/household/missing-households.ts';
import { deriveHouseholdId, deriveResident } from '../simulation/household/identity.ts';
import { parseStoredDefinition, withoutLastExpansion } from '../simulation/definition/stored-definition.ts';
import { keepClaimDuring } from './claim-renewal.ts';
import type { RenewalContext } from './claim-renewal.ts';
import { planFirstFaults } from './due-faults.ts';

/** Households that one transaction writes: some 20 ms, for which requests of others wait for the processor and a cancel for the fleet. */
const HOUSEHOLD_BATCH_SIZE = 100;

/** The households that a fleet of a partner lacks, computed wherever there is room for it. */
export type BuildHouseholds = (
  partnerId: string,
  question: HouseholdsQuestion,
) => Promise<readonly Household[]>;

export interface FleetWorkContext {
  readonly db: Db;
  readonly now: () => Date;
  readonly leaseUntil: () => Date;
  readonly simulatorFaults: boolean;
  /** True when the process stops: the work is left where it is. */
  readonly isStopping: () => boolean;
  /** Behind each batch, so that requests of others have the database for a moment. */
  readonly pause: () => Promise<unknown>;
}

export interface ProvisioningContext extends FleetWorkContext, RenewalContext {
  readonly buildHouseholds: BuildHouseholds;
}

/**
 * Builds the households that a claimed fleet lacks, batch by batch, and lets it run. Stops without a trace when the
 * claim is lost, which is how a cancel, a stop or another worker ends it.
 */
export async function provisionFleet(context: ProvisioningContext, claim: ClaimedFleet): Promise<void> {
  const stored = parseStoredDefinition(claim.definition);
  const from = claim.created_count;
  // They may wait for a thread, and take COMPUTE_SECONDS on it.
  const missing = await keepClaimDuring(context, claim, async () => {
    const sentWeights = await findDensityWeights(context.db, claim);
    const question = { stored, sentWeights, anchor: claim.history_from, from };
    return context.buildHouseholds(claim.org_id, question);
  });
  for (let done = 0; done < missing.length; done += HOUSEHOLD_BATCH_SIZE) {
    if (context.isStopping()) return;
    const households = missing.slice(done, done + HOUSEHOLD_BATCH_SIZE);
    if (!(await writeBatch(context, claim, households, from + done + households.length))) return;
    await context.pause();
  }
  await context.db.transaction().execute(async (tx) => {
    if ((await lockClaimedFleet(tx, claim)) === undefined) return;
    await finishFleetWork(tx, claim, { status: 'running', startedAt: context.now() });
  });
}

/** False when the claim is lost. */
async function writeBatch(
  context: FleetWorkContext,
  claim: ClaimedFleet,
  households: readonly Household[],
  createdCount: number,
): Promise<boolean> {
  return context.db.transaction().execute(async (tx) => {
    if ((await lockClaimedFleet(tx, claim)) === undefined) return false;
    const now = context.now();
    await insertHouseholds(tx, toHouseholdBatch(claim, households, context.simulatorFaults, now), now);
    await extendFleetClaimWithProgress(tx, claim, { leaseUntil: context.leaseUntil(), createdCount });
    return true;
  });
}

function toHouseholdBatch(
  fleet: Fleet,
  households: readonly Household[],
  hasFaults: boolean,
  now: Date,
): HouseholdBatch {
  const people = new Map(households.map(({ index }) => [index, deriveResident(fleet.id, fleet.seed, index)]));
  const userIdOf = (index: number): string => people.get(index)?.user_id ?? '';
  const described = households.map((household) => ({
    household,
    devices: describeDevices(fleet.id, household),
  }));
  return {
    orgId: fleet.simulation_org_id,
    fleetId: fleet.id,
    households: households.map((household) => ({
      household_index: household.index,
      household_id: deriveHouseholdId(fleet.id, household.index),
      user_id: userIdOf(household.index),
      email: people.get(household.index)?.email ?? '',
      first_name: people.get(household.index)?.first_name ?? '',
      last_name: people.get(household.index)?.last_name ?? '',
      country: household.country,
      group_name: household.group,
      profile: household.profile,
      latitude: household.latitude,
      longitude: household.longitude,
      location_source: household.location_source,
      attributes: household,
    })),
    devices: described.flatMap(({ household, devices }) =>
      devices.map(({ device_id, ...device }) => ({
        ...device,
        id: device_id,
        user_id: userIdOf(household.index),
        household_index: household.index,
      })),
    ),
    conditions: hasFaults
      ? described.flatMap(({ household, devices }) => planFirstFaults(household, devices, now))
      : [],
  };
}

/** A fleet that cannot be built has failed, with the reason; one that ran before continues without the expansion. */
export async function recordProvisioningFailure(
  tx: Tx,
  claim: ClaimedFleet,
  reason: string,
  now: Date,
): Promise<void> {
  const fleet = await lockClaimedFleet(tx, claim);
  if (fleet === undefined) return;
  if (fleet.status !== 'expanding') {
    await cancelPlannedChanges(tx, fleet);
    await finishFleetWork(tx, claim, { status: 'failed', error: reason, stoppedAt: now });
    return;
  }
  await deleteHouseholdsFrom(tx, fleet.simulation_org_id, fleet.settled_count);
  await finishFleetWork(tx, claim, {
    status: 'running',
    error: `The last expansion was dropped. ${reason}`,
    householdCount: fleet.settled_count,
    createdCount: fleet.settled_count,
    definition: withoutLastExpansion(parseStoredDefinition(fleet.definition)),
  });
}
