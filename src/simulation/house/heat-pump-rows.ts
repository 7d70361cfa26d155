/** What a heat pump does and what its house has of it, by the quarter hours of a day. */
import { SCHEDULE_STATES } from '../control/schedule-states.ts';
import { roundNonNegative } from '../kernel/typed-arrays.ts';
import type { HeatPumpPerformance, RoomShare } from './performance.ts';
import type { Course } from './thermal-steps.ts';
import { MILLI_WH_PER_W } from '../kernel/energy.ts';

/** In the order of the indexes in HeatPumpRows.mode. */
export const HEAT_MODES = ['off', 'heating', 'hot_water'] as const;
export type HeatMode = (typeof HEAT_MODES)[number];

/** Index of the schedule state of a house that keeps its own habits. */
export const MID = SCHEDULE_STATES.indexOf('mid');

/** Some time of a heat pump by quarter hours, of a UTC day 96 of them. */
export interface HeatPumpRows {
  /** Electricity, mWh. */
  readonly hp: Int32Array;
  /** Heat delivered, mWh. */
  readonly heat: Int32Array;
  /** Index in HEAT_MODES. */
  readonly mode: Uint8Array;
  /** What it is asked for: index in SCHEDULE_STATES. */
  readonly asked: Uint8Array;
  /** By what it goes: index in CONTROL_MODES. */
  readonly follows: Uint8Array;
  /** Indoor temperature before each quarter hour and after the last, mK over 0 C. */
  readonly indoor: Int32Array;
  /** Temperature of the hot-water tank, likewise. */
  readonly hotWater: Int32Array;
}

/** Empty rows of so many quarter hours. */
export function createHeatPumpRows(quarters: number): HeatPumpRows {
  return {
    hp: new Int32Array(quarters),
    heat: new Int32Array(quarters),
    mode: new Uint8Array(quarters),
    asked: new Uint8Array(quarters),
    follows: new Uint8Array(quarters),
    indoor: new Int32Array(quarters + 1),
    hotWater: new Int32Array(quarters + 1),
  };
}

/** Power of controls and circulation at any time, as the energy of a quarter hour, mWh. */
export const STANDBY_MILLI_WH = 12 * MILLI_WH_PER_W;
/** Less than a watt of heat is none, mWh. */
export const NO_HEAT_MILLI_WH = MILLI_WH_PER_W;

/** Writes what a heat pump draws and gives, from its heats in a course and the electricity in a share. */
export class HeatPumpRowsWriter {
  readonly #course: Course;
  readonly #share: RoomShare;

  /** Both of the same quarter hours. */
  constructor(course: Course, share: RoomShare) {
    this.#course = course;
    this.#share = share;
  }

  /**
   * Writes the quarter hours `from` up to and without `to`, which in the rows are `behind` later; the heat pump draws at most
   * `limit` mWh in each.
   */
  write(
    performance: HeatPumpPerformance,
    limit: number,
    { from, to }: { readonly from: number; readonly to: number },
    rows: HeatPumpRows,
    behind: number,
  ): void {
    const { roomHeat, tankHeat, backupHeat, room, tank } = this.#course;
    const { outdoorC, soilC, electric } = this.#share;
    const { hp, heat, mode, indoor, hotWater } = rows;
    for (let i = from; i < to; i++) {
      const water = tankHeat[i] ?? 0;
      const backup = backupHeat[i] ?? 0;
      const given = (roomHeat[i] ?? 0) + backup + water;
      const at = i + behind;
      indoor[at + 1] = room[i + 1] ?? 0;
      hotWater[at + 1] = tank[i + 1] ?? 0;
      if (given < NO_HEAT_MILLI_WH) {
        hp[at] = STANDBY_MILLI_WH;
        heat[at] = mode[at] = 0;
        continue;
      }
      const ofWater = water > 0 ? water / performance.tankCop(outdoorC[i] ?? 0, soilC[i] ?? 0) : 0;
      const drawn = (electric[i] ?? 0) + backup + ofWater + STANDBY_MILLI_WH;
      hp[at] = Math.min(limit, roundNonNegative(drawn));
      heat[at] = roundNonNegative(given);
      mode[at] = water > 0 ? 2 : 1;
    }
    indoor[from + behind] = room[from] ?? 0;
    hotWater[from + behind] = tank[from] ?? 0;
  }
}
