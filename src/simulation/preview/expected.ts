/** What to expect of a fleet's panels in its first year, and of its load in a mean one: for previews (docs/decisions.md#fleets). */
import { MeanSky } from '../environment/mean-sky.ts';
import type { Household } from '../household/household.ts';
import { meanLoadCurve } from '../people/archetype-curves.ts';
import { localQuarterAt } from '../time/local-day.ts';
import { createPvDayFiller } from '../devices/pv-day.ts';
import { pvPowerUnderSkyW } from '../devices/pv.ts';
import { solarTermsAt, sunDirection } from '../environment/sun.ts';
import type { SolarTerms } from '../environment/sun.ts';
import { utcYearOf } from '../time/calendar.ts';
import { DAY_MS, HOUR_MS, QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import { MILLI_WH_PER_W } from '../kernel/energy.ts';

const YEAR_DAYS = 365;
const MILLI_WH_PER_KWH = 1_000_000;

/** The day that is computed. */
const pvOfDay = new Int32Array(QUARTER_HOURS_PER_DAY);

/** The middle of a month under the mean sky of a place. */
interface MonthMiddle {
  /** Start of the UTC day, ms. */
  readonly startMs: number;
  readonly terms: SolarTerms;
  readonly clearSkyIndex: number;
  readonly airC: number;
}

/** The fifteenth of each month of the year of an instant, for places: those of equal coordinates share the work. */
class MonthMiddles {
  readonly #days: readonly { startMs: number; terms: SolarTerms }[];
  readonly #places = new Map<string, readonly MonthMiddle[]>();

  constructor(now: Date) {
    const year = utcYearOf(now.getTime());
    this.#days = Array.from({ length: 12 }, (_, month) => {
      const startMs = Date.UTC(year, month, 15);
      return { startMs, terms: solarTermsAt(startMs + DAY_MS / 2) };
    });
  }

  at({ latitude, longitude }: Household): readonly MonthMiddle[] {
    const key = `${latitude} ${longitude}`;
    let known = this.#places.get(key);
    if (!known) {
      const sky = new MeanSky(latitude, longitude);
      known = this.#days.map(({ startMs, terms }) => ({
        startMs,
        terms,
        clearSkyIndex: sky.clearSkyIndexOn(startMs / DAY_MS, terms),
        airC: sky.daylightTemperatureOn(startMs / DAY_MS),
      }));
      this.#places.set(key, known);
    }
    return known;
  }
}

/** PV power in W at an instant of a month's middle. */
function expectedPvW({ pv, latitude, longitude }: Household, atMs: number, month: MonthMiddle): number {
  const sun = sunDirection(month.terms, atMs, latitude, longitude);
  return pvPowerUnderSkyW(pv, sun, month.clearSkyIndex, month.airC);
}

/**
 * Yearly yields under the mean sky, kWh; households with equal roofs at one location share the work. They tell households apart and
 * are 2 to 6 % too low in Europe: a sky that is the same each day has less direct light than clear and dark days have.
 */
function listMeanYieldsKwh(households: readonly Household[], now: Date): number[] {
  const months = new MonthMiddles(now);
  const perKw = new Map<string, number>();
  return households.map((household) => {
    const { tilt_deg, azimuth_deg, rating_kw } = household.pv;
    const key = `${household.latitude} ${household.longitude} ${tilt_deg} ${azimuth_deg}`;
    let known = perKw.get(key);
    if (known === undefined) {
      const unit = { ...household, pv: { ...household.pv, rating_kw: 1, inverter_rating_kw: 1 } };
      let wattHours = 0;
      for (const month of months.at(household)) {
        for (let hour = 0.5; hour < 24; hour++) {
          wattHours += expectedPvW(unit, month.startMs + hour * HOUR_MS, month);
        }
      }
      perKw.set(key, (known = (wattHours / 12 / 1000) * 365));
    }
    return known * rating_kw;
  });
}

/** Most households whose first year is simulated, spread evenly over the fleet: each takes some 3 ms. */
const MAX_SAMPLED_HOUSEHOLDS = 40;

