import { toPriceBook } from '../simulation/devices/price-book.ts';
import type { KnownPrices, PriceBook } from '../simulation/devices/price-book.ts';
import { createHeatPumpScheduler } from '../simulation/devices/schedule.ts';
import type { ScheduleState } from '../simulation/devices/schedule-states.ts';
import type { Household } from '../simulation/household/household.ts';
import { BoundedCache } from '../simulation/kernel/bounded-cache.ts';

export type HeatPumpSchedule = (at: Date) => ScheduleState;

/** The prices of a simulation organization in its history, with the schedules that follow from them. */
export interface HistoryPrices {
  readonly orgId: string;
  /** Another one whenever the prices are others: what was made of them can be kept as long as it stays. */
  readonly version: number;
  readonly known: KnownPrices;
}

interface CachedSchedules {
  readonly version: number;
  readonly book: PriceBook;
  readonly schedules: WeakMap<Household, HeatPumpSchedule>;
}

/** Later than any quarter that is asked for: the past is planned with what was known as each quarter began. */
const KNOWN_FROM_START = new Date(8.64e15);

/** Planners of these organizations. */
const schedulesByOrganization = new BoundedCache<string, { current: CachedSchedules | undefined }>(64);

/**
 * The schedules of an organization's heat pumps that follow from its prices. The same version gives the same function
 * again, on which the states that are remembered depend.
 */
export function schedulesOf({
  orgId,
  version,
  known,
}: HistoryPrices): (household: Household) => HeatPumpSchedule {
  const slot = schedulesByOrganization.getOrCompute(orgId, () => ({ current: undefined }));
  if (slot.current?.version !== version) {
    slot.current = { version, book: toPriceBook(known), schedules: new WeakMap() };
  }
  const { book, schedules } = slot.current;
  return (household) => {
    const known = schedules.get(household);
    if (known !== undefined) return known;
    const schedule = createHeatPumpScheduler(household, book, KNOWN_FROM_START);
    schedules.set(household, schedule);
    return schedule;
  };
}
