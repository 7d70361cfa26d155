/** What to expect of a household in a mean year, without weather: for previews (docs/decisions.md#fleets). */
import { climateAt, meanClearSkyIndex, normTemperatureC } from '../environment/climate.ts';
import type { Household } from '../household/household.ts';
import { createLoadCurves } from '../devices/load-curves.ts';
import { localQuarterAt } from '../time/local-day.ts';
import { pvPowerUnderSkyW } from '../devices/pv.ts';
import { solarTermsAt, sunDirection } from '../environment/sun.ts';
import { utcYearOf } from '../time/calendar.ts';
import { DAY_MS, HOUR_MS, QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';

/** PV power in W at an instant under the mean sky and the norm temperature of the day. */
function expectedPvW(household: Household, atMs: number, terms: ReturnType<typeof solarTermsAt>): number {
  const { latitude, longitude } = household;
  const day = Math.floor(atMs / DAY_MS);
  const sky = 0.2 + 0.82 * Math.min(1, meanClearSkyIndex(latitude, day));
  const airC = normTemperatureC(climateAt(latitude, longitude), day) + 3;
  return pvPowerUnderSkyW(household.pv, sunDirection(terms, atMs, latitude, longitude), sky, airC);
}

/** The fifteenth of each month of the year of an instant, as starts of UTC days in ms. */
function monthMiddles(nowMs: number): number[] {
  return Array.from({ length: 12 }, (_, month) => Date.UTC(utcYearOf(nowMs), month, 15));
}

/** Yearly yields in kWh; households with equal roofs at one location share the work. */
export function expectedYearlyYieldsKwh(households: readonly Household[], now: Date): number[] {
  const days = monthMiddles(now.getTime()).map((start) => ({
    start,
    terms: solarTermsAt(start + DAY_MS / 2),
  }));
  const perKw = new Map<string, number>();
  return households.map((household) => {
    const { tilt_deg, azimuth_deg, rating_kw } = household.pv;
    const key = `${household.latitude} ${household.longitude} ${tilt_deg} ${azimuth_deg}`;
    let known = perKw.get(key);
    if (known === undefined) {
      const unit = { ...household, pv: { ...household.pv, rating_kw: 1, inverter_rating_kw: 1 } };
      let wattHours = 0;
      for (const { start, terms } of days) {
        for (let hour = 0.5; hour < 24; hour++) wattHours += expectedPvW(unit, start + hour * HOUR_MS, terms);
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

/** Mean day of a household over the year in 96 quarters of local legal time, W. */
export function averageHouseholdDay(households: readonly Household[], now: Date): AverageDayPoint[] {
  const step = Math.max(1, households.length / MAX_SAMPLED_HOUSEHOLDS);
  const sample = households.filter((_, i) => Math.floor(i / step) !== Math.floor((i - 1) / step));
  const load = new Float64Array(QUARTER_HOURS_PER_DAY);
  const pv = new Float64Array(QUARTER_HOURS_PER_DAY);
  const days = monthMiddles(now.getTime()).map((start) => ({
    start,
    terms: solarTermsAt(start + DAY_MS / 2),
  }));
  for (const household of sample) {
    const meanW = (household.load_annual_kwh * 1000) / 8760;
    const curves = createLoadCurves(household.profile, household.time_shift_minutes);
    for (const [type, share] of [
      ['workday', 5 / 7],
      ['saturday', 1 / 7],
      ['sunday', 1 / 7],
    ] as const) {
      const curve = curves(type, 0);
      for (const [i, value] of curve.entries()) load[i] = (load[i] ?? 0) + value * share * meanW;
    }
    for (const { start, terms } of days) {
      for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
        const { localQuarter } = localQuarterAt(
          household.time_zone,
          (start / DAY_MS) * QUARTER_HOURS_PER_DAY + i,
        );
        const power = expectedPvW(household, start + ((i + 0.5) * DAY_MS) / QUARTER_HOURS_PER_DAY, terms);
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
