/** What to expect of a household in a mean year, without weather: for previews (docs/decisions.md#fleets). */
import { MeanSky } from '../environment/mean-sky.ts';
import type { Household } from '../household/household.ts';
import { meanLoadCurve } from '../people/archetype-curves.ts';
import { localQuarterAt } from '../time/local-day.ts';
import { pvPowerUnderSkyW } from '../devices/pv.ts';
import { solarTermsAt, sunDirection } from '../environment/sun.ts';
import type { SolarTerms } from '../environment/sun.ts';
import { utcYearOf } from '../time/calendar.ts';
import { DAY_MS, HOUR_MS, QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';

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

/** Yearly yields in kWh; households with equal roofs at one location share the work. */
export function expectedYearlyYieldsKwh(households: readonly Household[], now: Date): number[] {
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

export interface AverageDayPoint {
  /** Start of the quarter hour, local legal time, HH:MM. */
  readonly time: string;
  readonly load_w: number;
  readonly pv_w: number;
}

/** Most households that an average day is taken from, spread evenly over the fleet. */
const MAX_SAMPLED_HOUSEHOLDS = 40;

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

/** Mean day of a household over the year in 96 quarters of local legal time, W. */
export function averageHouseholdDay(households: readonly Household[], now: Date): AverageDayPoint[] {
  const step = Math.max(1, households.length / MAX_SAMPLED_HOUSEHOLDS);
  const sample = households.filter((_, i) => Math.floor(i / step) !== Math.floor((i - 1) / step));
  const load = new Float64Array(QUARTER_HOURS_PER_DAY);
  const pv = new Float64Array(QUARTER_HOURS_PER_DAY);
  const months = new MonthMiddles(now);
  for (const household of sample) {
    const meanW = (household.load_annual_kwh * 1000) / 8760;
    addShifted(load, meanLoadCurve(household.profile), household.time_shift_minutes / 15, meanW);
    for (const month of months.at(household)) {
      for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
        const { localQuarter } = localQuarterAt(
          household.time_zone,
          (month.startMs / DAY_MS) * QUARTER_HOURS_PER_DAY + i,
        );
        const atMs = month.startMs + ((i + 0.5) * DAY_MS) / QUARTER_HOURS_PER_DAY;
        const power = expectedPvW(household, atMs, month);
        pv[localQuarter] = (pv[localQuarter] ?? 0) + power / 12;
      }
    }
  }
  const mean = (sum: number | undefined) => Math.round((sum ?? 0) / Math.max(1, sample.length));
  return Array.from({ length: QUARTER_HOURS_PER_DAY }, (_, i) => ({
    time: `${String(Math.floor(i / 4)).padStart(2, '0')}:${String((i % 4) * 15).padStart(2, '0')}`,
    load_w: mean(load[i]),
    pv_w: mean(pv[i]),
  }));
}
