/** Years of heat pumps at a place, measured quarter hour by quarter hour. */
import { DAY_MS, QUARTER_HOURS_PER_DAY } from '../../src/domain/api/durations.ts';
import { UNCONTROLLED } from '../../src/simulation/control/household-control.ts';
import { isHeatingDay } from '../../src/simulation/environment/heating-climate.ts';
import { siteWeather } from '../../src/simulation/environment/weather.ts';
import { resolveDefinition } from '../../src/simulation/definition/resolve-definition.ts';
import type { HeatPump } from '../../src/simulation/household/heat-pump.ts';
import { buildHouseholds } from '../../src/simulation/household/household.ts';
import type { Household } from '../../src/simulation/household/household.ts';
import { createHeatPumpRows } from '../../src/simulation/house/heat-pump-rows.ts';
import {
  HotWaterDraws,
  TAP_C,
  WH_PER_LITRE_K,
  mainsTemperatureC,
} from '../../src/simulation/house/hot-water.ts';
import { UnsteeredHouse } from '../../src/simulation/house/unsteered-house.ts';
import { splitSeed } from '../../src/simulation/kernel/noise.ts';
import { mean, sum } from './statistics.ts';
import { summerDayOf } from './summer-rooms.ts';
import type { SummerDay } from './summer-rooms.ts';
import { Whereabouts } from '../../src/simulation/people/whereabouts.ts';

/** The year that is measured, 2025, as days since 1970. */
export const FIRST_DAY = Date.UTC(2025, 0, 1) / DAY_MS;
const DAYS = 365;
const ANCHOR = new Date(Date.UTC(2024, 11, 1));
/** Heat pumps measured at a place; a quarter of the households has one. */
const PUMPS = 100;

const PLACES = {
  Berlin: [52.5, 13.4],
  Vienna: [48.2, 16.4],
  London: [51.5, -0.1],
  Oslo: [59.9, 10.7],
  Singapore: [1.35, 103.8],
} as const;
export type Place = keyof typeof PLACES;

export type Heated = Household & { readonly heat_pump: HeatPump };

/** The first heat pumps of a fleet at a place. */
export function heatedHouseholds(place: Place): Heated[] {
  const [latitude, longitude] = PLACES[place];
  const body = { request_id: '5b0d5c1e-6c0f-4a34-8d53-0a5f2a1f7c11', count: 6 * PUMPS, latitude, longitude };
  const resolution = resolveDefinition(body, ANCHOR);
  if (!resolution.ok) throw new Error(JSON.stringify(resolution.errors));
  return buildHouseholds(resolution.definition, resolution.density, ANCHOR)
    .flatMap((household) => (household.heat_pump ? [{ ...household, heat_pump: household.heat_pump }] : []))
    .slice(0, PUMPS);
}

/** A year of one heat pump. */
interface PumpYear {
  readonly household: Heated;
  readonly heatKwh: number;
  readonly electricKwh: number;
  /** Part of the quarter hours in which it gives heat, and starts an hour. */
  readonly runShare: number;
  readonly startsAnHour: number;
  /** Part of the quarter hours of heating days inside the comfort band, and their mean indoor temperature, C. */
  readonly comfortShare: number;
  readonly indoorC: number;
  readonly summerDays: readonly SummerDay[];
}

/** The years of the heat pumps of a place, and the sum of their power by quarter hour, W. */
export interface PlaceYear {
  readonly pumps: readonly PumpYear[];
  readonly powerW: Float64Array;
  /** Mean outdoor temperature by day, C. */
  readonly dayMeansC: Float64Array;
}

/** Set-back houses may be colder by it; a kelvin below and three above comfort are still what people call so. */
const BELOW_COMFORT_MK = 1000;
const ABOVE_COMFORT_MK = 3000;

