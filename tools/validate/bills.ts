/** What heat pumps cost over a year of prices, steered and unsteered, and how warm their houses are. */
import { DAY_MS, QUARTER_HOURS_PER_DAY, QUARTER_HOUR_MS } from '../../src/domain/api/durations.ts';
import { UNCONTROLLED } from '../../src/simulation/control/household-control.ts';
import type { PriceBook } from '../../src/simulation/control/price-book.ts';
import { UNSTEERED, steeringOf } from '../../src/simulation/control/steering.ts';
import type { Steering } from '../../src/simulation/control/steering.ts';
import { resolveDefinition } from '../../src/simulation/definition/resolve-definition.ts';
import { createPvDayFiller } from '../../src/simulation/devices/pv-day.ts';
import { siteWeather } from '../../src/simulation/environment/weather.ts';
import type { HeatPump } from '../../src/simulation/household/heat-pump.ts';
import { buildHouseholds } from '../../src/simulation/household/household.ts';
import type { Household } from '../../src/simulation/household/household.ts';
import { createHeatPumpRows } from '../../src/simulation/house/heat-pump-rows.ts';
import { costOf } from '../../src/simulation/house/heat-store.ts';
import { createHouseSimulation } from '../../src/simulation/house/house-simulation.ts';
import { HeatPumpPerformance } from '../../src/simulation/house/performance.ts';
import { splitSeed } from '../../src/simulation/kernel/noise.ts';
import { createLoadDayFiller } from '../../src/simulation/people/household-load.ts';
import { priceYear } from './price-year.ts';
import type { ConstantDays, MarketName } from './price-year.ts';

/** The year that is measured, 2025; households begin a month before. */
export const FIRST_DAY = Date.UTC(2025, 0, 1) / DAY_MS;
export const YEAR_DAYS = 365;
const ANCHOR = new Date(Date.UTC(2024, 11, 1));
const REQUEST_ID = '5b0d5c1e-6c0f-4a34-8d53-0a5f2a1f7c11';
const NO_SURPLUS = new Int32Array(QUARTER_HOURS_PER_DAY);

const PLACES: Readonly<Record<MarketName, readonly [number, number]>> = {
  AT: [48.2, 16.4],
  DE: [52.5, 13.4],
  GB: [51.5, -0.1],
  NO: [59.9, 10.7],
  IT: [45.46, 9.19],
};

export type Heated = Household & { readonly heat_pump: HeatPump };

/** The first heat pumps of a fleet in the country of a market. */
export function pumpsOf(market: MarketName, count: number): Heated[] {
  const [latitude, longitude] = PLACES[market];
  const body = { request_id: REQUEST_ID, count: Math.min(1000, 6 * count + 20), latitude, longitude };
  const resolution = resolveDefinition(body, ANCHOR);
  if (!resolution.ok) throw new Error(JSON.stringify(resolution.errors));
  return buildHouseholds(resolution.definition, resolution.density, ANCHOR)
    .flatMap((household) => (household.heat_pump ? [{ ...household, heat_pump: household.heat_pump }] : []))
    .slice(0, count);
}

/** A household's own PV beyond its load, by UTC day, mWh a quarter hour. */
export function surplusOf(household: Household): (day: number) => Int32Array {
  if (household.pv.rating_kw === 0) return () => NO_SURPLUS;
  const fillPv = createPvDayFiller(household);
  const fillLoad = createLoadDayFiller(household);
  const days = new Map<number, Int32Array>();
  return (day) => {
    const known = days.get(day);
    if (known !== undefined) return known;
    const [pv, load] = [new Int32Array(QUARTER_HOURS_PER_DAY), new Int32Array(QUARTER_HOURS_PER_DAY)];
    fillPv(day, pv);
    fillLoad(day, load);
    const surplus = pv.map((energy, i) => energy - (load[i] ?? 0));
    days.set(day, surplus);
    return surplus;
  };
}

/** Some days of a heat pump. */
export interface Bill {
  /** EUR, at the price without own PV, and with PV at what it would have earned. */
  readonly cost: number;
  readonly kwh: number;
  readonly indoor: Int32Array;
  readonly hotWater: Int32Array;
}

