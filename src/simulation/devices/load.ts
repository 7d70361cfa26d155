/** Household load: the norm profile H25 as a Fourier fit, shaped, shifted and made bursty (docs/simulation.md#household-load). */
import { isPublicHoliday } from '../time/holidays.ts';
import { NOISE_CHANNEL, hashInStream, drawUniform } from '../kernel/noise.ts';
import type { Seed } from '../kernel/noise.ts';
import { ARCHETYPES, archetypeLoadFactor } from '../household/profiles.ts';
import { allocateFloat64Array } from '../kernel/typed-arrays.ts';
import { dayOfYear } from '../time/calendar.ts';
import { DAY_MS, QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';

/** Harmonics 1, cos, sin, cos 2, sin 2, … sin 5 of the dynamised H25, in units of the yearly mean; `w` follows the season. */
const FIT = {
  workday: {
    a: [0.955, -0.017, -0.299, -0.096, -0.198, -0.051, -0.026, 0.023, 0.045, -0.019, -0.019],
    w: [0.156, -0.01, -0.081, -0.06, -0.039, -0.008, 0.018, 0.019, 0.018, -0.001, -0.011],
  },
  saturday: {
    a: [1.091, -0.208, -0.347, 0.03, -0.175, -0.043, 0.033, 0.005, 0.003, 0.001, -0.032],
    w: [0.185, -0.051, -0.11, -0.031, -0.028, -0.013, 0.032, 0.016, 0.005, 0.003, -0.015],
  },
  sunday: {
    a: [1.127, -0.265, -0.354, 0.07, -0.178, -0.1, 0.064, 0.016, 0.005, -0.002, -0.013],
    w: [0.193, -0.066, -0.106, -0.02, -0.019, -0.019, 0.036, 0.021, 0.004, 0.003, -0.009],
  },
} as const;
export type DayType = keyof typeof FIT;

/**
 * Type of a local day (days since 1970, a Thursday) in a country: holidays are Sundays, and 24 and 31 December
 * count as Saturdays unless they are Sundays.
 */
export function dayTypeOf(localDay: number, country: string | null): DayType {
  const weekday = (((localDay + 4) % 7) + 7) % 7;
  if (weekday === 0 || isPublicHoliday(country, localDay)) return 'sunday';
  if (weekday === 6) return 'saturday';
  if (dayOfYear(localDay) < 358) return 'workday';
  const date = new Date(localDay * DAY_MS);
  const eve = date.getUTCMonth() === 11 && (date.getUTCDate() === 24 || date.getUTCDate() === 31);
  return eve ? 'saturday' : 'workday';
}

/** Mean load at a local hour 0..24 over the yearly mean; `season` is cos(2π(doy − 15)/365), 1 in January. */
export function normProfileLoad(type: DayType, hour: number, season: number): number {
  return Math.max(0, fitted(type, hour, season));
}

function fitted(type: DayType, hour: number, season: number): number {
  const { a, w } = FIT[type];
  const theta = (2 * Math.PI * hour) / 24;
  let value = a[0] + w[0] * season;
  for (let n = 1; n <= 5; n++) {
    const cosine = (a[2 * n - 1] ?? 0) + (w[2 * n - 1] ?? 0) * season;
    const sine = (a[2 * n] ?? 0) + (w[2 * n] ?? 0) * season;
    value += cosine * Math.cos(n * theta) + sine * Math.sin(n * theta);
  }
  return value;
}

/** Season term of a day of the year, turned by half a year south of the equator. */
export function seasonTerm(doy: number, latitude: number): number {
  return Math.cos((2 * Math.PI * (doy + (latitude < 0 ? 182 : 0) - 15)) / 365);
}

/** Harmonics at the middles of the 96 quarters, ten each: cos θ, sin θ, cos 2θ, … sin 5θ. */
const WAVES = Float64Array.from({ length: 10 * QUARTER_HOURS_PER_DAY }, (_, at) => {
  const wave = at % 10;
  const angle =
    (Math.floor(wave / 2) + 1) * ((2 * Math.PI * (Math.floor(at / 10) + 0.5)) / QUARTER_HOURS_PER_DAY);
  return wave % 2 === 0 ? Math.cos(angle) : Math.sin(angle);
});

/** Coefficients of a day moved by an angle: each pair is turned by a multiple of it. */
function turned(coefficients: readonly number[], turns: Float64Array): Float64Array {
  const moved = allocateFloat64Array(11);
  moved[0] = coefficients[0] ?? 0;
  for (let n = 1; n <= 10; n += 2) {
    const cosine = coefficients[n] ?? 0;
    const sine = coefficients[n + 1] ?? 0;
    moved[n] = cosine * (turns[n] ?? 0) - sine * (turns[n + 1] ?? 0);
    moved[n + 1] = cosine * (turns[n + 1] ?? 0) + sine * (turns[n] ?? 0);
  }
  return moved;
}

/** Sums of harmonics at the 96 quarters; written out, since a loop in the loop takes half as long again. */
function waveform(coefficients: Float64Array): Float64Array {
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

/** A kind of day: load over its yearly mean is mean + season * swing. */
interface Kind {
  readonly mean: Float64Array;
  readonly swing: Float64Array;
}

const MINUTES = 1440;
/** Factor of an archetype at the middle of each minute. */
const factorTables = new Map<string, Float64Array>();
function factorsOf(profile: string): Float64Array {
  let table = factorTables.get(profile);
  if (!table) {
    table = Float64Array.from({ length: MINUTES }, (_, minute) =>
      archetypeLoadFactor(profile, (minute + 0.5) / 60),
    );
    factorTables.set(profile, table);
  }
  return table;
}

/** Cosines and sines of the first five multiples of the angle by which a shift moves the day, from place 1 on. */
function turnsOf(shiftMinutes: number): Float64Array {
  const angle = (2 * Math.PI * shiftMinutes) / MINUTES;
  const turns = allocateFloat64Array(11);
  for (let n = 1; n <= 5; n++) {
    turns[2 * n - 1] = Math.cos(n * angle);
    turns[2 * n] = Math.sin(n * angle);
  }
  return turns;
}

function kindOf(profile: string, type: DayType, shiftMinutes: number, turns: Float64Array): Kind {
  const mean = waveform(turned(FIT[type].a, turns));
  const swing = waveform(turned(FIT[type].w, turns));
  const factors = factorsOf(profile);
  for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
    let minute = Math.floor(15 * i + 7.5 - shiftMinutes);
    if (minute < 0 || minute >= MINUTES) minute = ((minute % MINUTES) + MINUTES) % MINUTES;
    const factor = factors[minute] ?? 1;
    mean[i] = (mean[i] ?? 0) * factor;
    swing[i] = (swing[i] ?? 0) * factor;
  }
  return { mean, swing };
}

const average = (values: Float64Array): number =>
  values.reduce((sum, value) => sum + value, 0) / QUARTER_HOURS_PER_DAY;

/** Mean and swing of a whole day of each type, by archetype; the time shift does not change them. */
const dayMeans = new Map(
  ['', ...ARCHETYPES.map(({ name }) => name)].map((name) => {
    const of = (type: DayType) => {
      const { mean, swing } = kindOf(name, type, 0, turnsOf(0));
      return { mean: average(mean), swing: average(swing) };
    };
    return [name, { workday: of('workday'), saturday: of('saturday'), sunday: of('sunday') }] as const;
  }),
);
const meansOf = (profile: string) => dayMeans.get(profile) ?? dayMeans.get('');

/** Mean load of an archetype over weeks between the seasons: what the curves are divided by. */
function normOf(profile: string): number {
  const means = meansOf(profile);
  return means ? (5 * means.workday.mean + means.saturday.mean + means.sunday.mean) / 7 : 1;
}

/** How many days of each type a year has, and the sum of their season terms. */
type Calendar = Record<DayType, { days: number; seasons: number }>;
const calendars = new Map<string, Calendar>();
function calendarOf(year: number, country: string | null, latitude: number): Calendar {
  const key = `${year} ${country ?? ''} ${latitude < 0 ? 'south' : 'north'}`;
  const known = calendars.get(key);
  if (known) return known;
  const none = () => ({ days: 0, seasons: 0 });
  const calendar: Calendar = { workday: none(), saturday: none(), sunday: none() };
  const end = Date.UTC(year + 1, 0, 1) / DAY_MS;
  for (let day = Date.UTC(year, 0, 1) / DAY_MS; day < end; day++) {
    const entry = calendar[dayTypeOf(day, country)];
    entry.days += 1;
    entry.seasons += seasonTerm(dayOfYear(day), latitude);
  }
  if (calendars.size > 1000) calendars.clear();
  calendars.set(key, calendar);
  return calendar;
}

/** Mean of an archetype's curves over a calendar year; divided by it, the year consumes what was asked. */
export function yearMeanLoad(
  profile: string,
  year: number,
  country: string | null,
  latitude: number,
): number {
  const means = meansOf(profile);
  if (!means) return 1;
  let sum = 0;
  let days = 0;
  for (const [type, entry] of Object.entries(calendarOf(year, country, latitude))) {
    const { mean, swing } = means[type as DayType];
    sum += entry.days * mean + entry.seasons * swing;
    days += entry.days;
  }
  return sum / days / normOf(profile);
}

/** Load over its yearly mean at the 96 quarters of a local day of some type and season, written into `curve`. */
export type LoadCurves = (type: DayType, season: number, curve?: Float64Array) => Float64Array;

/**
 * Curves of an archetype whose day is moved by `shiftMinutes`. The fit is linear in the season, so each type of
 * day is two tables, made when first asked for.
 */
export function createLoadCurves(profile: string, shiftMinutes: number): LoadCurves {
  const scale = 1 / normOf(profile);
  const turns = turnsOf(shiftMinutes);
  const kinds = new Map<DayType, Kind>();
  return (type, season, curve = new Float64Array(QUARTER_HOURS_PER_DAY)) => {
    let kind = kinds.get(type);
    if (!kind) kinds.set(type, (kind = kindOf(profile, type, shiftMinutes, turns)));
    const { mean, swing } = kind;
    for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
      curve[i] = Math.max(0, (mean[i] ?? 0) + season * (swing[i] ?? 0)) * scale;
    }
    return curve;
  };
}

