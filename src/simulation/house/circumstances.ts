/** What a house is asked for and where it stands: both may change, and what follows from them changes with them. */
import { OPEN_END, valueInForce } from '../control/revisions.ts';
import type { HouseholdControl, Place } from '../control/household-control.ts';
import { DEFAULT_HEAT_PUMP_PREFERENCES } from '../control/preferences.ts';
import type { HeatPumpPreferences } from '../control/preferences.ts';
import { siteWeather } from '../environment/weather.ts';
import type { SiteWeather } from '../environment/weather.ts';
import type { HeatPump } from '../household/heat-pump.ts';
import type { Household } from '../household/household.ts';
import { splitSeed } from '../kernel/noise.ts';
import type { Seed } from '../kernel/noise.ts';
import { HeatPumpPerformance } from './performance.ts';
import { TankGoals } from './tank-goals.ts';
import { comfortTargets } from './target-temperatures.ts';
import { thermalHouseOf } from './thermal-house.ts';
import type { ThermalHouse } from './thermal-house.ts';
import { MILLI_WH_PER_W } from '../kernel/energy.ts';

/** What follows from what is asked for. */
interface Demand {
  readonly house: ThermalHouse;
  readonly performance: HeatPumpPerformance;
  /** Most that the heat pump draws in a quarter hour, mWh. */
  readonly limit: number;
  /** Temperatures that people want in the rooms, by local quarter hour, mK, and at which the tank aims. */
  readonly targets: Targets;
}

interface Targets {
  readonly comfort: Int32Array;
  readonly goals: TankGoals;
}

/** What holds in quarter hours (since 1970) from `first` up to and without `end`. */
export interface Circumstances extends Demand {
  readonly first: number;
  readonly end: number;
  readonly preferences: HeatPumpPreferences;
  readonly weather: SiteWeather;
  /** What held before; undefined of the first. */
  readonly before: Circumstances | undefined;
}

/** All circumstances of a house, in order of time and without gaps; the first has no beginning. */
export function listCircumstances(
  household: Household,
  pump: HeatPump,
  { heatPump, places }: HouseholdControl,
): Circumstances[] {
  const starts = [...heatPump.preferences, ...places].map(({ from }) => from);
  const firsts = [-OPEN_END, ...new Set(starts.sort((a, b) => a - b))];
  const seed = splitSeed(household.seed);
  // Most revisions set another place or the same again: what follows from equal preferences is made once.
  const known = new Map<HeatPumpPreferences, Demand>();
  const usualC = pump.building.comfort_c;
  const demandOf = (preferences: HeatPumpPreferences): Demand => {
    const habits = { usualC, boostK: preferences.boost_k };
    const demand = known.get(preferences) ?? createDemand(household, askedOf(pump, preferences), habits);
    known.set(preferences, demand);
    return demand;
  };
  let before: Circumstances | undefined;
  return firsts.map((first, i) => {
    const preferences = valueInForce(heatPump.preferences, first, DEFAULT_HEAT_PUMP_PREFERENCES);
    const span = { first, end: firsts[i + 1] ?? OPEN_END, before };
    const site = { seed, place: valueInForce<Place>(places, first, household) };
    before = new CircumstancesAtSite(span, preferences, demandOf(preferences), site);
    return before;
  });
}

/** Of a house there may be thousands, and many houses at once: one has but a few numbers of its own. */
class CircumstancesAtSite implements Circumstances {
  readonly first: number;
  readonly end: number;
  readonly before: Circumstances | undefined;
  readonly preferences: HeatPumpPreferences;
  readonly #demand: Demand;
  readonly #seed: Seed;
  readonly #place: Place;
  #weather: SiteWeather | undefined;

  constructor(
    { first, end, before }: Pick<Circumstances, 'first' | 'end' | 'before'>,
    preferences: HeatPumpPreferences,
    demand: Demand,
    { seed, place }: { readonly seed: Seed; readonly place: Place },
  ) {
    this.first = first;
    this.end = end;
    this.before = before;
    this.preferences = preferences;
    this.#demand = demand;
    this.#seed = seed;
    this.#place = place;
  }

  get house(): ThermalHouse {
    return this.#demand.house;
  }

  get performance(): HeatPumpPerformance {
    return this.#demand.performance;
  }

  get limit(): number {
    return this.#demand.limit;
  }

  get targets(): Targets {
    return this.#demand.targets;
  }

  /** Made when a day is computed there: a place that nobody asks for takes no room among the sites that are kept. */
  get weather(): SiteWeather {
    return (this.#weather ??= siteWeather(this.#seed, this.#place.latitude, this.#place.longitude));
  }
}

function createDemand(
  { seed, index }: Household,
  asked: HeatPump,
  habits: { readonly usualC: number; readonly boostK: number },
): Demand {
  let targets: Targets | undefined;
  return {
    house: thermalHouseOf(asked, habits),
    performance: new HeatPumpPerformance(asked),
    limit: asked.rated_power_w * MILLI_WH_PER_W,
    // Made when a day is computed: of a thousand revisions few are looked at.
    get targets() {
      const split = splitSeed(seed);
      return (targets ??= {
        comfort: comfortTargets(split, index, asked.building),
        goals: new TankGoals(split, index, asked.tank),
      });
    },
  };
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
