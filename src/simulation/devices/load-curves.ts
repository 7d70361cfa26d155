/** The mean load of a household through a day: the norm profile, shaped by its archetype and shifted in time. */
import { DAY_MS, QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import { ARCHETYPES, profileLoadFactorAtHour } from '../household/profiles.ts';
import { allocateFloat64Array } from '../kernel/typed-arrays.ts';
import { dayOfYear } from '../time/calendar.ts';
import { NORM_PROFILE, dayTypeOf, seasonTerm } from './load-profile.ts';
import type { DayType } from './load-profile.ts';

/** Harmonics at the middles of the 96 quarter hours, ten each: cos θ, sin θ, cos 2θ, … sin 5θ. */
const WAVES = Float64Array.from({ length: 10 * QUARTER_HOURS_PER_DAY }, (_, at) => {
  const wave = at % 10;
  const angle =
    (Math.floor(wave / 2) + 1) * ((2 * Math.PI * (Math.floor(at / 10) + 0.5)) / QUARTER_HOURS_PER_DAY);
  return wave % 2 === 0 ? Math.cos(angle) : Math.sin(angle);
});

/** Coefficients of the curve shifted in time: each pair of cosine and sine is rotated by its multiple of the angle. */
function rotateCoefficients(coefficients: readonly number[], rotations: Float64Array): Float64Array {
  const rotated = allocateFloat64Array(11);
  rotated[0] = coefficients[0] ?? 0;
  for (let n = 1; n <= 10; n += 2) {
    const cosine = coefficients[n] ?? 0;
    const sine = coefficients[n + 1] ?? 0;
    rotated[n] = cosine * (rotations[n] ?? 0) - sine * (rotations[n + 1] ?? 0);
    rotated[n + 1] = cosine * (rotations[n + 1] ?? 0) + sine * (rotations[n] ?? 0);
  }
  return rotated;
}

/** Sums of harmonics at the 96 quarter hours; written out, since a loop in the loop takes half as long again. */
function sumHarmonics(coefficients: Float64Array): Float64Array {
  const values = allocateFloat64Array(QUARTER_HOURS_PER_DAY);
  const mean = coefficients[0] ?? 0;
  const c1 = coefficients[1] ?? 0;
  const s1 = coefficients[2] ?? 0;
  const c2 = coefficients[3] ?? 0;
  const s2 = coefficients[4] ?? 0;
  const c3 = coefficients[5] ?? 0;
  const s3 = coefficients[6] ?? 0;
  const c4 = coefficients[7] ?? 0;
  const s4 = coefficients[8] ?? 0;
  const c5 = coefficients[9] ?? 0;
  const s5 = coefficients[10] ?? 0;
  for (let i = 0, at = 0; i < QUARTER_HOURS_PER_DAY; i++, at += 10) {
    const one = mean + c1 * (WAVES[at] ?? 0) + s1 * (WAVES[at + 1] ?? 0);
    const two = one + c2 * (WAVES[at + 2] ?? 0) + s2 * (WAVES[at + 3] ?? 0);
    const three = two + c3 * (WAVES[at + 4] ?? 0) + s3 * (WAVES[at + 5] ?? 0);
    const four = three + c4 * (WAVES[at + 6] ?? 0) + s4 * (WAVES[at + 7] ?? 0);
    values[i] = four + c5 * (WAVES[at + 8] ?? 0) + s5 * (WAVES[at + 9] ?? 0);
  }
  return values;
}

/** A type of day at the 96 quarter hours: load over its yearly mean is `mean` plus the season term times `season`. */
interface DayTypeCurve {
  readonly mean: Float64Array;
  readonly season: Float64Array;
}

const MINUTES_PER_DAY = 1440;
/** Factors of the archetypes (by name) at the middle of each minute, computed when first asked for. */
const factorTables = new Map<string, Float64Array>();
function factorsOf(profile: string): Float64Array {
  let table = factorTables.get(profile);
  if (!table) {
    table = Float64Array.from({ length: MINUTES_PER_DAY }, (_, minute) =>
      profileLoadFactorAtHour(profile, (minute + 0.5) / 60),
    );
    factorTables.set(profile, table);
  }
  return table;
}

/** Cosines and sines of the first five multiples of the angle that a shift is of the day, from index 1 on. */
function rotationsOf(shiftMinutes: number): Float64Array {
  const angle = (2 * Math.PI * shiftMinutes) / MINUTES_PER_DAY;
  const rotations = allocateFloat64Array(11);
  for (let n = 1; n <= 5; n++) {
    rotations[2 * n - 1] = Math.cos(n * angle);
    rotations[2 * n] = Math.sin(n * angle);
  }
  return rotations;
}

function dayTypeCurveOf(
  profile: string,
  type: DayType,
  shiftMinutes: number,
  rotations: Float64Array,
): DayTypeCurve {
  const mean = sumHarmonics(rotateCoefficients(NORM_PROFILE[type].mean, rotations));
  const season = sumHarmonics(rotateCoefficients(NORM_PROFILE[type].season, rotations));
  const factors = factorsOf(profile);
  for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
    let minute = Math.floor(15 * i + 7.5 - shiftMinutes);
    if (minute < 0 || minute >= MINUTES_PER_DAY)
      minute = ((minute % MINUTES_PER_DAY) + MINUTES_PER_DAY) % MINUTES_PER_DAY;
    const factor = factors[minute] ?? 1;
    mean[i] = (mean[i] ?? 0) * factor;
    season[i] = (season[i] ?? 0) * factor;
  }
  return { mean, season };
}

