import { findParentOrganizationId, findPriceFingerprint } from '../queries/prices/day-ahead-prices.ts';
import type { Db } from '../queries/connection/database.ts';
import type { Household } from '../simulation/household/household.ts';
import { BoundedCache } from '../simulation/kernel/bounded-cache.ts';
import { schedulesOf } from './planned-schedules.ts';
import type { HeatPumpSchedule, HistoryPrices } from './planned-schedules.ts';
import { loadKnownPrices } from './price-book.ts';
import { HOUR_MS } from '../domain/api/durations.ts';

interface CachedPrices extends HistoryPrices {
  readonly loadedAt: Date;
  /** What findPriceFingerprint returned for the prices that might still come in then. */
  readonly state: string;
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
const LATEST = new Date('9999-12-31T00:00:00Z');

/** Prices of the simulation organizations asked for last. They are loaded again when a price has come in. */
const pricesByOrganization = new BoundedCache<string, { current: CachedPrices | undefined }>(64);
let versions = 0;

/** The prices that the heat pumps of a simulation organization have followed since `since`, the start of its history. */
export async function loadHistoryPrices(
  db: Db,
  orgId: string,
  since: Date,
  now: Date,
): Promise<HistoryPrices> {
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
  const slot = pricesByOrganization.getOrCompute(orgId, () => ({ current: undefined }));
  const { current } = slot;
  if (current && now >= current.loadedAt && (await stateSince(current.loadedAt)) === current.state) {
    return current;
  }
  const state = await stateSince(now);
  const span = { from: new Date(since.getTime() - PRICES_BEFORE_HISTORY_MS), to: LATEST };
  const known = await loadKnownPrices(db, orgId, span, MAX_LATENESS_MS);
  slot.current = { orgId, version: ++versions, loadedAt: now, state, known };
  return slot.current;
}

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
  return schedulesOf(await loadHistoryPrices(db, orgId, since, now));
}