/** What the panels of a fleet give in 365 days. */
export interface ExpectedPv {
  /** The whole fleet, kWh. */
  readonly yearKwh: number;
  /** Mean day of a sampled household, in 96 quarter hours of local legal time, W. */
  readonly dayW: Float64Array;
}

/**
 * What panels give in the 365 days from an instant on. Some households are simulated as the model does it, under the weather of
 * their seed; the others are what the mean sky says of them, as much more or less as it is for those.
 */
export function expectPv(households: readonly Household[], from: Date): ExpectedPv {
  const means = listMeanYieldsKwh(households, from);
  const sampled = sampleIndices(households.length);
  const dayW = new Float64Array(QUARTER_HOURS_PER_DAY);
  let [simulated, mean] = [0, 0];
  for (const index of sampled) {
    const household = households[index];
    if (household === undefined) continue;
    simulated += addFirstYear(household, from, dayW);
    mean += means[index] ?? 0;
  }
  for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
    dayW[i] = (dayW[i] ?? 0) / (MILLI_WH_PER_W * YEAR_DAYS * Math.max(1, sampled.length));
  }
  const all = means.reduce((total, kwh) => total + kwh, 0);
  return { yearKwh: mean === 0 ? 0 : (all * simulated) / mean, dayW };
}

/** Adds the energies of a year by quarter hours of local legal time to `sum`, mWh; returns their total in kWh. */
function addFirstYear(household: Household, from: Date, sum: Float64Array): number {
  const fillPv = createPvDayFiller(household);
  const firstDay = Math.floor(from.getTime() / DAY_MS);
  let total = 0;
  for (let day = firstDay; day < firstDay + YEAR_DAYS; day++) {
    fillPv(day, pvOfDay);
    for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
      const energy = pvOfDay[i] ?? 0;
      if (energy === 0) continue;
      const { localQuarter } = localQuarterAt(household.time_zone, day * QUARTER_HOURS_PER_DAY + i);
      sum[localQuarter] = (sum[localQuarter] ?? 0) + energy;
      total += energy;
    }
  }
  return total / MILLI_WH_PER_KWH;
}

function sampleIndices(count: number): number[] {
  const step = Math.max(1, count / MAX_SAMPLED_HOUSEHOLDS);
  return Array.from({ length: count }, (_, i) => i).filter(
    (i) => Math.floor(i / step) !== Math.floor((i - 1) / step),
  );
}

export interface AverageDayPoint {
  /** Start of the quarter hour, local legal time, HH:MM. */
  readonly time: string;
  readonly load_w: number;
  readonly pv_w: number;
}

/** Adds a curve of 96 quarter hours, `later` by that many of them, times a factor. */
function addShifted(sum: Float64Array, curve: Float64Array, later: number, factor: number): void {
  const whole = Math.floor(later);
  const part = later - whole;
  const at = (i: number): number => curve[(i + 2 * QUARTER_HOURS_PER_DAY) % QUARTER_HOURS_PER_DAY] ?? 0;
  for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
    const value = at(i - whole) * (1 - part) + at(i - whole - 1) * part;
    sum[i] = (sum[i] ?? 0) + factor * value;
  }
}

/** Mean day of a household over the year in 96 quarters of local legal time, W; `pv` is that of the same households. */
export function averageHouseholdDay(
  households: readonly Household[],
  { dayW: pv }: ExpectedPv,
): AverageDayPoint[] {
  const load = new Float64Array(QUARTER_HOURS_PER_DAY);
  const sampled = sampleIndices(households.length);
  for (const index of sampled) {
    const household = households[index];
    if (household === undefined) continue;
    const meanW = (household.load_annual_kwh * 1000) / 8760;
    addShifted(load, meanLoadCurve(household.profile), household.time_shift_minutes / 15, meanW);
  }
  return Array.from({ length: QUARTER_HOURS_PER_DAY }, (_, i) => ({
    time: `${String(Math.floor(i / 4)).padStart(2, '0')}:${String((i % 4) * 15).padStart(2, '0')}`,
    load_w: Math.round((load[i] ?? 0) / Math.max(1, sampled.length)),
    pv_w: Math.round(pv[i] ?? 0),
  }));
}
