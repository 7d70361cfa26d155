/** Heat demand of a house and what its heat pump does about it in a quarter hour (docs/simulation.md#heat-pump). */
import { normTemperatureC } from '../environment/climate.ts';
import type { Climate } from '../environment/climate.ts';
import type { HeatPump } from '../household/equipment.ts';
import type { Household } from '../household/household.ts';
import type { DaySegment } from '../time/local-day.ts';
import { DayCache, BoundedCache } from '../kernel/bounded-cache.ts';
import { NOISE_CHANNEL, hashInStream, splitSeed, hashStream } from '../kernel/noise.ts';
import { roundPositive } from '../kernel/typed-arrays.ts';
import { siteWeather } from '../environment/weather.ts';
import type { SiteWeather } from '../environment/weather.ts';
import { utcYearOf } from '../time/calendar.ts';
import { DAY_MS, QUARTER_HOURS_PER_DAY, QUARTER_HOUR_MS } from '../../domain/api/durations.ts';

export const SCHEDULE_STATES = ['min', 'low', 'mid', 'max'] as const;
/** min: blocked; low: set back; mid: normal; max: boosted. */
export type ScheduleState = (typeof SCHEDULE_STATES)[number];

/** Part of the space heat needed that each state delivers (assumption). */
export const SPACE_HEAT_FRACTION: Readonly<Record<ScheduleState, number>> = {
  min: 0,
  low: 0.6,
  mid: 1,
  max: 1.5,
};

/** BDEW sigmoid with linear part, single-family house, normal wind (daily_demand.csv of oruhnau/when2heat). */
function demandShape(meanC: number): { space: number; water: number } {
  const sigmoid = 1.6209544 / (1 + (-37.1833141 / (meanC - 40)) ** 5.6727847);
  const linear = Math.max(-0.04957 * meanC + 0.8401015, -0.002209 * meanC + 0.1074468);
  const water = -0.002209 * Math.max(meanC, 15) + 0.1790899 + 0.0716431;
  return { space: Math.max(0, sigmoid + 0.0716431 + linear - water), water };
}

/** Heating thresholds in C (heating_thresholds.csv of when2heat); temperatures are read relative to Germany's. */
const GERMAN_THRESHOLD = 13.98;
const THRESHOLDS: Readonly<Record<string, number>> = {
  AT: 14.59, BE: 15.2, CH: 12, CZ: 14.8, DK: 15.2, ES: 18.47, FI: 13.16, FR: 15.61, GB: 14.18, IE: 12.76, IT: 15.61,
  NL: 13.98, NO: 11.53, PL: 15.2, PT: 18.47, SE: 13.16,
}; // prettier-ignore

/** Share of each local hour in a day's space heat (single-family house at 0 C, BDEW), summing to 1. */
const HOURLY = [
  0.0262, 0.0266, 0.0274, 0.0289, 0.0333, 0.043, 0.0551, 0.051, 0.0497, 0.0482, 0.0467, 0.0446, 0.0439, 0.0435,
  0.0448, 0.0456, 0.0481, 0.0489, 0.0491, 0.0484, 0.0466, 0.0414, 0.0318, 0.0272,
]; // prettier-ignore
const HOURLY_SUM = HOURLY.reduce((sum, share) => sum + share, 0);

function shiftOf(household: Household): number {
  return (THRESHOLDS[household.country ?? ''] ?? GERMAN_THRESHOLD) - GERMAN_THRESHOLD;
}

/** Sums of the day shapes of calendar years; a yearly heat divided by one is the customer value. */
const yearSums = new BoundedCache<string, number>(4000);

function yearSum(weather: SiteWeather, shift: number, year: number): number {
  return yearSums.getOrCompute(`${weather.id} ${shift} ${year}`, () => {
    const first = Date.UTC(year, 0, 1) / DAY_MS;
    const last = Date.UTC(year + 1, 0, 1) / DAY_MS;
    let [a, b, c] = [
      weather.meanTemperatureOn(first - 3),
      weather.meanTemperatureOn(first - 2),
      weather.meanTemperatureOn(first - 1),
    ];
    let sum = 0;
    for (let day = first; day < last; day++) {
      const mean = weather.meanTemperatureOn(day);
      const { space, water } = demandShape(effectiveMean(mean, c, b, a) - shift);
      sum += space + water;
      [a, b, c] = [b, c, mean];
    }
    return sum;
  });
}

/** Temperature that heat follows: that of the day and the three before, weighted 1, 1/2, 1/4, 1/8. */
function effectiveMean(today: number, one: number, two: number, three: number): number {
  return (today + one / 2 + two / 4 + three / 8) / 1.875;
}

