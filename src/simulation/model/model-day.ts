/** What a household's UTC day brings, before its batteries: load, sun, heat, driving (96 quarter hours). */
import type { ElectricVehicle } from '../household/equipment.ts';
import type { HeatPumpRows } from '../house/heat-pump-rows.ts';
import { HouseSimulation } from '../house/house-simulation.ts';
import type { ScheduleState } from '../devices/schedule-states.ts';
import type { Household } from '../household/household.ts';
import { dailyLoadFactor, loadSpikeFactor } from '../devices/load-variation.ts';
import { dayTypeOf, seasonTerm } from '../devices/load-profile.ts';
import { createLoadCurves, meanProfileLoadOverYear } from '../devices/load-curves.ts';
import { daySegmentsIn } from '../time/local-day.ts';
import { DayCache } from '../kernel/bounded-cache.ts';
import { NOISE_CHANNEL, splitSeed, hashStream } from '../kernel/noise.ts';
import { pvPowerOnPlaneW, panelPlaneOf } from '../devices/pv.ts';
import {
  allocateInt32Array,
  roundNonNegative,
  allocateFloat64Array,
} from '../kernel/typed-arrays.ts';
import { createVehiclePlanner } from '../devices/trips.ts';
import { appendVehicleIntervals } from '../devices/vehicle.ts';
import type { VehicleInterval } from '../devices/vehicle.ts';
import { siteWeather } from '../environment/weather.ts';
import { dayOfYear, utcYearOf } from '../time/calendar.ts';
import { DAY_MS, QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';

/** 250 mWh are a watt for a quarter hour. */
const MILLI_WH_PER_W = 250;

/** Fills the rows of a UTC day (days since 1970), whatever they hold. Energies in mWh. */
export type DayFiller<Rows> = (day: number, rows: Rows) => void;

/** Load of the local day that is being filled, whichever household's. */
const loadCurve = allocateFloat64Array(QUARTER_HOURS_PER_DAY);

/** The household's own load. */
export function createLoadDayFiller(household: Household): DayFiller<Int32Array> {
  const { index, country, latitude, profile, time_zone: zone } = household;
  const seed = splitSeed(household.seed);
  const curves = createLoadCurves(profile, household.time_shift_minutes);
  const bursts = hashStream(seed, index, NOISE_CHANNEL.loadSpike);
  const meanMilliWh = ((household.load_annual_kwh * 1000) / 8760) * MILLI_WH_PER_W;
  const daySegments = daySegmentsIn(zone);
  const years = new DayCache<number>(2);
  const yearMeanOf = (year: number): number =>
    years.find(year) ?? years.set(year, meanProfileLoadOverYear(profile, year, country, latitude));
  const days = new DayCache<Int32Array>(2);
  const fill = (localDay: number, row: Int32Array): Int32Array => {
    const scale =
      (meanMilliWh * dailyLoadFactor(seed, index, localDay, household.day_variation)) /
      yearMeanOf(utcYearOf(localDay * DAY_MS));
    curves(dayTypeOf(localDay, country), seasonTerm(dayOfYear(localDay), latitude), loadCurve);
    let mean = 0;
    let spiky = 0;
    for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
      const level = loadCurve[i] ?? 0;
      const raised = level * loadSpikeFactor(bursts, localDay * QUARTER_HOURS_PER_DAY + i);
      mean += level;
      spiky += raised;
      loadCurve[i] = raised;
    }
    // Bursts move load within the day; its sum is that of the curve.
    const exact = spiky > 0 ? (scale * mean) / spiky : 0;
    for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) row[i] = roundNonNegative((loadCurve[i] ?? 0) * exact);
    return row;
  };
  const rowOf = (localDay: number): Int32Array =>
    days.find(localDay) ??
    days.set(localDay, fill(localDay, days.evict(localDay) ?? allocateInt32Array(QUARTER_HOURS_PER_DAY)));
  return (day, load) => {
    for (const { from, to, localDay, localQuarter } of daySegments(day)) {
      const row = rowOf(localDay);
      const ahead = localQuarter - from;
      for (let i = from; i < to; i++) load[i] = row[i + ahead] ?? 0;
    }
  };
}

/** What the panels give. */
export function createPvDayFiller(household: Household): DayFiller<Int32Array> {
  const { latitude, longitude } = household;
  const plane = panelPlaneOf(household.pv);
  if (plane.inverterW === 0) return (_, pv) => void pv.fill(0);
  const weather = siteWeather(splitSeed(household.seed), latitude, longitude);
  return (day, pv) => {
    const { global, diffuse, beamEast, beamNorth, beamUp } = weather.irradianceOn(day);
    const air = weather.airTemperaturesOn(day);
    for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
      const level = global[i] ?? 0;
      if (level === 0) {
        pv[i] = 0;
        continue;
      }
      const beam =
        plane.east * (beamEast[i] ?? 0) + plane.north * (beamNorth[i] ?? 0) + plane.up * (beamUp[i] ?? 0);
      const irradiance = (diffuse[i] ?? 0) * plane.diffuse + level * plane.global + Math.max(0, beam);
      pv[i] = roundNonNegative(pvPowerOnPlaneW(plane, irradiance, air[i] ?? 0) * MILLI_WH_PER_W);
    }
  };
}

/** What the heat pump does, and what its house has of it. */
export function createHeatDayFiller(
  household: Household,
  scheduleState: (at: Date) => ScheduleState,
): DayFiller<HeatPumpRows> {
  const pump = household.heat_pump;
  if (!pump) {
    return (_, { hp, heat, mode }) => {
      hp.fill(0);
      heat.fill(0);
      mode.fill(0);
    };
  }
  const house = new HouseSimulation(household, pump, scheduleState);
  return (day, rows) => {
    house.fillDay(day, rows);
  };
}

/** What the vehicle does on a UTC day (days since 1970). */
export function createVehicleDayPlanner(
  household: Household,
  vehicle: ElectricVehicle,
): (day: number) => readonly VehicleInterval[] {
  const planOf = createVehiclePlanner(household, vehicle);
  const daySegments = daySegmentsIn(household.time_zone);
  return (day) => {
    const spans: VehicleInterval[] = [];
    for (const segment of daySegments(day)) {
      appendVehicleIntervals(spans, segment, planOf(segment.localDay - 1), planOf(segment.localDay));
    }
    return spans;
  };
}
