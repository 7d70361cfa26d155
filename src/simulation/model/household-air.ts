/** The air where a household is. */
import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import type { HouseholdControl } from '../control/household-control.ts';
import { valueInForce } from '../control/revisions.ts';
import { siteWeather } from '../environment/weather.ts';
import type { Household } from '../household/household.ts';
import { splitSeed } from '../kernel/noise.ts';

/**
 * Air temperatures at the middles of the 96 quarter hours of a UTC day (days since 1970), each where the household was then, C.
 * Read them at once, and never write to them: they may be those of a site's weather.
 */
export function airTemperaturesOn(
  { seed, latitude, longitude }: Household,
  places: HouseholdControl['places'],
  day: number,
): Float64Array {
  const start = day * QUARTER_HOURS_PER_DAY;
  const end = start + QUARTER_HOURS_PER_DAY;
  const airAt = (quarter: number): Float64Array => {
    const place = valueInForce(places, quarter, { latitude, longitude });
    return siteWeather(splitSeed(seed), place.latitude, place.longitude).airTemperaturesOn(day);
  };
  const moves = places.filter(({ from }) => from > start && from < end);
  if (moves.length === 0) return airAt(start);
  const air = airAt(start).slice();
  for (const { from } of moves) air.set(airAt(from).subarray(from - start), from - start);
  return air;
}