function measurePump(household: Heated, powerW: Float64Array): PumpYear {
  const simulation = new UnsteeredHouse(household, household.heat_pump, UNCONTROLLED);
  const weather = siteWeather(splitSeed(household.seed), household.latitude, household.longitude);
  const { comfort_c: comfortC, night_setback_k: setbackK } = household.heat_pump.building;
  const lowest = (comfortC - setbackK) * 1000 - BELOW_COMFORT_MK;
  const highest = comfortC * 1000 + ABOVE_COMFORT_MK;
  const rows = createHeatPumpRows(QUARTER_HOURS_PER_DAY);
  let [heat, electric, running, starts, inside, heating, indoor] = [0, 0, 0, 0, 0, 0, 0];
  let wasOn = false;
  const summerDays: SummerDay[] = [];
  for (let day = FIRST_DAY; day < FIRST_DAY + DAYS; day++) {
    simulation.fillDay(day, rows);
    const summerDay = summerDayOf(day - FIRST_DAY, rows.indoor);
    if (summerDay) summerDays.push(summerDay);
    const isHeating = isHeatingDay(weather.climate, day, weather.meanTemperatureOn(day));
    for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
      const quarter = (day - FIRST_DAY) * QUARTER_HOURS_PER_DAY + i;
      powerW[quarter] = (powerW[quarter] ?? 0) + (rows.hp[i] ?? 0) / 250;
      heat += rows.heat[i] ?? 0;
      electric += rows.hp[i] ?? 0;
      const isOn = rows.mode[i] !== 0;
      running += isOn ? 1 : 0;
      starts += isOn && !wasOn ? 1 : 0;
      wasOn = isOn;
      if (!isHeating) continue;
      const room = rows.indoor[i] ?? 0;
      heating += 1;
      indoor += room;
      inside += room >= lowest && room <= highest ? 1 : 0;
    }
  }
  const quarters = DAYS * QUARTER_HOURS_PER_DAY;
  return {
    household,
    heatKwh: heat / 1e6,
    electricKwh: electric / 1e6,
    runShare: running / quarters,
    startsAnHour: starts / (quarters / 4),
    comfortShare: inside / heating,
    indoorC: indoor / heating / 1000,
    summerDays,
  };
}

/** Measures the heat pumps of a place over the year 2025. */
export function measurePlace(place: Place): PlaceYear {
  const powerW = new Float64Array(DAYS * QUARTER_HOURS_PER_DAY);
  const households = heatedHouseholds(place);
  const pumps = households.map((household) => measurePump(household, powerW));
  const [first] = households;
  if (!first) throw new Error('no heat pumps');
  const weather = siteWeather(splitSeed(first.seed), first.latitude, first.longitude);
  const dayMeansC = Float64Array.from({ length: DAYS }, (_, i) => weather.meanTemperatureOn(FIRST_DAY + i));
  return { pumps, powerW, dayMeansC };
}

/** Heat of the hot water drawn in a year, kWh, in the mean of the households of a place. */
export function measureHotWater(place: Place): number {
  const households = heatedHouseholds(place);
  const needs = households.map((household) => {
    const { seed, index, latitude, longitude, heat_pump: { building } } = household; // prettier-ignore
    const whereabouts = new Whereabouts(household);
    const { climate } = siteWeather(splitSeed(seed), latitude, longitude);
    const draws = new HotWaterDraws(splitSeed(seed), index, building.persons, whereabouts);
    let wattHours = 0;
    for (let day = FIRST_DAY; day < FIRST_DAY + DAYS; day++) {
      const drawn = new Float64Array(QUARTER_HOURS_PER_DAY);
      const whPerLitre = WH_PER_LITRE_K * (TAP_C - mainsTemperatureC(climate.soilTemperatureOn(day)));
      draws.addTo(drawn, { from: 0, to: QUARTER_HOURS_PER_DAY, localDay: day, localQuarter: 0 }, whPerLitre);
      wattHours += sum(drawn);
    }
    return wattHours / 1000;
  });
  return mean(needs);
}
