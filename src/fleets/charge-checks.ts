import { QUARTER_HOUR_MS, DAY_MS } from '../domain/api/durations.ts';
import { isFleetActive } from '../domain/fleets/fleet-states.ts';
import { tellNotice } from '../conditions/tell-notice.ts';
import { loadSteering } from '../households/history-prices.ts';
import { TimeSlicer } from '../households/time-slicer.ts';
import type { YieldToEventLoop } from '../households/time-slicer.ts';
import {
  claimChargeCheck,
  listDueChargeChecks,
  listFleetsWithDueChecks,
  updateChargeCheck,
} from '../queries/fleets/charge-checks.ts';
import type { DueChargeCheck, FleetWithDueChecks } from '../queries/fleets/charge-checks.ts';
import type { Tx } from '../queries/connection/database.ts';
import { findConditionDevice, findFreeEventFleet } from '../queries/notifications/condition-devices.ts';
import { clearOpenItems } from '../queries/notifications/condition-items.ts';
import type { ChargeOutlook } from '../simulation/cars/charge-outlook.ts';
import { createModelOfVersion, parseStoredHousehold } from '../simulation/model/model-versions.ts';
import { doEach, NOTHING_DONE } from './due-work.ts';
import type { Done, DueWorkOptions, Pass } from './due-work.ts';

/*
 * Each car that charges by price has a row with the instant at which its stay is looked at next. What is found is told in the
 * transaction that moves the row on, so that a departure is told once, whatever ends a worker.
 */

/** Cars of a fleet that one pass looks at: a car costs some milliseconds, one that hardly drives and is asked for much 0.2 s. */
export const CHECKS_OF_FLEET = 20;
/** A pass looks at no further car of a fleet behind so much time: those of others wait for it. */
const TURN_MS = 1_000;
/** What was due longer ago while no worker ran is passed over: the car has left. */
const SKIP_AFTER_MS = DAY_MS;
/** A car that nobody steers, or that stands unplugged, is looked at again after so many quarter hours. */
const NEXT_LOOK = { unsteered: 4, away: 7 * 96 };
/** What a car costs in days of a household. */
const CAR_COST_DAYS = 20;

export interface ChargeChecksContext extends DueWorkOptions {
  readonly yieldToEventLoop: YieldToEventLoop;
  readonly isStopping: () => boolean;
  /** Milliseconds of a monotonic clock. */
  readonly elapsedMs: () => number;
}

/** What was found of a car's stay. */
interface Finding {
  readonly check: DueChargeCheck;
  /** The instant that was looked at. */
  readonly at: Date;
  readonly outlook: ChargeOutlook | undefined;
}

/**
 * Looks at cars that charge by price whose stay has begun or ended, some of one fleet of each partner, and tells of targets that
 * cannot be met.
 */
export async function applyDueChargeChecks(context: ChargeChecksContext): Promise<Pass> {
  const { db, isStopping } = context;
  const now = context.now();
  return doEach(context, await listFleetsWithDueChecks(db, now), async (fleet, pendingDeliveries) => {
    if (isStopping()) return NOTHING_DONE;
    const findings = await findOutlooks(context, fleet, now);
    if (isStopping()) return NOTHING_DONE;
    return db.transaction().execute((tx) => tellAll(tx, fleet, findings, pendingDeliveries));
  });
}

async function findOutlooks(
  context: ChargeChecksContext,
  { orgId, historyFrom: since }: FleetWithDueChecks,
  now: Date,
): Promise<Finding[]> {
  const checks = await listDueChargeChecks(context.db, orgId, now, CHECKS_OF_FLEET);
  const steeringOf = await loadSteering(context.db, { orgId, since, now }, checks);
  const slicer = new TimeSlicer(context.yieldToEventLoop, context.isStopping);
  const turnEndsMs = context.elapsedMs() + TURN_MS;
  const findings: Finding[] = [];
  const earliest = now.getTime() - SKIP_AFTER_MS;
  for (const check of checks) {
    await slicer.yieldIfDue(CAR_COST_DAYS);
    const quarter = Math.ceil(Math.max(check.due_at.getTime(), earliest) / QUARTER_HOUR_MS);
    const household = parseStoredHousehold(check.attributes);
    // A model of its own: the cache is for requests.
    const model = createModelOfVersion(household, steeringOf(household));
    if (!(await slicer.approachChargeOutlook(model, quarter))) break;
    const outlook = model.chargeOutlookAt(quarter);
    findings.push({ check, at: new Date(quarter * QUARTER_HOUR_MS), outlook });
    if (context.elapsedMs() >= turnEndsMs) break;
  }
  return findings;
}

/** The fleet's row is taken first, as every change of its state does; where somebody has it the cars are looked at again. */
async function tellAll(
  tx: Tx,
  { orgId, fleetOrgId, fleetId }: FleetWithDueChecks,
  findings: readonly Finding[],
  pendingDeliveries: number,
): Promise<Done> {
  const fleet = await findFreeEventFleet(tx, { org_id: fleetOrgId, id: fleetId, simulation_org_id: orgId });
  if (fleet === undefined || fleet === 'locked' || !isFleetActive(fleet.status)) return NOTHING_DONE;
  let [count, dropped] = [0, 0];
  for (const finding of findings) {
    if (!(await claimChargeCheck(tx, finding.check))) continue;
    dropped += await apply(tx, finding, pendingDeliveries);
    count += 1;
  }
  return { count, dropped };
}

async function apply(tx: Tx, { check, at, outlook }: Finding, quota: number): Promise<number> {
  const { org_id: orgId, device_id: deviceId } = check;
  const key = { orgId, deviceId, code: 'charge_target_missed' } as const;
  const stay = outlook?.stay ?? null;
  const departure = stay && toInstant(stay.end);
  const isMissed = outlook?.isSteered === true && outlook.isSmart && stay !== null && stay.missing > 0;
  let { told_departure: told } = check;
  let dropped = 0;
  if (isMissed && departure !== null && told?.getTime() !== departure.getTime()) {
    await clearOpenItems(tx, key, at);
    const device = await findConditionDevice(tx, orgId, deviceId);
    if (device) ({ dropped } = await tellNotice(tx, { ...key, device, now: at }, quota));
    told = departure;
  } else if (!isMissed && told !== null) await clearOpenItems(tx, key, told < at ? told : at);
  const next = nextLook(at, outlook, isMissed ? departure : null);
  await updateChargeCheck(tx, check, next && { dueAt: next, toldDeparture: told });
  return dropped;
}

/**
 * When a car is to be looked at again, at the latest when something else is asked of it: a look that was due may come when that is
 * known already. Null when nobody lets it charge by price, nor will.
 */
function nextLook(at: Date, outlook: ChargeOutlook | undefined, departure: Date | null): Date | null {
  if (outlook === undefined) return departure;
  const { askedUntil, isSmart, isSteered, stay, nextStay } = outlook;
  const until = askedUntil === null ? null : toInstant(askedUntil);
  if (departure === null && !isSmart) return until;
  const quarter = at.getTime() / QUARTER_HOUR_MS;
  const free = stay?.end ?? nextStay ?? quarter + NEXT_LOOK.away;
  const next = departure ?? toInstant(isSteered ? free : Math.min(free, quarter + NEXT_LOOK.unsteered));
  return until !== null && until < next ? until : next;
}

const toInstant = (quarter: number): Date => new Date(quarter * QUARTER_HOUR_MS);
