/** Figures of a household's load over a year, as those of the measured homes in truth/load.csv were computed. */
import { deviation, mean, median, quantile } from './statistics.ts';

const HALF_HOURS = 48;

function autocorrelation(values: readonly number[], lag: number): number {
  const middle = mean(values);
  let [product, square] = [0, 0];
  for (const [i, value] of values.entries()) {
    square += (value - middle) ** 2;
    const later = values[i + lag];
    if (later !== undefined) product += (value - middle) * (later - middle);
  }
  return product / square;
}

/** Of each value, the median of those up to `reach` before and after. */
const runningMedian = (values: readonly number[], reach: number): number[] =>
  values.map((_, i) => median(values.slice(Math.max(0, i - reach), i + reach + 1)));

/** Powers less the home's own mean day of the same kind: Monday to Friday, Saturday, Sunday. */
function residual(powers: readonly number[], firstWeekday: number): number[] {
  const kindOf = (i: number): number => {
    const weekday = (firstWeekday + Math.floor(i / HALF_HOURS)) % 7;
    return weekday === 0 ? 2 : weekday === 6 ? 1 : 0;
  };
  const sums = new Float64Array(3 * HALF_HOURS);
  const counts = new Float64Array(3 * HALF_HOURS);
  const slotOf = (i: number): number => kindOf(i) * HALF_HOURS + (i % HALF_HOURS);
  for (const [i, power] of powers.entries()) {
    const slot = slotOf(i);
    sums[slot] = (sums[slot] ?? 0) + power;
    counts[slot] = (counts[slot] ?? 0) + 1;
  }
  return powers.map((power, i) => power - (sums[slotOf(i)] ?? 0) / (counts[slotOf(i)] ?? 1));
}

/** By column of truth/load.csv. */
export type LoadFigures = Readonly<Record<LoadColumn, number>>;
export const LOAD_COLUMNS = [
  'annual_kWh',
  'mean_kW',
  'max_kW',
  'p999_kW',
  'p99_kW',
  'max_over_mean',
  'p5_kW',
  'median_kW',
  'ac_lag1',
  'ac_1h',
  'ac_1d',
  'ac_7d',
  'night_share_0_5',
  'evening_share_17_22',
  'daily_cv',
  'daily_cv_detrended',
  'daily_ac1_detrended',
  'absence_days_per_yr',
  'absence_local_per_yr',
  'winter_over_summer',
] as const;
export type LoadColumn = (typeof LOAD_COLUMNS)[number];

/**
 * The figures of a year of half-hourly powers in kW, local time; `firstWeekday` is that of the first day (0 is Sunday) and
 * the year begins in January, north of the equator.
 */
export function loadFigures(powers: readonly number[], firstWeekday: number): LoadFigures {
  const days = Array.from({ length: Math.floor(powers.length / HALF_HOURS) }, (_, day) =>
    powers.slice(day * HALF_HOURS, (day + 1) * HALF_HOURS),
  );
  const energies = days.map((day) => day.reduce((sum, power) => sum + power / 2, 0));
  const level = mean(powers);
  const total = level * powers.length;
  const shareOf = (from: number, to: number): number =>
    days.reduce((sum, day) => sum + day.slice(2 * from, 2 * to).reduce((a, b) => a + b, 0), 0) / total;
  const left = residual(powers, firstWeekday);
  const trend = runningMedian(energies, 14);
  const detrended = energies.map((energy, i) => energy - (trend[i] ?? 0));
  const local = runningMedian(energies, 28);
  const typical = median(energies);
  const perYear = 365 / energies.length;
  const winter = [...energies.slice(0, 59), ...energies.slice(334)];
  const max = powers.reduce((most, power) => Math.max(most, power), 0);
  return {
    annual_kWh: level * 8760,
    mean_kW: level,
    max_kW: max,
    p999_kW: quantile(powers, 0.999),
    p99_kW: quantile(powers, 0.99),
    max_over_mean: max / level,
    p5_kW: quantile(powers, 0.05),
    median_kW: median(powers),
    ac_lag1: autocorrelation(left, 1),
    ac_1h: autocorrelation(left, 2),
    ac_1d: autocorrelation(left, HALF_HOURS),
    ac_7d: autocorrelation(left, 7 * HALF_HOURS),
    night_share_0_5: shareOf(0, 5),
    evening_share_17_22: shareOf(17, 22),
    daily_cv: deviation(energies) / mean(energies),
    daily_cv_detrended: deviation(detrended) / mean(energies),
    daily_ac1_detrended: autocorrelation(detrended, 1),
    absence_days_per_yr: energies.filter((energy) => energy < 0.4 * typical).length * perYear,
    absence_local_per_yr: energies.filter((energy, i) => energy < 0.4 * (local[i] ?? 0)).length * perYear,
    winter_over_summer: mean(winter) / mean(energies.slice(151, 243)),
  };
}

/** Largest distance between the distributions of two samples (Kolmogorov and Smirnov), 0..1. */
export function distributionDistance(one: readonly number[], other: readonly number[]): number {
  const partUpTo = (values: readonly number[], limit: number): number =>
    values.filter((value) => value <= limit).length / values.length;
  return Math.max(
    ...[...one, ...other].map((limit) => Math.abs(partUpTo(one, limit) - partUpTo(other, limit))),
  );
}