/** Quarter-hour bursts: three levels with mean 1 (12 % at 3.2, 18 % at 1.25, the rest low), mixed with a base. */
const BASE = 0.42;
const HIGH = BASE + (1 - BASE) * 3.2;
const MIDDLE = BASE + (1 - BASE) * 1.25;
const LOW = BASE + ((1 - BASE) * (1 - 0.12 * 3.2 - 0.18 * 1.25)) / 0.7;

/** Of 2^32 hashes so many are high, and so many high or middle. */
const OFTEN_HIGH = Math.floor(0.12 * 2 ** 32);
const OFTEN_MIDDLE = Math.floor(0.3 * 2 ** 32);

const levelOf = (draw: number): number => (draw < OFTEN_HIGH ? HIGH : draw < OFTEN_MIDDLE ? MIDDLE : LOW);
/** Levels by the first byte of the hash, NaN where the rest decides: a table spares branches that nobody can guess. */
const LEVELS = Float64Array.from({ length: 256 }, (_, byte) => {
  const least = levelOf(byte * 2 ** 24);
  return least === levelOf(byte * 2 ** 24 + 2 ** 24 - 1) ? least : NaN;
});

/** Factor of a quarter of a household's stream (noise.ts, channel burst). */
export function loadSpikeFactor(bursts: number, localQuarterIndex: number): number {
  const draw = hashInStream(bursts, localQuarterIndex);
  const level = LEVELS[draw >>> 24] ?? NaN;
  return Number.isNaN(level) ? levelOf(draw) : level;
}

/** Factor of a whole day, uniform in 1 ± `spread`; days come in pairs of 1 + x and 1 - x, so that the year stays. */
export function dailyLoadFactor(seed: Seed, household: number, localDay: number, spread: number): number {
  const x = (2 * drawUniform(seed, household, NOISE_CHANNEL.dailyLoad, localDay >> 1) - 1) * spread;
  return localDay % 2 === 0 ? 1 + x : 1 - x;
}
