/** What a household's UTC day brings, before its batteries: sun, heat (96 quarter hours). */
import type { HeatPumpRows } from '../house/heat-pump-rows.ts';
import { HouseSimulation } from '../house/house-simulation.ts';
import type { ScheduleState } from '../devices/schedule-states.ts';
import type { Household } from '../household/household.ts';
import type { DayFiller } from '../time/local-day.ts';
import { splitSeed } from '../kernel/noise.ts';
import { pvPowerOnPlaneW, panelPlaneOf } from '../devices/pv.ts';
import { roundNonNegative } from '../kernel/typed-arrays.ts';
import { siteWeather } from '../environment/weather.ts';
import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';

/** 250 mWh are a watt for a quarter hour. */
const MILLI_WH_PER_W = 250;

/** What the panels give. */
export function createPvDayFiller(household: Household): DayFiller<Int32Array> {
  const { latitude, longitude } = household;
  const plane = panelPlaneOf(household.pv);
  if (plane.inverterW === 0) return (_, pv) => void pv.fill(0);
  const weather = siteWeather(splitSeed(household.seed), latitude, longitude);
  return (day, pv) => {
    const { global, diffuse, beamEast, beamNorth, beamUp } = weather.irradianceOn(day);
    const air = weather.airTemperaturesOn(day);
    const { east, north, up, diffuse: ofDiffuse, global: ofGlobal } = plane;
    for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
      const level = global[i] ?? 0;
      if (level === 0) {
        pv[i] = 0;
        continue;
      }
      const beam = east * (beamEast[i] ?? 0) + north * (beamNorth[i] ?? 0) + up * (beamUp[i] ?? 0);
      const irradiance = (diffuse[i] ?? 0) * ofDiffuse + level * ofGlobal + Math.max(0, beam);
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
