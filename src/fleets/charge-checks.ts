import { QUARTER_HOUR_MS, DAY_MS } from '../domain/api/durations.ts';
import { DEFAULT_QUOTAS } from '../domain/api/quotas.ts';
import { isFleetActive } from '../domain/fleets/fleet-states.ts';
import { tellNotice } from '../conditions/tell-notice.ts';
import { loadSteering } from '../households/history-prices.ts';
import { findModelledHousehold, findStoredHousehold } from '../households/stored-households.ts';
import { TimeSlicer } from '../households/time-slicer.ts';
import type { YieldToEventLoop } from '../households/time-slicer.ts';
import {
  claimChargeCheck,
  deleteChargeChecks,
  listDueChargeChecks,
  updateChargeCheck,
} from '../queries/fleets/charge-checks.ts';
import type { DueChargeCheck } from '../queries/fleets/charge-checks.ts';
import type { Db, Tx } from '../queries/connection/database.ts';
import { findConditionDevice, findEventFleet } from '../queries/notifications/condition-devices.ts';
import { clearOpenItems } from '../queries/notifications/condition-items.ts';
import type { ChargeOutlook } from '../simulation/cars/charge-outlook.ts';

/*
 * Each car that charges by price has a row with the instant at which its stay is looked at next. What is found is told in the
 * transaction that moves the row on, so that a departure is told once, whatever ends a worker.
 */

/** Cars of an organization, and organizations, that one pass looks at: a car costs some milliseconds. */
export const CHECKS_OF_ORGANIZATION = 20;
const ORGANIZATIONS_OF_PASS = 10;
/** What was due longer ago while no worker ran is passed over: the car has left. */
const SKIP_AFTER_MS = DAY_MS;
/** A car that nobody steers, or that stands unplugged, is looked at again after so many quarter hours. */
const NEXT_LOOK = { unsteered: 4, away: 7 * 96 };
/** What a car costs in days of a household. */
const CAR_COST_DAYS = 20;

export interface ChargeChecksContext {
  readonly db: Db;
  readonly now: () => Date;
  readonly yieldToEventLoop: YieldToEventLoop;
  readonly isStopping: () => boolean;
  /** How many pending deliveries a partner may have that has no quota of its own; as documented by default. */
  readonly pendingDeliveries?: number;
  /** Counts deliveries that were cancelled at once, since their partner had as many. */
  readonly countDropped?: (count: number) => void;
}

/** What was found of a car's stay. */
interface Finding {
  readonly check: DueChargeCheck;
  /** The instant that was looked at. */
  readonly at: Date;
  readonly outlook: ChargeOutlook | undefined;
}

/**
 * Looks at cars that charge by price whose stay has begun or ended, some of each organization, and tells of targets that cannot
 * be met; the organizations that had some, so that there may be more.
 */
export async function applyDueChargeChecks(context: ChargeChecksContext): Promise<string[]> {
  const { db } = context;
  const now = context.now();
  const due = await listDueChargeChecks(db, now, {
    organizations: ORGANIZATIONS_OF_PASS,
    limit: CHECKS_OF_ORGANIZATION,
  });
  const changed: string[] = [];
  for (const [orgId, checks] of Map.groupBy(due, ({ org_id }) => org_id)) {
    const findings = await findOutlooks(context, orgId, checks, now);
    if (context.isStopping()) break;
    const dropped = await db.transaction().execute((tx) => tellAll(tx, findings, context));
    if (dropped > 0) context.countDropped?.(dropped);
    changed.push(orgId);
  }
  return changed;
}

async function findOutlooks(
  context: ChargeChecksContext,
  orgId: string,
  checks: readonly DueChargeCheck[],
  now: Date,
): Promise<Finding[]> {
  const [first] = checks;
  const household = first && findStoredHousehold(first);
  if (household === undefined) return [];
  const since = new Date(household.anchor_ms);
  const steeringOf = await loadSteering(context.db, { orgId, since, now }, checks);
  const slicer = new TimeSlicer(context.yieldToEventLoop, context.isStopping);
  const findings: Finding[] = [];
  const earliest = now.getTime() - SKIP_AFTER_MS;
  for (const check of checks) {
    await slicer.yieldIfDue(CAR_COST_DAYS);
    const quarter = Math.ceil(Math.max(check.due_at.getTime(), earliest) / QUARTER_HOUR_MS);
    const outlook = findModelledHousehold(check, steeringOf)?.model.chargeOutlookAt(quarter);
    findings.push({ check, at: new Date(quarter * QUARTER_HOUR_MS), outlook });
  }
  return findings;
}

/** The fleet's row is taken first, as every change of its state does. Resolves to the number of deliveries that were dropped. */
async function tellAll(
  tx: Tx,
  findings: readonly Finding[],
  { pendingDeliveries = DEFAULT_QUOTAS.pending_deliveries }: ChargeChecksContext,
): Promise<number> {
  const [first] = findings;
  if (first === undefined) return 0;
  const { org_id: orgId, fleet_org_id: fleetOrgId, fleet_id: fleetId } = first.check;
  const fleet = await findEventFleet(tx, fleetOrgId, fleetId);
  if (fleet === undefined || !isFleetActive(fleet.status)) {
    await deleteChargeChecks(tx, orgId);
    return 0;
  }
  let dropped = 0;
  for (const finding of findings) {
    if (!(await claimChargeCheck(tx, finding.check))) continue;
    dropped += await apply(tx, finding, pendingDeliveries);
  }
  return dropped;
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
  } else if (!isMissed) await clearOpenItems(tx, key, told !== null && told < at ? told : at);
  const next = nextLook(at, outlook, isMissed ? departure : null);
  await updateChargeCheck(tx, check, next && { dueAt: next, toldDeparture: told });
  return dropped;
}

/** When a car is to be looked at again; null when nobody lets it charge by price. */
function nextLook(at: Date, outlook: ChargeOutlook | undefined, departure: Date | null): Date | null {
  if (departure !== null) return departure;
  if (outlook === undefined || !outlook.isSmart) return null;
  const quarter = at.getTime() / QUARTER_HOUR_MS;
  const next = outlook.stay?.end ?? outlook.nextStay ?? quarter + NEXT_LOOK.away;
  return toInstant(outlook.isSteered ? next : Math.min(next, quarter + NEXT_LOOK.unsteered));
}

const toInstant = (quarter: number): Date => new Date(quarter * QUARTER_HOUR_MS);