/** What a heat pump costs on days of a price book. */
export function billOf(
  household: Heated,
  steering: Steering,
  book: PriceBook,
  { first, days }: { readonly first: number; readonly days: number },
  surplus = surplusOf(household),
): Bill {
  const house = createHouseSimulation(household, household.heat_pump, steering, surplus);
  const rows = createHeatPumpRows(QUARTER_HOURS_PER_DAY);
  const indoor = new Int32Array(days * QUARTER_HOURS_PER_DAY);
  const hotWater = new Int32Array(days * QUARTER_HOURS_PER_DAY);
  let cost = 0;
  let energy = 0;
  for (let day = first; day < first + days; day++) {
    house.fillDay(day, rows);
    const spare = surplus(day);
    const at = (day - first) * QUARTER_HOURS_PER_DAY;
    indoor.set(rows.indoor.subarray(1), at);
    hotWater.set(rows.hotWater.subarray(1), at);
    for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
      const price = book.priceAt((day * QUARTER_HOURS_PER_DAY + i) * QUARTER_HOUR_MS, Infinity) ?? 0;
      cost += costOf(rows.hp[i] ?? 0, Math.max(0, spare[i] ?? 0), price);
      energy += rows.hp[i] ?? 0;
    }
  }
  return { cost: cost / 1e9, kwh: energy / 1e6, indoor, hotWater };
}

/** What a year of a heat pump is with and without prices. */
export interface SteeredYear {
  readonly unsteered: number;
  readonly steered: number;
  /** The steered cost at the same comfort: what it would take to be as warm as unsteered, EUR. */
  readonly atSameComfort: number;
  /** By how much it is warmer in the mean of the year, K. */
  readonly warmer: number;
  /** Quarter hours with a room or a tank beyond the bounds. */
  readonly outside: number;
}

const LOWEST_TANK_MK = 43_000;
const BOUND_MK = 1500;

/** Measures a heat pump over days of its market. */
export function measureYear(
  household: Heated,
  book: PriceBook,
  span: { readonly first: number; readonly days: number },
): SteeredYear {
  const surplus = surplusOf(household);
  const plain = billOf(household, UNSTEERED, book, span, surplus);
  const steered = billOf(household, steeringOf(book, UNCONTROLLED), book, span, surplus);
  const comfort = household.heat_pump.building.comfort_c * 1000;
  let colder = 0;
  let outside = 0;
  let warmer = 0;
  for (let day = 0; day < span.days; day++) {
    const worth = coldnessOf(household, book, span.first + day);
    for (let i = day * QUARTER_HOURS_PER_DAY; i < (day + 1) * QUARTER_HOURS_PER_DAY; i++) {
      const [room, home] = [steered.indoor[i] ?? 0, plain.indoor[i] ?? 0];
      const [tank, homeTank] = [steered.hotWater[i] ?? 0, plain.hotWater[i] ?? 0];
      const isOutside =
        room < Math.min(comfort - BOUND_MK, home) ||
        room > Math.max(comfort + BOUND_MK, home) ||
        tank < Math.min(LOWEST_TANK_MK, homeTank) ||
        tank > household.heat_pump.tank.target_c * 1000;
      outside += isOutside ? 1 : 0;
      warmer += room - home;
      colder += worth * (home - room);
    }
  }
  return {
    unsteered: plain.cost,
    steered: steered.cost,
    atSameComfort: steered.cost + colder,
    warmer: warmer / steered.indoor.length / 1000,
    outside,
  };
}

/** What a mK that a house is colder over a quarter hour saves on a day, at its mean price, EUR. */
function coldnessOf(
  { heat_pump: pump, seed, latitude, longitude }: Heated,
  book: PriceBook,
  day: number,
): number {
  const weather = siteWeather(splitSeed(seed), latitude, longitude);
  const performance = new HeatPumpPerformance(pump);
  const soil = weather.climate.soilTemperatureOn(day);
  const cop = performance.roomCop(weather.meanTemperatureOn(day), soil, 1);
  let total = 0;
  for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
    total += book.priceAt((day * QUARTER_HOURS_PER_DAY + i) * QUARTER_HOUR_MS, Infinity) ?? 0;
  }
  const price = Math.max(0, total / QUARTER_HOURS_PER_DAY);
  return (pump.building.heat_loss_w_per_k * 0.25 * price) / cop / 1e9;
}

/** The prices of a market over the measured year, with some days around. */
export const pricesOf = (market: MarketName, constant?: ConstantDays): PriceBook =>
  priceYear(market, FIRST_DAY - 3, YEAR_DAYS + 6, constant);
