/** The norm profile of households: H25 of BDEW as a Fourier fit (docs/simulation.md#household-load). */
import { DAY_MS } from '../../domain/api/durations.ts';
import { dayOfYear } from '../time/calendar.ts';
import { isPublicHoliday } from '../time/holidays.ts';

/**
 * Coefficients of 1, cos θ, sin θ, cos 2θ, sin 2θ, … sin 5θ of the norm profile H25 (BDEW 2025, dynamised), in units of the
 * yearly mean: `mean` and what is added to it times the season term.
 */
export const NORM_PROFILE = {
  workday: {
    mean: [0.955, -0.017, -0.299, -0.096, -0.198, -0.051, -0.026, 0.023, 0.045, -0.019, -0.019],
    season: [0.156, -0.01, -0.081, -0.06, -0.039, -0.008, 0.018, 0.019, 0.018, -0.001, -0.011],
  },
  saturday: {
    mean: [1.091, -0.208, -0.347, 0.03, -0.175, -0.043, 0.033, 0.005, 0.003, 0.001, -0.032],
    season: [0.185, -0.051, -0.11, -0.031, -0.028, -0.013, 0.032, 0.016, 0.005, 0.003, -0.015],
  },
  sunday: {
    mean: [1.127, -0.265, -0.354, 0.07, -0.178, -0.1, 0.064, 0.016, 0.005, -0.002, -0.013],
    season: [0.193, -0.066, -0.106, -0.02, -0.019, -0.019, 0.036, 0.021, 0.004, 0.003, -0.009],
  },
} as const;
/** Kinds of days of the norm profile; public holidays count as Sundays. */
export type DayType = keyof typeof NORM_PROFILE;

/**
 * Type of a local day (days since 1970) in a country (ISO 3166-1 alpha-2, null at sea): public holidays are Sundays, and 24
 * and 31 December count as Saturdays unless they are Sundays.
 */
export function dayTypeOf(localDay: number, country: string | null): DayType {
  // 1 January 1970 is a Thursday.
  const weekday = (((localDay + 4) % 7) + 7) % 7;
  if (weekday === 0 || isPublicHoliday(country, localDay)) return 'sunday';
  if (weekday === 6) return 'saturday';
  if (dayOfYear(localDay) < 358) return 'workday';
  const date = new Date(localDay * DAY_MS);
  const eve = date.getUTCMonth() === 11 && (date.getUTCDate() === 24 || date.getUTCDate() === 31);
  return eve ? 'saturday' : 'workday';
}

/**
 * Load of the norm profile at a local hour 0..24, over its yearly mean and at least 0; `season` is the term of the day
 * (seasonTerm).
 */
export function normProfileLoad(type: DayType, hour: number, season: number): number {
  const { mean: a, season: w } = NORM_PROFILE[type];
  const theta = (2 * Math.PI * hour) / 24;
  let value = a[0] + w[0] * season;
  for (let n = 1; n <= 5; n++) {
    const cosine = (a[2 * n - 1] ?? 0) + (w[2 * n - 1] ?? 0) * season;
    const sine = (a[2 * n] ?? 0) + (w[2 * n] ?? 0) * season;
    value += cosine * Math.cos(n * theta) + sine * Math.sin(n * theta);
  }
  return Math.max(0, value);
}

/** Season term of a day of the year 1..366 at a latitude: 1 in the middle of January, -1 half a year later, in the south the other way round. */
export function seasonTerm(dayOfTheYear: number, latitude: number): number {
  return Math.cos((2 * Math.PI * (dayOfTheYear + (latitude < 0 ? 182 : 0) - 15)) / 365);
}
