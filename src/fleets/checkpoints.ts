import { checkpointRow, dayOf, readCheckpoint, settledDay } from '../households/checkpoints.ts';
import { Pace } from '../households/pace.ts';
import type { TakeTurn } from '../households/pace.ts';
import { liveSchedules } from '../households/schedules.ts';
import {
  claimCheckpoints,
  listDueHouseholds,
  lockCheckpointClaim,
  releaseCheckpointClaim,
  storeCheckpoints,
  updateCheckpointClaim,
} from '../queries/fleets/checkpoints.ts';
import type { CheckpointClaim, DueHousehold, HouseholdCheckpoint } from '../queries/fleets/checkpoints.ts';
import { alwaysMid } from '../simulation/devices/heat.ts';
import type { ScheduleState } from '../simulation/devices/heat.ts';
import type { Household } from '../simulation/household/household.ts';
import { createModel } from '../simulation/model/model.ts';
import type { WorkTools } from './provisioning.ts';

/** Checkpoints are moved on when they are so old: a first look then sums a week at most, some 0.2 ms. */
const MOVED_EVERY_DAYS = 7;
/** What was summed is written after so many household-days, 0.2 s and more, or so much time: the claim must not run out. */
const WRITTEN_EVERY_DAYS = 4000;
const WRITTEN_EVERY_MS = 2000;
/** Days of a household between two looks at the time. */
const STRETCH_DAYS = 250;
/** What looking at a household costs beside its days. */
const LOOK_DAYS = 10;
/** Households that are read at once. */
const BATCH = 200;

export interface CheckpointTools extends WorkTools {
  readonly takeTurn: TakeTurn;
  /** Milliseconds since whenever, for lengths of time. */
  readonly elapsedMs: () => number;
}

/**
 * Moves on the checkpoints of the live fleet whose are oldest; false when no fleet's are due. A fleet that changes its
 * state meanwhile ends it: what was summed since the last writing is dropped, and nothing more is written.
 */
export async function moveCheckpoints(tools: CheckpointTools): Promise<boolean> {
  const { db, now, leaseUntil } = tools;
  const day = settledDay(now());
  const claim = await claimCheckpoints(db, day - MOVED_EVERY_DAYS, now(), leaseUntil());
  if (claim === undefined) return false;
  const scheduleOf = await liveSchedules(db, claim.simulation_org_id, claim.history_from, now());
  const pace = new Pace(tools.takeTurn, tools.isStopping);
  for (let from = 0; ;) {
    const due = await listDueHouseholds(db, claim.simulation_org_id, day, { from, limit: BATCH });
    const until = tools.elapsedMs() + WRITTEN_EVERY_MS;
    const made = await sumSome(due, day, scheduleOf, pace, () => tools.elapsedMs() >= until);
    const isHeld = await write(tools, claim, made, due.length === 0 ? day : undefined);
    if (!isHeld || due.length === 0) return true;
    if (tools.isStopping()) {
      await releaseCheckpointClaim(db, claim);
      return true;
    }
    from = made.at(-1)?.household_index ?? from;
  }
}

/** The checkpoints of the first of the households; the last one may not have come as far as `day`. */
async function sumSome(
  due: readonly DueHousehold[],
  day: number,
  scheduleOf: (household: Household) => (at: Date) => ScheduleState,
  pace: Pace,
  isLate: () => boolean,
): Promise<HouseholdCheckpoint[]> {
  const made: HouseholdCheckpoint[] = [];
  let left = WRITTEN_EVERY_DAYS;
  for (const { attributes, checkpoint } of due) {
    const household = attributes as Household;
    // A model of its own: those of requests are kept for requests.
    const { ledger } = createModel(household, household.heat_pump ? scheduleOf(household) : alwaysMid);
    if (checkpoint) ledger.learn(readCheckpoint(checkpoint));
    let reached = checkpoint?.day ?? dayOf(new Date(household.anchor_ms));
    await pace.keep(LOOK_DAYS);
    do {
      const to = Math.min(day, reached + left, reached + STRETCH_DAYS);
      if (!(await pace.reach(ledger, to))) return made;
      left -= to - reached;
      reached = to;
    } while (reached < day && left > 0 && !isLate());
    made.push(checkpointRow(household, ledger.at(reached)));
    left -= LOOK_DAYS;
    if (left <= 0 || isLate()) break;
  }
  return made;
}

/** Writes what was summed, or that nothing is left to sum. False when the claim is lost. */
async function write(
  { db, leaseUntil }: CheckpointTools,
  claim: CheckpointClaim,
  made: readonly HouseholdCheckpoint[],
  doneDay: number | undefined,
): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    if (!(await lockCheckpointClaim(tx, claim))) return false;
    await storeCheckpoints(tx, claim.simulation_org_id, made);
    await updateCheckpointClaim(
      tx,
      claim,
      doneDay === undefined ? { leaseUntil: leaseUntil() } : { doneDay },
    );
    return true;
  });
}
