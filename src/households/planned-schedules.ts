import { toPriceBook } from '../simulation/devices/price-book.ts';
import type { KnownPrices, PriceBook } from '../simulation/devices/price-book.ts';
import { createHeatPumpScheduler } from '../simulation/house/schedule.ts';
import type { ScheduleState } from '../simulation/devices/schedule-states.ts';
import type { Household } from '../simulation/household/household.ts';
import { ByteCache } from '../simulation/kernel/byte-cache.ts';

export type HeatPumpSchedule = (at: Date) => ScheduleState;

/** The prices of a simulation organization in its history, with the schedules that follow from them. */
export interface HistoryPrices {
  readonly orgId: string;
  readonly partnerId: string;
  /** Another one whenever the prices are others: what was made of them can be kept as long as it stays. */
  readonly version: string;
  readonly known: KnownPrices;
}

interface CachedSchedules {
  readonly version: string;
  readonly book: PriceBook;
  readonly schedules: WeakMap<Household, HeatPumpSchedule>;
}

/** Later than any quarter that is asked for: the past is planned with what was known as each quarter began. */
const KNOWN_FROM_START = new Date(8.64e15);

/** By simulation organizations. They keep the prices alive that they were made of. */
const schedulesByOrganization = new ByteCache<CachedSchedules>({
  maxBytes: 32 * 1_048_576,
  maxBytesOfPartner: 16 * 1_048_576,
});

/**
 * The schedules of an organization's heat pumps that follow from its prices. The same version gives the same function
 * again, on which the states that are remembered depend.
 */
export function schedulesOf({
  orgId,
  partnerId,
  version,
  known,
}: HistoryPrices): (household: Household) => HeatPumpSchedule {
  let cached = schedulesByOrganization.find(orgId);
  if (cached?.version !== version) {
    cached = { version, book: toPriceBook(known), schedules: new WeakMap() };
    schedulesByOrganization.set(orgId, cached, partnerId, bytesOf(known));
  }
  const { book, schedules } = cached;
  return (household) => {
    const known = schedules.get(household);
    if (known !== undefined) return known;
    const schedule = createHeatPumpScheduler(household, book, KNOWN_FROM_START);
    schedules.set(household, schedule);
    return schedule;
  };
}

function bytesOf({ own, parent }: KnownPrices): number {
  return [own, parent].reduce(
    (sum, { numbers, arrivals }) => sum + numbers.byteLength + arrivals.byteLength,
    0,
  );
}
