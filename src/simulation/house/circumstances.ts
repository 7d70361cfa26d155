/** What a house is asked for and where it stands: both may change, and what follows from them changes with them. */
import { OPEN_END, valueInForce } from '../control/revisions.ts';
import type { HouseholdControl } from '../control/household-control.ts';
import { DEFAULT_HEAT_PUMP_PREFERENCES } from '../control/preferences.ts';
import type { HeatPumpPreferences } from '../control/preferences.ts';
import { siteWeather } from '../environment/weather.ts';
import type { SiteWeather } from '../environment/weather.ts';
import type { HeatPump } from '../household/heat-pump.ts';
import type { Household } from '../household/household.ts';
import { splitSeed } from '../kernel/noise.ts';
import { tankGoals } from './hot-water.ts';
import { HeatPumpPerformance } from './performance.ts';
import { comfortTargets } from './target-temperatures.ts';
import { thermalHouseOf } from './thermal-house.ts';
import type { ThermalHouse } from './thermal-house.ts';

/** What holds in quarter hours (since 1970) from `first` up to and without `end`. */
export interface Circumstances {
  readonly first: number;
  readonly end: number;
  readonly preferences: HeatPumpPreferences;
  readonly weather: SiteWeather;
  readonly house: ThermalHouse;
  readonly performance: HeatPumpPerformance;
  /** Most that the heat pump draws in a quarter hour, mWh. */
  readonly limit: number;
  /** Temperatures that people want in the rooms and at which the tank aims, by local quarter hour, mK. */
  readonly comfort: Int32Array;
  readonly goals: Int32Array;
}

/** All circumstances of a house, in order of time and without gaps; the first has no beginning. */
export function listCircumstances(
  household: Household,
  pump: HeatPump,
  { heatPump, places }: HouseholdControl,
): Circumstances[] {
  const starts = [...heatPump.preferences, ...places].map(({ from }) => from);
  const firsts = [-OPEN_END, ...new Set(starts.sort((a, b) => a - b))];
  return firsts.map((first, i) => {
    const preferences = valueInForce(heatPump.preferences, first, DEFAULT_HEAT_PUMP_PREFERENCES);
    const { latitude, longitude } = valueInForce(places, first, household);
    const asked = askedOf(pump, preferences);
    const seed = splitSeed(household.seed);
    return {
      first,
      end: firsts[i + 1] ?? OPEN_END,
      preferences,
      weather: siteWeather(seed, latitude, longitude),
      house: thermalHouseOf(asked),
      performance: new HeatPumpPerformance(asked),
      limit: pump.rated_power_w * 250,
      comfort: comfortTargets(seed, household.index, asked.building),
      goals: tankGoals(seed, household.index, asked.tank.target_c),
    };
  });
}

/** The heat pump with the temperatures that people prefer to those that were drawn. */
function askedOf(pump: HeatPump, preferences: HeatPumpPreferences): HeatPump {
  const { comfort_temperature_c: comfort, hot_water_temperature_c: hotWater } = preferences;
  return {
    ...pump,
    building: { ...pump.building, comfort_c: comfort ?? pump.building.comfort_c },
    tank: { ...pump.tank, target_c: hotWater ?? pump.tank.target_c },
  };
}
