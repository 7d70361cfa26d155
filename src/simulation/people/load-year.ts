/** What an archetype's curve sums up to over the calendar years of a country, so that each year consumes what was asked. */
import { dayOfYear, firstDayOf } from '../time/calendar.ts';
import { DAY_TYPES, dayTypeOf } from '../time/day-type.ts';
import { MEAN_BASE_SHARE } from './event-curves.ts';
import { archetypeCurve } from './archetype-curves.ts';
import { MONTHS, dayOverMonthOf, meanOf, profileDayOf, profileMonthOf } from './norm-profile.ts';

/** How much of the mean load is above the base. */
const ACTIVE_SHARE = 1 - MEAN_BASE_SHARE;

/** Factor of what is above the base on a day of the profile's year (profileDayOf): its load over that of its month. */
export const seasonalFactorOn = (profileDay: number): number =>
  1 + (dayOverMonthOf(profileDay) - 1) / ACTIVE_SHARE;

/** Weights of months and types of days in a year: seasonal factors of its days, summed and divided by its days. */
const weightsByYear = new Map<string, Float64Array>();
const CACHED_YEARS = 1000;
const TYPE_COUNT = DAY_TYPES.length;

function weightsOf(year: number, country: string | null, latitude: number): Float64Array {
  const key = `${year} ${country ?? ''} ${latitude < 0 ? 'south' : 'north'}`;
  const known = weightsByYear.get(key);
  if (known) return known;
  const weights = new Float64Array(MONTHS * TYPE_COUNT);
  const start = firstDayOf(year);
  const days = firstDayOf(year + 1) - start;
  for (let day = start; day < start + days; day++) {
    const profileDay = profileDayOf(dayOfYear(day), latitude);
    const at = profileMonthOf(profileDay) * TYPE_COUNT + DAY_TYPES.indexOf(dayTypeOf(day, country));
    weights[at] = (weights[at] ?? 0) + seasonalFactorOn(profileDay) / days;
  }
  if (weightsByYear.size >= CACHED_YEARS) weightsByYear.clear();
  weightsByYear.set(key, weights);
  return weights;
}

/** By archetype, mean of the curve over the day less the base, of each month and type. */
const activeMeansByProfile = new Map<string, Float64Array>();

function activeMeansOf(profile: string): Float64Array {
  let means = activeMeansByProfile.get(profile);
  if (!means) {
    means = Float64Array.from({ length: MONTHS * TYPE_COUNT }, (_, at) => {
      const type = DAY_TYPES[at % TYPE_COUNT] ?? 'workday';
      return meanOf(archetypeCurve(profile, Math.floor(at / TYPE_COUNT), type)) - MEAN_BASE_SHARE;
    });
    activeMeansByProfile.set(profile, means);
  }
  return means;
}

/**
 * Mean over a calendar year of what an archetype (name) is expected to use above the base, in units of its mean load: near
 * 0.75, as the year's days of each type fall. Country as ISO 3166-1 alpha-2 (null at sea), latitude in degrees.
 */
export function activeMeanOverYear(
  profile: string,
  year: number,
  country: string | null,
  latitude: number,
): number {
  const means = activeMeansOf(profile);
  const weights = weightsOf(year, country, latitude);
  let sum = 0;
  for (let at = 0; at < MONTHS * TYPE_COUNT; at++) sum += (means[at] ?? 0) * (weights[at] ?? 0);
  return sum;
}
