/** Heat demand of a house and what its heat pump does about it in a quarter hour (simulation.md B4). */
import { dayTemperature } from './climate.ts';
import type { Climate } from './climate.ts';
import type { HeatPump } from './equipment.ts';
import type { Household } from './household.ts';
import { CHANNEL, hash, splitSeed } from './noise.ts';

/** Bound once: under a test runner's context each use of a global is a slow lookup. */
const { floor, max, min, round } = Math;

export const SCHEDULE_STATES = ['min', 'low', 'mid', 'max'] as const;
/** min: blocked; low: set back; mid: normal; max: boosted. */
export type ScheduleState = (typeof SCHEDULE_STATES)[number];

/** Part of the space heat needed that each state delivers (assumption). */
export const DELIVERY: Readonly<Record<ScheduleState, number>> = { min: 0, low: 0.6, mid: 1, max: 1.5 };

/** BDEW sigmoid with linear part, single-family house, normal wind (daily_demand.csv of oruhnau/when2heat). */
function demandShape(meanC: number): { space: number; water: number } {
  const sigmoid = 1.6209544 / (1 + (-37.1833141 / (meanC - 40)) ** 5.6727847);
  const linear = max(-0.04957 * meanC + 0.8401015, -0.002209 * meanC + 0.1074468);
  const water = -0.002209 * max(meanC, 15) + 0.1790899 + 0.0716431;
  return { space: max(0, sigmoid + 0.0716431 + linear - water), water };
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

/** Shape of a day's demand: the temperature is that of the day and the three before, weighted 1, 1/2, 1/4, 1/8. */
function dayShape(household: Household, climate: Climate, day: number): { space: number; water: number } {
  const seed = splitSeed(household.seed);
  const shift = (THRESHOLDS[household.country ?? ''] ?? GERMAN_THRESHOLD) - GERMAN_THRESHOLD;
  let sum = 0;
  for (let back = 0; back < 4; back++) {
    const mean = dayTemperature(seed, climate, day - back, household.latitude, household.longitude);
    sum += mean / 2 ** back;
  }
  return demandShape(sum / 1.875 - shift);
}

/** Sum of the day shapes of a calendar year; the yearly heat divided by it is the customer value. */
export function yearShape(household: Household, climate: Climate, year: number): number {
  const first = Date.UTC(year, 0, 1) / 86_400_000;
  const last = Date.UTC(year + 1, 0, 1) / 86_400_000;
  let sum = 0;
  for (let day = first; day < last; day++) {
    const { space, water } = dayShape(household, climate, day);
    sum += space + water;
  }
  return sum;
}

export interface DayHeat {
  /** Heat in kWh for the rooms and for hot water in a UTC day. */
  readonly spaceKwh: number;
  readonly waterKwh: number;
}

export function dayHeat(
  household: Household,
  pump: HeatPump,
  climate: Climate,
  day: number,
  yearSum: number,
): DayHeat {
  const { space, water } = dayShape(household, climate, day);
  const customerValue = pump.annual_heat_kwh / yearSum;
  return { spaceKwh: space * customerValue, waterKwh: water * customerValue };
}

/** Coefficient of performance of a heat source at a sink temperature (When2Heat, with its factor .85). */
function performance(source: HeatPump['source'], sinkC: number, sourceC: number): number {
  const dT = max(15, sinkC - sourceC);
  if (source === 'air') return 0.85 * (6.0801 - 0.0941 * dT + 0.0005 * dT * dT);
  return 0.85 * (10.288 - 0.2084 * dT + 0.0012 * dT * dT);
}

/** Heat needed in a quarter for the rooms, in mWh. */
export function spaceNeed(heat: DayHeat, localQuarter: number): number {
  return (heat.spaceKwh * 1e6 * (HOURLY[floor(localQuarter / 4)] ?? 0)) / HOURLY_SUM / 4;
}

/** Three quarters in the morning and three in the evening, by household and day. */
const WATER_QUARTERS = 6;
function isWaterQuarter(household: Household, localDay: number, localQuarter: number): boolean {
  const draw = hash(splitSeed(household.seed), household.index, CHANNEL.hotWater, localDay);
  const morning = 20 + (draw % 8);
  const evening = 70 + ((draw >>> 8) % 8);
  return [morning, evening].some(
    (start) => localQuarter >= start && localQuarter < start + WATER_QUARTERS / 2,
  );
}

export interface HeatQuarter {
  readonly electricMilliWh: number;
  readonly heatMilliWh: number;
  readonly mode: 'off' | 'heating' | 'hot_water';
}
const OFF: HeatQuarter = { electricMilliWh: 0, heatMilliWh: 0, mode: 'off' };

/** Lowest power at which a pump modulates, as a part of its rating; below it, it cycles. */
const LEAST_POWER = 0.3;

/**
 * Electricity and heat of one quarter. Below the least power the pump runs in some quarters of the hour, at a
 * hashed phase. `soilC` is the source temperature of ground pumps before the 5 K of their circuit.
 */
export function heatQuarter(
  household: Household,
  pump: HeatPump,
  heat: DayHeat,
  at: { quarterIndex: number; localDay: number; localQuarter: number; airC: number; soilC: number },
  state: ScheduleState,
): HeatQuarter {
  if (state === 'min') return OFF;
  const sourceC = pump.source === 'air' ? at.airC : at.soilC - 5;
  const sinkC = pump.emitter === 'radiator' ? 40 - at.airC : 30 - 0.5 * at.airC;
  const roomCop = performance(pump.source, sinkC, sourceC);
  const waterCop = performance(pump.source, 50, sourceC);
  const need = spaceNeed(heat, at.localQuarter);
  const least = LEAST_POWER * pump.rated_power_w * 250;
  const running = min(4, max(1, floor((4 * need) / roomCop / least)));
  const hour = floor(at.quarterIndex / 4);
  const phase = hash(splitSeed(household.seed), household.index, CHANNEL.cycle, hour) % 4;
  const runs = (at.quarterIndex - 4 * hour - phase + 4) % 4 < running;
  const water = isWaterQuarter(household, at.localDay, at.localQuarter)
    ? (heat.waterKwh * 1e6) / WATER_QUARTERS
    : 0;
  const room = runs ? (need * 4 * DELIVERY[state]) / running : 0;
  const wanted = room / roomCop + water / waterCop;
  if (wanted < 1) return OFF;
  const electricMilliWh = round(min(wanted, pump.rated_power_w * 250));
  const heatMilliWh = round(((room + water) * electricMilliWh) / wanted);
  return { electricMilliWh, heatMilliWh, mode: water > 0 ? 'hot_water' : 'heating' };
}
