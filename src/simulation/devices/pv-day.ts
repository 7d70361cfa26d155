import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import type { Place } from '../control/household-control.ts';
import type { Revision } from '../control/revisions.ts';
import { siteWeather } from '../environment/weather.ts';
import type { SiteWeather } from '../environment/weather.ts';
import type { Household } from '../household/household.ts';
import { splitSeed } from '../kernel/noise.ts';
import { roundNonNegative } from '../kernel/typed-arrays.ts';
import { panelPlaneOf, pvPowerOnPlaneW } from './pv.ts';
import { MILLI_WH_PER_W } from '../kernel/energy.ts';

type PvDayFiller = (day: number, pv: Int32Array) => void;

/**
 * Writes what a household's panels give on a UTC day (days since 1970) into 96 quarter hours, mWh: under the weather where it
 * was drawn, or of the place in force.
 */
export function createPvDayFiller(
  household: Household,
  places: readonly Revision<Place>[] = [],
): PvDayFiller {
  if (household.pv.inverter_rating_kw === 0) return (_, pv) => void pv.fill(0);
  const atHome = fillerAt(household, household);
  if (places.length === 0) return atHome;
  const moved = places.map(({ from, value }) => ({ from, fill: fillerAt(household, value) }));
  const before = new Int32Array(QUARTER_HOURS_PER_DAY);
  return (day, pv) => {
    const start = day * QUARTER_HOURS_PER_DAY;
    (moved.findLast(({ from }) => from <= start)?.fill ?? atHome)(day, pv);
    for (const { from, fill } of moved) {
      if (from <= start || from >= start + QUARTER_HOURS_PER_DAY) continue;
      before.set(pv);
      fill(day, pv);
      pv.set(before.subarray(0, from - start));
    }
  };
}

/** Asks for a place's weather with its first day: one that nobody looks at takes no room among the sites that are kept. */
function fillerAt(household: Household, { latitude, longitude }: Place): PvDayFiller {
  let filler: PvDayFiller | undefined;
  return (day, pv) => {
    filler ??= createSitePvDayFiller(household, siteWeather(splitSeed(household.seed), latitude, longitude));
    filler(day, pv);
  };
}

function createSitePvDayFiller(household: Household, weather: SiteWeather): PvDayFiller {
  const plane = panelPlaneOf(household.pv);
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
