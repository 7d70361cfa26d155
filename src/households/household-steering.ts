import { toPriceBook } from '../simulation/control/price-book.ts';
import type { KnownPrices, PriceBook } from '../simulation/control/price-book.ts';
import { UNCONTROLLED } from '../simulation/control/household-control.ts';
import type { HouseholdControl } from '../simulation/control/household-control.ts';
import { steeringOf } from '../simulation/control/steering.ts';
import type { Steering } from '../simulation/control/steering.ts';
import type { Household } from '../simulation/household/household.ts';
import { ByteCache } from '../domain/caches/byte-cache.ts';

/** The prices of a simulation organization in its history, with the schedules that follow from them. */
export interface HistoryPrices {
  readonly orgId: string;
  readonly partnerId: string;
  /** Another one whenever the prices are others: what was made of them can be kept as long as it stays. */
  readonly version: string;
  readonly known: KnownPrices;
}

interface CachedSteering {
  readonly version: string;
  readonly book: PriceBook;
  readonly byControl: WeakMap<HouseholdControl, Steering>;
}

/** By simulation organizations. They keep the prices alive that they were made of. */
const steeringByOrganization = new ByteCache<CachedSteering>({
  maxBytes: 32 * 1_048_576,
  maxBytesOfPartner: 16 * 1_048_576,
});

/**
 * What steers the households of an organization: its prices, and what was asked of each household (`controlOf`). The same
 * version and the same control give the same object again, on which the states that are remembered depend.
 */
export function steeringByPrices(
  { orgId, partnerId, version, known }: HistoryPrices,
  controlOf: (household: Household) => HouseholdControl = () => UNCONTROLLED,
): (household: Household) => Steering {
  let cached = steeringByOrganization.find(orgId);
  if (cached?.version !== version) {
    cached = { version, book: toPriceBook(known), byControl: new WeakMap() };
    steeringByOrganization.set(orgId, cached, partnerId, bytesOf(known));
  }
  const { book, byControl } = cached;
  return (household) => {
    const control = controlOf(household);
    const found = byControl.get(control);
    if (found !== undefined) return found;
    const steering = steeringOf(book, control);
    byControl.set(control, steering);
    return steering;
  };
}

function bytesOf({ own, parent }: KnownPrices): number {
  return [own, parent].reduce(
    (sum, { numbers, arrivals }) => sum + numbers.byteLength + arrivals.byteLength,
    0,
  );
}
