import { isFleetActive } from '../domain/fleets/fleet-states.ts';
import { endCondition } from '../conditions/end-condition.ts';
import { raiseCondition } from '../conditions/raise-condition.ts';
import type { RaisedCondition } from '../conditions/raise-condition.ts';
import { updateControlVersions } from '../queries/notifications/device-conditions.ts';
import { findFreeEventFleet } from '../queries/notifications/condition-devices.ts';
import type { Tx } from '../queries/connection/database.ts';
import type { PlannedCondition } from '../queries/fleets/households.ts';
import {
  claimDueConditionChanges,
  listFleetsWithDueChanges,
  updateNextBegin,
} from '../queries/fleets/planned-conditions.ts';
import type { DueCondition, FleetWithDueChanges } from '../queries/fleets/planned-conditions.ts';
import { FAULT_CODES, FAULT_GRACE_MS, nextFaultOfAnyCause } from '../simulation/household/faults.ts';
import type { DeviceDescription } from '../simulation/household/device-description.ts';
import type { Household } from '../simulation/household/household.ts';
import { DAY_MS } from '../domain/api/durations.ts';
import { doEach, doInBatch, inTimelyTransaction, NOTHING_DONE } from './due-work.ts';
import type { Done, DueWorkOptions, Pass } from './due-work.ts';

/*
 * Every device and code has a row with the instants of its next begin, known from the seed, and of its end while it holds. A
 * begin of a condition that holds already, by another cause, puts off its end.
 */

/** Changes that one transaction makes, unless they have many deliveries (DELIVERIES_OF_A_BATCH). */
const CONDITION_BATCH_SIZE = 50;
/** A fault that began longer ago than this while no worker ran, and has ended, is skipped. */
const SKIP_PAST_FAULTS_AFTER_MS = DAY_MS;

/** The first planned fault of each device and code of a household that is created now. */
export function planFirstFaults(
  household: Household,
  devices: readonly DeviceDescription[],
  now: Date,
): PlannedCondition[] {
  const after = new Date(now.getTime() + FAULT_GRACE_MS);
  const { seed, index: householdIndex, latitude, longitude } = household;
  return devices.flatMap(({ device_id, device_type: type, manufacturer }) =>
    FAULT_CODES.flatMap((code): PlannedCondition[] => {
      const device = { seed, householdIndex, type, manufacturer, latitude, longitude };
      const fault = nextFaultOfAnyCause(device, code, after);
      return fault === null ? [] : [{ device_id, code, begins_at: fault.startsAt }];
    }),
  );
}

export interface DueFaultsOptions extends DueWorkOptions {
  /** Whether devices get conditions by themselves; those that hold end in any case. */
  readonly simulatorFaults: boolean;
}

/** Begins and ends conditions that are due, some of one fleet of each partner. */
export async function applyDueFaults(options: DueFaultsOptions): Promise<Pass> {
  const { db, simulatorFaults } = options;
  return doEach(options, await listFleetsWithDueChanges(db, options.now()), (due, pendingDeliveries) =>
    inTimelyTransaction(options, (tx, now) =>
      applyDueFaultsOfFleet(tx, due, { now, simulatorFaults, pendingDeliveries }),
    ),
  );
}

/** When conditions begin, whether they do, and how many pending deliveries the partner may have. */
interface Beginning {
  readonly now: Date;
  readonly simulatorFaults: boolean;
  readonly pendingDeliveries: number;
}

/**
 * The fleet's row is taken first, as every change of its state does, so that a stop comes before or after. Whoever changes it is not waited
 * for: what is due of other partners comes behind.
 */
async function applyDueFaultsOfFleet(
  tx: Tx,
  { orgId, fleetOrgId, fleetId, seed }: FleetWithDueChanges,
  beginning: Beginning,
): Promise<Done> {
  const { now } = beginning;
  const fleet = await findFreeEventFleet(tx, { org_id: fleetOrgId, id: fleetId, simulation_org_id: orgId });
  if (fleet === undefined || fleet === 'locked' || !isFleetActive(fleet.status)) return NOTHING_DONE;
  const conditions = await claimDueConditionChanges(tx, orgId, now, CONDITION_BATCH_SIZE);
  const changedDevices = new Set<string>();
  const done = await doInBatch(conditions, async (due) => {
    const condition = { ...due, orgId, seed, changedDevices };
    if (!isEnd(due)) return applyDueBegin(tx, condition, beginning);
    await endCondition(tx, { ...eventOf(condition), now: due.changeAt, appliedAt: now });
    return undefined;
  });
  if (changedDevices.size > 0) await updateControlVersions(tx, orgId, [...changedDevices]);
  return done;
}

type ConditionOfFleet = DueCondition & {
  readonly orgId: string;
  readonly seed: number;
  readonly changedDevices: Set<string>;
};

/** What is due is the end where both are at the same instant. */
function isEnd({ endsAt, changeAt }: DueCondition): boolean {
  return endsAt?.getTime() === changeAt.getTime();
}

function eventOf({ orgId, deviceId, code, changedDevices }: ConditionOfFleet) {
  return { orgId, deviceId, code, changedDevices };
}

/** Begins a planned condition and plans the one after; undefined where nothing is told of it. */
async function applyDueBegin(
  tx: Tx,
  condition: ConditionOfFleet,
  { now, simulatorFaults, pendingDeliveries }: Beginning,
): Promise<RaisedCondition | undefined> {
  const { code, changeAt } = condition;
  const planned = (after: Date) => nextFaultOfAnyCause(condition, code, after);
  const fault = planned(changeAt);
  const isPlanned = fault?.startsAt.getTime() === changeAt.getTime();
  const next = isPlanned ? planned(new Date(changeAt.getTime() + 1)) : fault;
  await updateNextBegin(tx, condition.orgId, condition, next?.startsAt ?? null);
  if (!simulatorFaults || !isPlanned) return undefined;
  const isOver = fault.endsAt !== null && fault.endsAt <= now;
  if (isOver && now.getTime() - changeAt.getTime() > SKIP_PAST_FAULTS_AFTER_MS) return undefined;
  const event = { ...eventOf(condition), now: changeAt, appliedAt: now, endsAt: fault.endsAt };
  return raiseCondition(tx, event, pendingDeliveries);
}