export interface DailyHeatDemand {
  /** Heat in kWh for the rooms and for hot water in a UTC day. */
  readonly spaceKwh: number;
  readonly waterKwh: number;
}

/** Heat that a house with a heat pump needs on each UTC day (days since 1970). */
export function createHeatDemand(household: Household): (day: number) => DailyHeatDemand {
  const pump = household.heat_pump;
  if (!pump) return () => ({ spaceKwh: 0, waterKwh: 0 });
  const weather = siteWeather(splitSeed(household.seed), household.latitude, household.longitude);
  const shift = shiftOf(household);
  const days = new DayCache<DailyHeatDemand>(4);
  const means = new DayCache<number>(8);
  const years = new DayCache<number>(2);
  const dayMean = (day: number) => means.find(day) ?? means.set(day, weather.meanTemperatureOn(day));
  const sumOf = (year: number) => years.find(year) ?? years.set(year, yearSum(weather, shift, year));
  const demandOf = (day: number): DailyHeatDemand => {
    const mean = effectiveMean(dayMean(day), dayMean(day - 1), dayMean(day - 2), dayMean(day - 3));
    const { space, water } = demandShape(mean - shift);
    const customerValue = pump.annual_heat_kwh / sumOf(utcYearOf(day * DAY_MS));
    return { spaceKwh: space * customerValue, waterKwh: water * customerValue };
  };
  return (day) => days.find(day) ?? days.set(day, demandOf(day));
}

/** Ground a metre down: the norm year damped to a third and six weeks late, C. */
function soilTemperature(climate: Climate, day: number): number {
  return climate.meanC + (normTemperatureC(climate, day - 42) - climate.meanC) * 0.35;
}

/** Coefficient of performance of a heat source at a sink temperature (When2Heat, with its factor .85). */
function coefficientOfPerformance(source: HeatPump['source'], sinkC: number, sourceC: number): number {
  const dT = Math.max(15, sinkC - sourceC);
  if (source === 'air') return 0.85 * (6.0801 - 0.0941 * dT + 0.0005 * dT * dT);
  return 0.85 * (10.288 - 0.2084 * dT + 0.0012 * dT * dT);
}

/** Heat needed in a quarter for the rooms, in mWh. */
export function quarterSpaceHeatDemand(heat: DailyHeatDemand, localQuarter: number): number {
  return (heat.spaceKwh * 1e6 * (HOURLY[localQuarter >> 2] ?? 0)) / HOURLY_SUM / 4;
}

/** Hot water is made in three quarters in the morning and three in the evening, by household and day. */
const WATER_QUARTERS = 6;
function isWaterQuarter(draw: number, localQuarter: number): boolean {
  const morning = localQuarter - 20 - (draw & 7);
  const evening = localQuarter - 70 - ((draw >>> 8) & 7);
  return (morning >= 0 && morning < WATER_QUARTERS / 2) || (evening >= 0 && evening < WATER_QUARTERS / 2);
}

export const HEAT_MODES = ['off', 'heating', 'hot_water'] as const;
export type HeatMode = (typeof HEAT_MODES)[number];

/** Lowest power at which a pump modulates, as a part of its rating; below it, it cycles. */
const LEAST_POWER = 0.3;
/** How much of what it needs a quarter may repay of heat owed, and how much it may leave out when heated ahead. */
const REPAYS = 0.5;
const COASTS = 0.15;
/** Heat that walls and floors take ahead of need, as a part of the day's. */
const AHEAD = 0.25;

/** Heat in whole mWh that a house still needs: owed from set-back and blocked quarters, negative when heated ahead. */
export interface DeferredHeat {
  readonly space: number;
  readonly water: number;
}
export const NO_DEFERRED_HEAT: DeferredHeat = { space: 0, water: 0 };

/** A UTC day of a heat pump by quarters: electricity and heat in mWh, and the index of its mode in HEAT_MODES. */
export interface HeatPumpRows {
  readonly hp: Int32Array;
  readonly heat: Int32Array;
  readonly mode: Uint8Array;
}

/** The schedule of pumps that nobody steers; known by its identity, which spares asking it each quarter. */
export const alwaysMid = (): ScheduleState => 'mid';

/** Runs a day of a household's pump into `rows` and returns what is owed at its end. */
export type HeatPumpSimulator = (
  day: number,
  daySegments: readonly DaySegment[],
  from: DeferredHeat,
  rows: HeatPumpRows,
) => DeferredHeat;

