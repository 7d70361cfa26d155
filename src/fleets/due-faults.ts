import { DEFAULT_QUOTAS } from '../domain/api/quotas.ts';
import { isFleetActive } from '../domain/fleets/fleet-states.ts';
import { endCondition } from '../conditions/end-condition.ts';
import { raiseCondition } from '../conditions/raise-condition.ts';
import { findEventFleet } from '../queries/notifications/condition-devices.ts';
import type { Db, Tx } from '../queries/connection/database.ts';
import { findFleetBySimulationOrg } from '../queries/fleets/fleets.ts';
import type { PlannedCondition } from '../queries/fleets/households.ts';
import {
  claimDueConditionChanges,
  listFleetsWithDueChanges,
  updateNextConditionChange,
} from '../queries/fleets/planned-conditions.ts';
import type { DueCondition, DueFleet } from '../queries/fleets/planned-conditions.ts';
import { FAULT_CODES, FAULT_GRACE_MS, nextFault } from '../simulation/household/faults.ts';
import type { Household } from '../simulation/household/household.ts';
import { listDeviceTypes } from '../simulation/household/household.ts';
import { deriveDeviceId } from '../simulation/household/identity.ts';
import { DAY_MS } from '../domain/api/durations.ts';

/*
 * Every device and code has a row with the instant of its next change, begin or end, known from the seed. What is
 * done at an instant follows from the seed too: it is a begin when a fault starts right then, otherwise an end.
 */

/** Changes that one transaction makes. */
const CONDITION_BATCH_SIZE = 100;
/** A fault that began longer ago than this while no worker ran, and has ended, is skipped. */
const SKIP_PAST_FAULTS_AFTER_MS = DAY_MS;

/** The first planned fault of each device and code of a household that is created now. */
export function planFirstFaults(fleetId: string, household: Household, now: Date): PlannedCondition[] {
  const after = new Date(now.getTime() + FAULT_GRACE_MS);
  return listDeviceTypes(household).flatMap((type) =>
    FAULT_CODES.flatMap((code): PlannedCondition[] => {
      const fault = nextFault(household.seed, household.index, type, code, after);
      if (fault === null) return [];
      const device_id = deriveDeviceId(fleetId, household.index, type);
      return [{ device_id, code, occurrence: 0, next_change_at: fault.startsAt }];
    }),
  );
}

export interface DueFaultsOptions {
  readonly db: Db;
  readonly now: () => Date;
  /** How many pending deliveries a partner may have that has no quota of its own; as documented by default. */
  readonly pendingDeliveries?: number;
  /** Counts deliveries that were cancelled at once, since their partner had as many. */
  readonly countDropped?: (count: number) => void;
}

/** Begins and ends conditions that are due; the organizations in which some were, so that there may be more. */
export async function applyDueFaults({
  db,
  now: readClock,
  pendingDeliveries = DEFAULT_QUOTAS.pending_deliveries,
  countDropped,
}: DueFaultsOptions): Promise<string[]> {
  const now = readClock();
  const changed: string[] = [];
  for (const due of await listFleetsWithDueChanges(db, now, CONDITION_BATCH_SIZE)) {
    const { count, dropped } = await db
      .transaction()
      .execute((tx) => applyDueFaultsOfFleet(tx, due, now, pendingDeliveries));
    if (count > 0) changed.push(due.orgId);
    if (dropped > 0) countDropped?.(dropped);
  }
  return changed;
}

/** The fleet's row is taken first, as every change of its state does, so that a stop comes before or after. */
async function applyDueFaultsOfFleet(
  tx: Tx,
  { orgId, fleetOrgId, fleetId }: DueFleet,
  now: Date,
  quota: number,
): Promise<{ readonly count: number; readonly dropped: number }> {
  const nothing = { count: 0, dropped: 0 };
  const state = await findEventFleet(tx, fleetOrgId, fleetId);
  if (state === undefined || !isFleetActive(state.status)) return nothing;
  const fleet = await findFleetBySimulationOrg(tx, orgId);
  if (fleet === undefined) return nothing;
  const conditions = await claimDueConditionChanges(tx, orgId, now, CONDITION_BATCH_SIZE);
  let dropped = 0;
  for (const condition of conditions)
    dropped += await applyDueCondition(tx, { ...condition, orgId, seed: fleet.seed }, now, quota);
  return { count: conditions.length, dropped };
}

/** Resolves to the number of deliveries that were dropped. */
async function applyDueCondition(
  tx: Tx,
  condition: DueCondition & { readonly orgId: string; readonly seed: number },
  now: Date,
  quota: number,
): Promise<number> {
  const { orgId, seed, deviceId: id, deviceType, householdIndex, code, occurrence, changeAt } = condition;
  const event = { orgId, deviceId: id, code, now: changeAt };
  const planned = (after: Date) => nextFault(seed, householdIndex, deviceType, code, after);
  const here = planned(changeAt);
  if (here?.startsAt.getTime() !== changeAt.getTime()) {
    await endCondition(tx, event);
    await updateNextConditionChange(tx, orgId, condition, {
      occurrence: occurrence + 1,
      changeAt: here?.startsAt ?? null,
    });
    return 0;
  }
  const isOver = here.endsAt !== null && here.endsAt <= now;
  const isStale = isOver && now.getTime() - changeAt.getTime() > SKIP_PAST_FAULTS_AFTER_MS;
  const next = planned(new Date(changeAt.getTime() + 1))?.startsAt ?? null;
  if (isStale) {
    await updateNextConditionChange(tx, orgId, condition, { occurrence: occurrence + 1, changeAt: next });
    return 0;
  }
  const raised = await raiseCondition(tx, event, quota);
  await updateNextConditionChange(
    tx,
    orgId,
    condition,
    here.endsAt === null
      ? { occurrence: occurrence + 1, changeAt: next }
      : { occurrence, changeAt: here.endsAt },
  );
  return raised?.dropped ?? 0;
}
