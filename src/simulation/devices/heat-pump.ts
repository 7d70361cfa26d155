/** What a heat pump does about the heat demand of its house, by quarter hours (docs/simulation.md#heat-pump). */
import { QUARTER_HOURS_PER_DAY, QUARTER_HOUR_MS } from '../../domain/api/durations.ts';
import { siteWeather } from '../environment/weather.ts';
import type { SiteWeather } from '../environment/weather.ts';
import type { HeatPump } from '../household/equipment.ts';
import type { Household } from '../household/household.ts';
import { NOISE_CHANNEL, hashInStream, hashStream, splitSeed } from '../kernel/noise.ts';
import { roundNonNegative } from '../kernel/typed-arrays.ts';
import type { DaySegment } from '../time/local-day.ts';
import { createHeatDemand, quarterSpaceHeatDemand } from './heat-demand.ts';
import type { DailyHeatDemand } from './heat-demand.ts';
import { SPACE_HEAT_FRACTION, alwaysMid } from './schedule-states.ts';
import type { ScheduleState } from './schedule-states.ts';

/** Coefficient of performance of a heat source at a sink temperature (When2Heat, with its factor .85). */
function coefficientOfPerformance(source: HeatPump['source'], sinkC: number, sourceC: number): number {
  const dT = Math.max(15, sinkC - sourceC);
  if (source === 'air') return 0.85 * (6.0801 - 0.0941 * dT + 0.0005 * dT * dT);
  return 0.85 * (10.288 - 0.2084 * dT + 0.0012 * dT * dT);
}

/** Hot water is made in three quarter hours in the morning and three in the evening, drawn by household and day. */
const WATER_QUARTERS = 6;
function isWaterQuarter(draw: number, localQuarter: number): boolean {
  const morning = localQuarter - 20 - (draw & 7);
  const evening = localQuarter - 70 - ((draw >>> 8) & 7);
  return (morning >= 0 && morning < WATER_QUARTERS / 2) || (evening >= 0 && evening < WATER_QUARTERS / 2);
}

/** In the order of the indexes in HeatPumpRows.mode. */
export const HEAT_MODES = ['off', 'heating', 'hot_water'] as const;
export type HeatMode = (typeof HEAT_MODES)[number];

/** Lowest power at which a heat pump modulates, as a part of its rating; below it, it cycles. */
const MIN_POWER_FRACTION = 0.3;
/** Part of its own need by which a quarter hour may make up for deferred heat, and which it may leave out when preheated. */
const CATCH_UP_FRACTION = 0.5;
const COAST_FRACTION = 0.15;
/** Heat that walls and floors take ahead of need, as a part of the day's. */
const PREHEAT_FRACTION = 0.25;

/**
 * Heat in whole mWh that a house still needs after set-back and blocked quarter hours, for the rooms and for hot water;
 * negative when it was heated ahead.
 */
export interface DeferredHeat {
  readonly space: number;
  readonly water: number;
}
export const NO_DEFERRED_HEAT: DeferredHeat = { space: 0, water: 0 };

/** A UTC day of a heat pump by its 96 quarter hours. */
export interface HeatPumpRows {
  /** Electricity, mWh. */
  readonly hp: Int32Array;
  /** Heat delivered, mWh. */
  readonly heat: Int32Array;
  /** Index in HEAT_MODES. */
  readonly mode: Uint8Array;
}

/** Heat for the rooms that the state of a quarter hour asks for, mWh. */
function requestedSpaceHeat(
  state: ScheduleState,
  need: number,
  deferred: number,
  preheatLimit: number,
): number {
  if (state === 'low') return need * SPACE_HEAT_FRACTION.low;
  if (state === 'max') return deferred > preheatLimit ? need * SPACE_HEAT_FRACTION.max : need;
  return need + Math.min(CATCH_UP_FRACTION * need, Math.max(-COAST_FRACTION * need, deferred));
}

/**
 * Simulates a UTC day (days since 1970), given its day segments and the heat deferred from the day before: writes it into
 * `rows` and returns the heat deferred at its end.
 */
export type HeatPumpSimulator = (
  day: number,
  segments: readonly DaySegment[],
  deferred: DeferredHeat,
  rows: HeatPumpRows,
) => DeferredHeat;

/**
 * The simulator of a household's heat pump; `scheduleState` must be a pure function of the instant. The heat pump follows
 * its schedule: blocked quarter hours deliver nothing and set-back ones a part; later ones make up for it, so that a day's
 * heat is kept as far as the rating allows. Below its lowest power the heat pump runs in some quarter hours of the hour,
 * from a hashed one on.
 */
export function createHeatPumpSimulator(
  household: Household,
  pump: HeatPump,
  scheduleState: (at: Date) => ScheduleState,
): HeatPumpSimulator {
  const simulation = new HeatPumpSimulation(household, pump, scheduleState);
  return (day, segments, deferred, rows) => simulation.run(day, segments, deferred, rows);
}