const average = (values: Float64Array): number =>
  values.reduce((sum, value) => sum + value, 0) / QUARTER_HOURS_PER_DAY;

/** Means of both parts over a day of each type, by archetype; the time shift does not change them. */
const DAY_MEANS = new Map(
  ['', ...ARCHETYPES.map(({ name }) => name)].map((name) => {
    const of = (type: DayType) => {
      const { mean, season } = dayTypeCurveOf(name, type, 0, rotationsOf(0));
      return { mean: average(mean), season: average(season) };
    };
    return [name, { workday: of('workday'), saturday: of('saturday'), sunday: of('sunday') }] as const;
  }),
);
const meansOf = (profile: string) => DAY_MEANS.get(profile) ?? DAY_MEANS.get('');

/** Mean load of an archetype over weeks between the seasons: what the curves are divided by. */
function normOf(profile: string): number {
  const means = meansOf(profile);
  return means ? (5 * means.workday.mean + means.saturday.mean + means.sunday.mean) / 7 : 1;
}

/** How many days of each type a year has, and the sum of their season terms. */
type DayTypeCounts = Record<DayType, { days: number; seasons: number }>;
const countsByYear = new Map<string, DayTypeCounts>();
function dayTypeCountsOf(year: number, country: string | null, latitude: number): DayTypeCounts {
  const key = `${year} ${country ?? ''} ${latitude < 0 ? 'south' : 'north'}`;
  const known = countsByYear.get(key);
  if (known) return known;
  const none = () => ({ days: 0, seasons: 0 });
  const counts: DayTypeCounts = { workday: none(), saturday: none(), sunday: none() };
  const end = Date.UTC(year + 1, 0, 1) / DAY_MS;
  for (let day = Date.UTC(year, 0, 1) / DAY_MS; day < end; day++) {
    const entry = counts[dayTypeOf(day, country)];
    entry.days += 1;
    entry.seasons += seasonTerm(dayOfYear(day), latitude);
  }
  if (countsByYear.size > 1000) countsByYear.clear();
  countsByYear.set(key, counts);
  return counts;
}

/**
 * Mean of the curves of an archetype (name) over a calendar year in a country (alpha-2, null at sea) at a latitude in
 * degrees; divided by it, the year consumes what was asked.
 */
export function meanProfileLoadOverYear(
  profile: string,
  year: number,
  country: string | null,
  latitude: number,
): number {
  const means = meansOf(profile);
  if (!means) return 1;
  let sum = 0;
  let days = 0;
  for (const [type, entry] of Object.entries(dayTypeCountsOf(year, country, latitude))) {
    const { mean, season } = means[type as DayType];
    sum += entry.days * mean + entry.seasons * season;
    days += entry.days;
  }
  return sum / days / normOf(profile);
}

/**
 * Load over its yearly mean at the 96 quarter hours of a local day of some type and season term (seasonTerm), written into
 * `curve` when one is given.
 */
export type LoadCurves = (type: DayType, season: number, curve?: Float64Array) => Float64Array;

/**
 * Curves of an archetype (name) whose day is later by `shiftMinutes`. The fit is linear in the season term, so each type of
 * day is two tables, made when first asked for.
 */
export function createLoadCurves(profile: string, shiftMinutes: number): LoadCurves {
  const scale = 1 / normOf(profile);
  const rotations = rotationsOf(shiftMinutes);
  const dayTypeCurves = new Map<DayType, DayTypeCurve>();
  return (type, seasonTermOfDay, curve = new Float64Array(QUARTER_HOURS_PER_DAY)) => {
    let dayTypeCurve = dayTypeCurves.get(type);
    if (!dayTypeCurve) {
      dayTypeCurve = dayTypeCurveOf(profile, type, shiftMinutes, rotations);
      dayTypeCurves.set(type, dayTypeCurve);
    }
    const { mean, season: change } = dayTypeCurve;
    for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
      curve[i] = Math.max(0, (mean[i] ?? 0) + seasonTermOfDay * (change[i] ?? 0)) * scale;
    }
    return curve;
  };
}