/**
 * The pump follows its schedule: blocked quarters give nothing and set-back ones a part; later quarters repay, so
 * that a day's heat is kept as far as the rating allows. Below its least power the pump runs in some quarters of
 * the hour, at a hashed phase.
 */
export function createHeatPumpSimulator(
  household: Household,
  pump: HeatPump,
  scheduleState: (at: Date) => ScheduleState,
): HeatPumpSimulator {
  const seed = splitSeed(household.seed);
  const weather = siteWeather(seed, household.latitude, household.longitude);
  const heatOf = createHeatDemand(household);
  const cycles = hashStream(seed, household.index, NOISE_CHANNEL.heatPumpCycle);
  const waters = hashStream(seed, household.index, NOISE_CHANNEL.hotWater);
  const { source } = pump;
  const radiator = pump.emitter === 'radiator';
  const limit = pump.rated_power_w * 250;
  const least = LEAST_POWER * limit;
  const steady = scheduleState === alwaysMid;
  const states = new Array<ScheduleState>(QUARTER_HOURS_PER_DAY).fill('mid');
  return (day, daySegments, from, rows) => {
    const { hp, heat, mode } = rows;
    const first = day * QUARTER_HOURS_PER_DAY;
    for (let i = 0; i < QUARTER_HOURS_PER_DAY && !steady; i++) {
      states[i] = scheduleState(new Date((first + i) * QUARTER_HOUR_MS));
    }
    const demand = heatOf(day);
    const air = weather.airTemperaturesOn(day);
    const soilC = soilTemperature(weather.climate, day) - 5;
    const ahead = -AHEAD * demand.spaceKwh * 1e6;
    const waterQuarter = (demand.waterKwh * 1e6) / WATER_QUARTERS;
    let { space, water } = from;
    /** What hot water left no power for: a plan of boosts and blocks is balanced only if boosts make it good. */
    let behind = 0;
    for (const { from: start, to, localDay, localQuarter } of daySegments) {
      const waterDraw = hashInStream(waters, localDay);
      let need = 0;
      for (let i = start; i < to; i++) {
        const quarter = localQuarter + i - start;
        if (i === start || (quarter & 3) === 0) need = quarterSpaceHeatDemand(demand, quarter);
        if (isWaterQuarter(waterDraw, quarter)) water += waterQuarter;
        hp[i] = heat[i] = mode[i] = 0;
        const state = states[i] ?? 'mid';
        if (state === 'min') {
          space += need;
          continue;
        }
        const airC = air[i] ?? 0;
        const sourceC = source === 'air' ? airC : soilC;
        let waterPower = 0;
        let waterHeat = 0;
        if (water > 0) {
          const waterCop = coefficientOfPerformance(source, 50, sourceC);
          waterPower = Math.min(limit, water / waterCop);
          waterHeat = waterPower * waterCop;
        }
        const cop = coefficientOfPerformance(source, radiator ? 40 - airC : 30 - 0.5 * airC, sourceC);
        const most = Math.max(0, limit - waterPower) * cop;
        const asked = requestedSpaceHeat(state, need, space, ahead);
        const wanted = Math.min(most, state === 'max' ? asked + Math.min(REPAYS * need, behind) : asked);
        const running = Math.min(4, Math.max(1, Math.floor(((wanted / cop) * 4) / least)));
        const full = Math.min(most, (wanted * 4) / running);
        const room = running === 4 || ((i + hashInStream(cycles, (first + i) >> 2)) & 3) < running ? full : 0;
        const electric = roundPositive(room / cop + waterPower);
        // The books keep the mean of the hour: which of its quarters run is chance.
        const given = (full * running) / 4;
        space += need - given;
        behind = Math.max(0, behind + (state === 'mid' ? need : asked) - given);
        water -= waterHeat;
        if (electric < 1) continue;
        hp[i] = Math.min(limit, electric);
        heat[i] = roundPositive(room + waterHeat);
        mode[i] = waterPower > 0 ? 2 : 1;
      }
    }
    return { space: Math.round(space), water: Math.round(water) };
  };
}

/** Heat for the rooms that a quarter's state asks for. */
function requestedSpaceHeat(state: ScheduleState, need: number, owed: number, ahead: number): number {
  if (state === 'low') return need * SPACE_HEAT_FRACTION.low;
  if (state === 'max') return owed > ahead ? need * SPACE_HEAT_FRACTION.max : need;
  return need + Math.min(REPAYS * need, Math.max(-COASTS * need, owed));
}
