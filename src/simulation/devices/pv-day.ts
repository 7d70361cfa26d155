import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import { siteWeather } from '../environment/weather.ts';
import type { Household } from '../household/household.ts';
import { splitSeed } from '../kernel/noise.ts';
import { roundNonNegative } from '../kernel/typed-arrays.ts';
import { panelPlaneOf, pvPowerOnPlaneW } from './pv.ts';

/** 250 mWh are a watt for a quarter hour. */
const MILLI_WH_PER_W = 250;

/** Writes what a household's panels give on a UTC day (days since 1970) into 96 quarter hours, mWh. */
export function createPvDayFiller(household: Household): (day: number, pv: Int32Array) => void {
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
