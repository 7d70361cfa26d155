import { HEAT_MODES } from '../house/heat-pump-rows.ts';
import type { HeatMode } from '../house/heat-pump-rows.ts';
import { CONTROL_MODES } from '../control/control-modes.ts';
import type { ControlMode } from '../control/control-modes.ts';
import { SCHEDULE_STATES } from '../control/schedule-states.ts';
import type { ScheduleState } from '../control/schedule-states.ts';
import type { Household } from '../household/household.ts';
import { allocateUint8Array, allocateInt32Array } from '../kernel/typed-arrays.ts';
import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';

/**
 * A UTC day by its 96 quarter hours: energies in mWh, AC side; grid = load + ev + hp + charge - discharge - pv,
 * exactly. Quarters before the anchor hold zeros. Not to be written to, and to be read at once: other days are
 * written over them.
 */
export interface DayRows {
  readonly load: Int32Array;
  readonly pv: Int32Array;
  readonly ev: Int32Array;
  readonly hp: Int32Array;
  readonly charge: Int32Array;
  readonly discharge: Int32Array;
  /** Positive from the grid, negative into it. */
  readonly grid: Int32Array;
  /** Heat delivered by the heat pump. */
  readonly heat: Int32Array;
  /** Index in HEAT_MODES. */
  readonly mode: Uint8Array;
  /** What the heat pump is asked for: index in SCHEDULE_STATES. */
  readonly asked: Uint8Array;
  /** By what the heat pump goes: index in CONTROL_MODES. */
  readonly follows: Uint8Array;
  /** Indoor temperature before each quarter and after the last, mK over 0 C; 0 without a heat pump. */
  readonly indoor: Int32Array;
  /** Temperature of the hot-water tank, likewise. */
  readonly hotWater: Int32Array;
  /** 1 while the vehicle is plugged in. */
  readonly pluggedIn: Uint8Array;
  /** Stored in the stationary battery before each quarter and after the last. */
  readonly stored: Int32Array;
  /** Stored in the vehicle, likewise; 0 without one. */
  readonly vehicleStored: Int32Array;
}

/** All but the battery. */
export type HouseRows = Omit<DayRows, 'charge' | 'discharge' | 'grid' | 'stored'>;

/** One quarter of a day's rows. */
export interface Quarter {
  readonly load: number;
  readonly pv: number;
  readonly ev: number;
  readonly hp: number;
  readonly charge: number;
  readonly discharge: number;
  readonly grid: number;
  readonly heat: number;
  readonly heatMode: HeatMode;
  readonly scheduleState: ScheduleState;
  readonly heatPumpControl: ControlMode;
  /** At the start and the end, mK over 0 C. */
  readonly indoor: readonly [number, number];
  readonly hotWater: readonly [number, number];
  readonly pluggedIn: boolean;
  /** At the start and the end. */
  readonly stored: readonly [number, number];
  readonly vehicleStored: readonly [number, number];
}

/** Rows of what a household lacks, for all. */
const IDLE = new Int32Array(QUARTER_HOURS_PER_DAY);
const IDLE_STORED = new Int32Array(QUARTER_HOURS_PER_DAY + 1);
const IDLE_BYTES = new Uint8Array(QUARTER_HOURS_PER_DAY);
const IDLE_ASKED = new Uint8Array(QUARTER_HOURS_PER_DAY).fill(SCHEDULE_STATES.indexOf('mid'));

/** Empty rows of a day; what a household lacks shares one row of zeros. The golden hashes read them in this order. */
export function createDayRows({ pv, heat_pump: pump, electric_vehicle: vehicle }: Household): DayRows {
  return {
    load: allocateInt32Array(QUARTER_HOURS_PER_DAY),
    pv: pv.rating_kw > 0 ? allocateInt32Array(QUARTER_HOURS_PER_DAY) : IDLE,
    hp: pump ? allocateInt32Array(QUARTER_HOURS_PER_DAY) : IDLE,
    heat: pump ? allocateInt32Array(QUARTER_HOURS_PER_DAY) : IDLE,
    mode: pump ? allocateUint8Array(QUARTER_HOURS_PER_DAY) : IDLE_BYTES,
    asked: pump ? allocateUint8Array(QUARTER_HOURS_PER_DAY) : IDLE_ASKED,
    follows: pump ? allocateUint8Array(QUARTER_HOURS_PER_DAY) : IDLE_BYTES,
    indoor: pump ? allocateInt32Array(QUARTER_HOURS_PER_DAY + 1) : IDLE_STORED,
    hotWater: pump ? allocateInt32Array(QUARTER_HOURS_PER_DAY + 1) : IDLE_STORED,
    ev: vehicle ? allocateInt32Array(QUARTER_HOURS_PER_DAY) : IDLE,
    pluggedIn: vehicle ? allocateUint8Array(QUARTER_HOURS_PER_DAY) : IDLE_BYTES,
    vehicleStored: vehicle ? allocateInt32Array(QUARTER_HOURS_PER_DAY + 1) : IDLE_STORED,
    charge: allocateInt32Array(QUARTER_HOURS_PER_DAY),
    discharge: allocateInt32Array(QUARTER_HOURS_PER_DAY),
    grid: allocateInt32Array(QUARTER_HOURS_PER_DAY),
    stored: allocateInt32Array(QUARTER_HOURS_PER_DAY + 1),
  };
}

/** Empty rows of a day without its battery. */
export function createHouseRows(): HouseRows {
  return {
    load: allocateInt32Array(QUARTER_HOURS_PER_DAY),
    pv: allocateInt32Array(QUARTER_HOURS_PER_DAY),
    hp: allocateInt32Array(QUARTER_HOURS_PER_DAY),
    heat: allocateInt32Array(QUARTER_HOURS_PER_DAY),
    mode: allocateUint8Array(QUARTER_HOURS_PER_DAY),
    asked: allocateUint8Array(QUARTER_HOURS_PER_DAY),
    follows: allocateUint8Array(QUARTER_HOURS_PER_DAY),
    indoor: allocateInt32Array(QUARTER_HOURS_PER_DAY + 1),
    hotWater: allocateInt32Array(QUARTER_HOURS_PER_DAY + 1),
    ev: allocateInt32Array(QUARTER_HOURS_PER_DAY),
    pluggedIn: allocateUint8Array(QUARTER_HOURS_PER_DAY),
    vehicleStored: allocateInt32Array(QUARTER_HOURS_PER_DAY + 1),
  };
}

/** The quarter hour `i` (0 to 95) of a day's rows. */
export function readQuarter(rows: DayRows, i: number): Quarter {
  const at = (row: Int32Array, index = i): number => row[index] ?? 0;
  return {
    load: at(rows.load),
    pv: at(rows.pv),
    ev: at(rows.ev),
    hp: at(rows.hp),
    charge: at(rows.charge),
    discharge: at(rows.discharge),
    grid: at(rows.grid),
    heat: at(rows.heat),
    heatMode: HEAT_MODES[rows.mode[i] ?? 0] ?? 'off',
    scheduleState: SCHEDULE_STATES[rows.asked[i] ?? 0] ?? 'mid',
    heatPumpControl: CONTROL_MODES[rows.follows[i] ?? 0] ?? 'automatic',
    indoor: [at(rows.indoor), at(rows.indoor, i + 1)],
    hotWater: [at(rows.hotWater), at(rows.hotWater, i + 1)],
    pluggedIn: rows.pluggedIn[i] === 1,
    stored: [at(rows.stored), at(rows.stored, i + 1)],
    vehicleStored: [at(rows.vehicleStored), at(rows.vehicleStored, i + 1)],
  };
}
