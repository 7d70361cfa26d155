import { findParentOrganizationId, findPriceFingerprint } from '../queries/prices/day-ahead-prices.ts';
import type { Db } from '../queries/connection/database.ts';
import type { ScheduleState } from '../simulation/devices/schedule-states.ts';
import type { Household } from '../simulation/household/household.ts';
import { BoundedCache } from '../simulation/kernel/bounded-cache.ts';
import type { PriceBook } from '../simulation/devices/price-book.ts';
import { createHeatPumpScheduler } from '../simulation/devices/schedule.ts';
import { loadPriceBook } from './price-book.ts';
import { HOUR_MS } from '../domain/api/durations.ts';

type HeatPumpSchedule = (at: Date) => ScheduleState;

interface CachedSchedules {
  readonly loadedAt: Date;
  /** What findPriceFingerprint returned for the prices that might still come in then. */
  readonly state: string;
  readonly book: PriceBook;
  readonly schedules: WeakMap<Household, HeatPumpSchedule>;
}

/** A quarter is planned with its local day: what comes in later than a day of 25 hours after its beginning never counts. */
const MAX_LATENESS_MS = 26 * HOUR_MS;
/**
 * Prices that the first day of a history depends on: heat may be deferred from the day before, local days have up to 25
 * hours, and a price is valid for some time behind its beginning. Three days and an hour more than cover these.
 */
const PRICES_BEFORE_HISTORY_MS = 76 * HOUR_MS;
/** Clocks of processes differ less. */
const MAX_CLOCK_SKEW_MS = HOUR_MS;
/** Later than any quarter that is asked for: the past is planned with what was known as each quarter began. */
const KNOWN_FROM_START = new Date(8.64e15);
const LATEST = new Date('9999-12-31T00:00:00Z');

/** Prices and planners of the simulation organizations asked for last. They are created again when a price has come in. */
const cachedByOrganization = new BoundedCache<string, { current: CachedSchedules | undefined }>(64);

/**
 * The schedules that heat pumps of a simulation organization have followed since `since`, the start of its history.
 * The same prices give the same function again, on which the states that are remembered depend.
 */
export async function loadHeatPumpScheduler(
  db: Db,
  orgId: string,
  since: Date,
  now: Date,
): Promise<(household: Household) => HeatPumpSchedule> {
  const parent = await findParentOrganizationId(db, orgId);
  const orgIds = parent === undefined ? [orgId] : [orgId, parent];
  // A price that begins earlier cannot count any more: years of prices need not be searched each time.
  const stateSince = (instant: Date): Promise<string> =>
    findPriceFingerprint(
      db,
      orgIds,
      new Date(instant.getTime() - MAX_LATENESS_MS - MAX_CLOCK_SKEW_MS),
      MAX_LATENESS_MS,
    );
  const slot = cachedByOrganization.getOrCompute(orgId, () => ({ current: undefined }));
  const { current } = slot;
  if (current && now >= current.loadedAt && (await stateSince(current.loadedAt)) === current.state) {
    return schedulesOf(current);
  }
  const state = await stateSince(now);
  const book = await loadPriceBook(
    db,
    orgId,
    { from: new Date(since.getTime() - PRICES_BEFORE_HISTORY_MS), to: LATEST },
    MAX_LATENESS_MS,
  );
  slot.current = { loadedAt: now, state, book, schedules: new WeakMap() };
  return schedulesOf(slot.current);
}

function schedulesOf({ book, schedules }: CachedSchedules): (household: Household) => HeatPumpSchedule {
  return (household) => {
    const known = schedules.get(household);
    if (known !== undefined) return known;
    const schedule = createHeatPumpScheduler(household, book, KNOWN_FROM_START);
    schedules.set(household, schedule);
    return schedule;
  };
}
