import { findPriceParent, findPriceState } from '../queries/prices/day-ahead-prices.ts';
import type { Db } from '../queries/connection/database.ts';
import type { ScheduleState } from '../simulation/devices/heat.ts';
import type { Household } from '../simulation/household/household.ts';
import { Memory } from '../simulation/kernel/bounded-cache.ts';
import type { PriceBook } from '../simulation/devices/price-book.ts';
import { schedulePlanner } from '../simulation/devices/schedule.ts';
import { loadPrices } from './prices.ts';

type Schedule = (at: Date) => ScheduleState;

interface Kept {
  readonly loadedAt: Date;
  /** What findPriceState said of the prices that might still come in then. */
  readonly state: string;
  readonly book: PriceBook;
  readonly schedules: Memory<string, Schedule>;
}

const HOUR_MS = 3_600_000;
/** A quarter is planned with its local day: what comes in later than a day of 25 hours after its beginning never counts. */
const LATE_MS = 26 * HOUR_MS;
/**
 * Prices that the first day of a history depends on: heat is owed from the day before, a local day has up to 25 hours,
 * and a price holds until the next one, a day or so.
 */
const BEFORE_MS = 76 * HOUR_MS;
/** Clocks of processes differ less. */
const SKEW_MS = HOUR_MS;
/** Later than any quarter that is asked for: the past is planned with what was known as each quarter began. */
const FAR = new Date(8.64e15);
const LATEST = new Date('9999-12-31T00:00:00Z');

/** Prices and planners of the simulation organizations asked for last. They are made anew when a price has come in. */
const kept = new Memory<string, { current: Kept | undefined }>(64);

/**
 * The schedules that heat pumps of a simulation organization have followed since `since`, the start of its history.
 * The same prices give the same function again, on which the states that are remembered depend.
 */
export async function liveSchedules(
  db: Db,
  orgId: string,
  since: Date,
  now: Date,
): Promise<(household: Household) => Schedule> {
  const parent = await findPriceParent(db, orgId);
  const orgIds = parent === undefined ? [orgId] : [orgId, parent];
  // Of those that begin earlier none can come in that counts: years of them need not be looked through each time.
  const stateSince = (instant: Date): Promise<string> =>
    findPriceState(db, orgIds, new Date(instant.getTime() - LATE_MS - SKEW_MS), LATE_MS);
  const slot = kept.get(orgId, () => ({ current: undefined }));
  const { current } = slot;
  if (current && now >= current.loadedAt && (await stateSince(current.loadedAt)) === current.state) {
    return planners(current);
  }
  const state = await stateSince(now);
  const book = await loadPrices(
    db,
    orgId,
    { from: new Date(since.getTime() - BEFORE_MS), to: LATEST },
    LATE_MS,
  );
  slot.current = { loadedAt: now, state, book, schedules: new Memory(1000) };
  return planners(slot.current);
}

function planners({ book, schedules }: Kept): (household: Household) => Schedule {
  return (household) => schedules.get(JSON.stringify(household), () => schedulePlanner(household, book, FAR));
}
