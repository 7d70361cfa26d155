import { toCheckpointRow, utcDayOf, fromCheckpointRow, lastSettledDay } from '../households/counters.ts';
import { TimeSlicer } from '../households/time-slicer.ts';
import type { YieldToEventLoop } from '../households/time-slicer.ts';
import { loadHistoryPrices } from '../households/history-prices.ts';
import { controlOfHousehold, loadControls } from '../households/household-controls.ts';
import { steeringByPrices } from '../households/household-steering.ts';
import { isSteered } from '../households/stored-households.ts';
import {
  claimCheckpoints,
  listDueHouseholds,
  lockCheckpointClaim,
  releaseCheckpointClaim,
  upsertCheckpoints,
  updateCheckpointClaim,
} from '../queries/fleets/checkpoints.ts';
import type { CheckpointClaim, DueHousehold, HouseholdCheckpoint } from '../queries/fleets/checkpoints.ts';
import { UNSTEERED } from '../simulation/control/steering.ts';
import type { Steering } from '../simulation/control/steering.ts';
import type { Household } from '../simulation/household/household.ts';
import type { Checkpoint } from '../simulation/model/counter-accumulator.ts';
import { createModelOfVersion, parseStoredHousehold } from '../simulation/model/model-versions.ts';
import type { FleetWorkContext } from './provisioning.ts';

/** Checkpoints older than this are advanced: a request then sums a week at most, some 0.2 ms. */
const CHECKPOINT_AGE_DAYS = 7;
/** What was summed is written after so many household-days, 0.2 s and more, or so much time: the claim must not run out. */
const WRITE_AFTER_DAYS = 4000;
const WRITE_AFTER_MS = 2000;
/** A fleet of a thousand with decades of history takes twenty minutes: then others have their turn. */
const TURN_MS = 10_000;
/** Days of a household between two checks of the clock. */
const CLOCK_CHECK_DAYS = 250;
/** What looking at a household costs beside its days. */
const HOUSEHOLD_COST_DAYS = 10;
/** Households that are read at once. */
const HOUSEHOLD_BATCH_SIZE = 200;

export interface CheckpointWorkContext extends FleetWorkContext {
  readonly yieldToEventLoop: YieldToEventLoop;
  /** Milliseconds of a monotonic clock. */
  readonly elapsedMs: () => number;
}

/**
 * Advances the checkpoints of an active fleet, for some ten seconds, of the partner that comes after the `served` one. Resolves to
 * its partner, undefined when those of no fleet are due. `onTurn` hears of the partner before anything is done: a turn that fails was one
 * all the same. A fleet that changes its
 * state meanwhile ends it: what was summed since the last writing is dropped, and nothing more is written.
 */
export async function advanceCheckpoints(
  context: CheckpointWorkContext,
  served?: string,
  onTurn: (partnerId: string) => void = () => undefined,
): Promise<string | undefined> {
  const { db, now, leaseUntil } = context;
  const day = lastSettledDay(now());
  const oldest = day - CHECKPOINT_AGE_DAYS;
  const claim = await claimCheckpoints(db, { day: oldest, now: now(), leaseUntil: leaseUntil(), served });
  if (claim === undefined) return undefined;
  onTurn(claim.org_id);
  try {
    await advanceClaimed(context, claim, day);
  } catch (error) {
    // The partner's other fleets come before it for as long as a lease. Where the database is away, that of the claim runs out.
    await releaseCheckpointClaim(db, claim, leaseUntil()).catch(() => undefined);
    throw error;
  }
  return claim.org_id;
}

async function advanceClaimed(
  context: CheckpointWorkContext,
  claim: CheckpointClaim,
  day: number,
): Promise<void> {
  const { db, now, elapsedMs } = context;
  const turnEndsMs = elapsedMs() + TURN_MS;
  const prices = await loadHistoryPrices(db, claim.simulation_org_id, claim.history_from, now());
  const slicer = new TimeSlicer(context.yieldToEventLoop, context.isStopping);
  for (let from = 0; ;) {
    const due = await listDueHouseholds(db, claim.simulation_org_id, day, {
      from,
      limit: HOUSEHOLD_BATCH_SIZE,
    });
    const controls = await loadControls(db, prices.partnerId, due);
    const steeringOf = steeringByPrices(prices, controlOfHousehold(controls));
    const until = elapsedMs() + WRITE_AFTER_MS;
    const made = await computeCheckpoints(due, day, steeringOf, slicer, () => elapsedMs() >= until);
    const isHeld = await writeCheckpoints(context, claim, made, due.length === 0 ? day : undefined);
    if (!isHeld || due.length === 0) return;
    if (context.isStopping() || elapsedMs() >= turnEndsMs) return releaseCheckpointClaim(db, claim);
    from = made.at(-1)?.household_index ?? from;
  }
}

/** The checkpoints of the first of the households; the last one may not have come as far as `day`. */
async function computeCheckpoints(
  due: readonly DueHousehold[],
  day: number,
  steeringOf: (household: Household) => Steering,
  slicer: TimeSlicer,
  isLate: () => boolean,
): Promise<HouseholdCheckpoint[]> {
  const made: HouseholdCheckpoint[] = [];
  let left = WRITE_AFTER_DAYS;
  for (const row of due) {
    const { attributes, checkpoint } = row;
    const household = parseStoredHousehold(attributes);
    // A model of its own: the cache is for requests.
    const { counters } = createModelOfVersion(
      household,
      isSteered(row, household) ? steeringOf(household) : UNSTEERED,
    );
    if (checkpoint) counters.restore(fromCheckpointRow(checkpoint));
    let reached = checkpoint?.day ?? utcDayOf(new Date(household.anchor_ms));
    await slicer.yieldIfDue(HOUSEHOLD_COST_DAYS);
    let last: Checkpoint | undefined;
    do {
      const to = Math.min(day, reached + left, reached + CLOCK_CHECK_DAYS);
      last = await slicer.advanceTo(counters, to);
      if (last === undefined) return made;
      left -= to - reached;
      reached = to;
    } while (reached < day && left > 0 && !isLate());
    made.push(toCheckpointRow(household, last));
    left -= HOUSEHOLD_COST_DAYS;
    if (left <= 0 || isLate()) break;
  }
  return made;
}

/** Writes what was summed, or that nothing is left to sum. False when the claim is lost. */
async function writeCheckpoints(
  { db, leaseUntil }: CheckpointWorkContext,
  claim: CheckpointClaim,
  made: readonly HouseholdCheckpoint[],
  doneDay: number | undefined,
): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    if (!(await lockCheckpointClaim(tx, claim))) return false;
    await upsertCheckpoints(tx, claim.simulation_org_id, made);
    await updateCheckpointClaim(
      tx,
      claim,
      doneDay === undefined ? { leaseUntil: leaseUntil() } : { doneDay },
    );
    return true;
  });
}