class HeatPumpSimulation {
  readonly #weather: SiteWeather;
  readonly #demandOn: (day: number) => DailyHeatDemand;
  readonly #cycleStream: number;
  readonly #waterStream: number;
  readonly #source: HeatPump['source'];
  readonly #hasRadiators: boolean;
  /** Highest and lowest electricity of a quarter hour, mWh. */
  readonly #maxMilliWh: number;
  readonly #minMilliWh: number;
  readonly #scheduleState: (at: Date) => ScheduleState;
  /** States of the day that is simulated; 'mid' for good without a schedule. */
  readonly #states = new Array<ScheduleState>(QUARTER_HOURS_PER_DAY).fill('mid');

  constructor(household: Household, pump: HeatPump, scheduleState: (at: Date) => ScheduleState) {
    const seed = splitSeed(household.seed);
    this.#weather = siteWeather(seed, household.latitude, household.longitude);
    this.#demandOn = createHeatDemand(household);
    this.#cycleStream = hashStream(seed, household.index, NOISE_CHANNEL.heatPumpCycle);
    this.#waterStream = hashStream(seed, household.index, NOISE_CHANNEL.hotWater);
    this.#source = pump.source;
    this.#hasRadiators = pump.emitter === 'radiator';
    this.#maxMilliWh = pump.rated_power_w * 250;
    this.#minMilliWh = MIN_POWER_FRACTION * this.#maxMilliWh;
    this.#scheduleState = scheduleState;
  }

  #readSchedule(day: number): void {
    if (this.#scheduleState === alwaysMid) return;
    const first = day * QUARTER_HOURS_PER_DAY;
    for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
      this.#states[i] = this.#scheduleState(new Date((first + i) * QUARTER_HOUR_MS));
    }
  }

  run(day: number, segments: readonly DaySegment[], from: DeferredHeat, rows: HeatPumpRows): DeferredHeat {
    this.#readSchedule(day);
    const { hp, heat, mode } = rows;
    const states = this.#states;
    const source = this.#source;
    const limit = this.#maxMilliWh;
    const demand = this.#demandOn(day);
    const air = this.#weather.airTemperaturesOn(day);
    const soilC = this.#weather.climate.soilTemperatureOn(day) - 5;
    const preheatLimit = -PREHEAT_FRACTION * demand.spaceKwh * 1e6;
    const waterOfQuarter = (demand.waterKwh * 1e6) / WATER_QUARTERS;
    let { space, water } = from;
    /** Heat that hot water left no power for: a plan of boosts and blocks is balanced only if boosts make up for it. */
    let displaced = 0;
    for (const { from: start, to, localDay, localQuarter } of segments) {
      const waterDraw = hashInStream(this.#waterStream, localDay);
      let need = 0;
      for (let i = start; i < to; i++) {
        const quarter = localQuarter + i - start;
        if (i === start || (quarter & 3) === 0) need = quarterSpaceHeatDemand(demand, quarter);
        if (isWaterQuarter(waterDraw, quarter)) water += waterOfQuarter;
        hp[i] = heat[i] = mode[i] = 0;
        const state = states[i] ?? 'mid';
        if (state === 'min') {
          space += need;
          continue;
        }
        const airC = air[i] ?? 0;
        const sourceC = source === 'air' ? airC : soilC;
        const waterCop = water > 0 ? coefficientOfPerformance(source, 50, sourceC) : 1;
        const waterPower = water > 0 ? Math.min(limit, water / waterCop) : 0;
        const sinkC = this.#hasRadiators ? 40 - airC : 30 - 0.5 * airC;
        const cop = coefficientOfPerformance(source, sinkC, sourceC);
        const most = Math.max(0, limit - waterPower) * cop;
        const asked = requestedSpaceHeat(state, need, space, preheatLimit);
        const extra = state === 'max' ? Math.min(CATCH_UP_FRACTION * need, displaced) : 0;
        const wanted = Math.min(most, asked + extra);
        // Of the four quarter hours of the hour so many run, at the power that gives the heat of all.
        const running = Math.min(4, Math.max(1, Math.floor(((wanted / cop) * 4) / this.#minMilliWh)));
        const full = Math.min(most, (wanted * 4) / running);
        const runs = running === 4 || this.#cycleSlot(day * QUARTER_HOURS_PER_DAY + i) < running;
        const room = runs ? full : 0;
        // What is deferred is counted by the mean of the hour: which of its quarter hours run is chance.
        const given = (full * running) / 4;
        space += need - given;
        displaced = Math.max(0, displaced + (state === 'mid' ? need : asked) - given);
        water -= waterPower * waterCop;
        const electric = roundNonNegative(room / cop + waterPower);
        if (electric < 1) continue;
        hp[i] = Math.min(limit, electric);
        heat[i] = roundNonNegative(room + waterPower * waterCop);
        mode[i] = waterPower > 0 ? 2 : 1;
      }
    }
    return { space: Math.round(space), water: Math.round(water) };
  }

  /** Rank 0..3 of a quarter hour (counted from 1970) among those of its hour, from a hashed one on. */
  #cycleSlot(quarterIndex: number): number {
    return (quarterIndex + hashInStream(this.#cycleStream, quarterIndex >> 2)) & 3;
  }
}
