/**
 * A household at any quarter hour, by random access. All values are on a fixed UTC grid of quarter hours in
 * integer mWh; nothing is stored, what is remembered here only saves time.
 */
import {
  NO_TRANSITION,
  simulateBatteryDay,
  batteryTransition,
  batteryLimitsOf,
  storedEnergyAtDayStart,
} from '../devices/battery.ts';
import type { StorageTransition } from '../devices/battery.ts';
import { NO_COUNTERS, addQuarterEnergies, createCounterAccumulator } from './counter-accumulator.ts';
import type { Checkpoint, Counters, CounterAccumulator } from './counter-accumulator.ts';
import { HEAT_MODES } from '../devices/heat-pump.ts';
import type { HeatMode } from '../devices/heat-pump.ts';
import type { ScheduleState } from '../devices/schedule-states.ts';
import type { Household } from '../household/household.ts';
import { DayCache } from '../kernel/bounded-cache.ts';
import { createDrivingPlanner, createHeatFiller, createLoadFiller, createPvFiller } from './model-day.ts';
import { allocateUint8Array, allocateInt32Array } from '../kernel/typed-arrays.ts';
import { simulateVehicleDay, vehicleBatteryTransition, vehicleBatteryLimitsOf } from '../devices/vehicle.ts';
import { QUARTER_HOURS_PER_DAY, QUARTER_HOUR_MS } from '../../domain/api/durations.ts';

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
  /** 1 while the vehicle is plugged in. */
  readonly pluggedIn: Uint8Array;
  /** Stored in the stationary battery before each quarter and after the last. */
  readonly stored: Int32Array;
  /** Stored in the vehicle, likewise; 0 without one. */
  readonly vehicleStored: Int32Array;
}

/** All but the battery. */
type HouseRows = Omit<DayRows, 'charge' | 'discharge' | 'grid' | 'stored'>;

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
  readonly pluggedIn: boolean;
  /** At the start and the end. */
  readonly stored: readonly [number, number];
  readonly vehicleStored: readonly [number, number];
}

export interface HouseholdModel {
  /** The UTC day (days since 1970). */
  day(day: number): DayRows;
  /** The quarter that starts at quarterIndex * 15 min since 1970; quarters before the anchor are those of an idle household. */
  quarter(quarterIndex: number): Quarter;
  /** Sums over the quarters from the anchor up to and without quarterIndex. */
  countersBefore(quarterIndex: number): Counters;
  /** Counters and stored energies at the starts of days. */
  readonly counters: CounterAccumulator;
}

/** Surplus before the battery on the day that is being filled. */
const surplus = new Int32Array(QUARTER_HOURS_PER_DAY);

/** Rows of what a household lacks, for all. */
const IDLE = new Int32Array(QUARTER_HOURS_PER_DAY);
const IDLE_STORED = new Int32Array(QUARTER_HOURS_PER_DAY + 1);
const IDLE_BYTES = new Uint8Array(QUARTER_HOURS_PER_DAY);

/** For days of which only the battery's map is asked. */
const scratchRows: HouseRows = {
  load: new Int32Array(QUARTER_HOURS_PER_DAY),
  pv: new Int32Array(QUARTER_HOURS_PER_DAY),
  hp: new Int32Array(QUARTER_HOURS_PER_DAY),
  heat: new Int32Array(QUARTER_HOURS_PER_DAY),
  mode: new Uint8Array(QUARTER_HOURS_PER_DAY),
  ev: new Int32Array(QUARTER_HOURS_PER_DAY),
  pluggedIn: new Uint8Array(QUARTER_HOURS_PER_DAY),
  vehicleStored: new Int32Array(QUARTER_HOURS_PER_DAY + 1),
};

/** In this order the golden hashes read them. */
function createDayRows({ pv, heat_pump: pump, electric_vehicle: vehicle }: Household): DayRows {
  return {
    load: allocateInt32Array(QUARTER_HOURS_PER_DAY),
    pv: pv.rating_kw > 0 ? allocateInt32Array(QUARTER_HOURS_PER_DAY) : IDLE,
    hp: pump ? allocateInt32Array(QUARTER_HOURS_PER_DAY) : IDLE,
    heat: pump ? allocateInt32Array(QUARTER_HOURS_PER_DAY) : IDLE,
    mode: pump ? allocateUint8Array(QUARTER_HOURS_PER_DAY) : IDLE_BYTES,
    ev: vehicle ? allocateInt32Array(QUARTER_HOURS_PER_DAY) : IDLE,
    pluggedIn: vehicle ? allocateUint8Array(QUARTER_HOURS_PER_DAY) : IDLE_BYTES,
    vehicleStored: vehicle ? allocateInt32Array(QUARTER_HOURS_PER_DAY + 1) : IDLE_STORED,
    charge: allocateInt32Array(QUARTER_HOURS_PER_DAY),
    discharge: allocateInt32Array(QUARTER_HOURS_PER_DAY),
    grid: allocateInt32Array(QUARTER_HOURS_PER_DAY),
    stored: allocateInt32Array(QUARTER_HOURS_PER_DAY + 1),
  };
}

/** `scheduleState` steers the heat pump; it must be a pure function of the instant. */
export function createHouseholdModel(
  household: Household,
  scheduleState: (at: Date) => ScheduleState,
): HouseholdModel {
  const anchor = Math.floor(household.anchor_ms / QUARTER_HOUR_MS);
  const firstDay = Math.floor(anchor / QUARTER_HOURS_PER_DAY);
  const store = batteryLimitsOf(household.battery);
  const car = household.electric_vehicle && vehicleBatteryLimitsOf(household.electric_vehicle);
  const fillLoad = createLoadFiller(household);
  const fillPv = createPvFiller(household);
  const fillHeat = createHeatFiller(household, scheduleState);
  const drivingOn = household.electric_vehicle && createDrivingPlanner(household, household.electric_vehicle);
  const carMaps = new DayCache<StorageTransition>(64);
  const storeMaps = new DayCache<StorageTransition>(64);
  const days = new DayCache<DayRows>(2);

  const firstQuarterOf = (day: number) =>
    day > firstDay ? 0 : day < firstDay ? QUARTER_HOURS_PER_DAY : anchor - firstDay * QUARTER_HOURS_PER_DAY;

  const carMapOf = (day: number): StorageTransition =>
    carMaps.find(day) ??
    carMaps.set(
      day,
      car && drivingOn ? vehicleBatteryTransition(car, drivingOn(day), firstQuarterOf(day)) : NO_TRANSITION,
    );
  const storeMapOf = (day: number): StorageTransition => {
    const known = storeMaps.find(day);
    if (known) return known;
    fill(day, scratchRows);
    return storeMaps.set(day, batteryTransition(store, surplus, firstQuarterOf(day)));
  };

  /** Everything but the battery. */
  const fill = (day: number, rows: HouseRows): void => {
    const { load, pv, hp, heat, mode, ev } = rows;
    const first = firstQuarterOf(day);
    fillLoad(day, load);
    fillPv(day, pv);
    fillHeat(day, rows);
    if (first > 0) for (const values of [load, pv, hp, heat, mode]) values.fill(0, 0, first);
    if (car && drivingOn) {
      const known = days.find(day - 1)?.vehicleStored[QUARTER_HOURS_PER_DAY];
      const x = known ?? storedEnergyAtDayStart(carMapOf, day, (back) => standingAt(back)?.vehicleStored);
      simulateVehicleDay(car, drivingOn(day), first, x, rows);
    } else ev.fill(0);
    for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
      surplus[i] = (pv[i] ?? 0) - (load[i] ?? 0) - (hp[i] ?? 0) - (ev[i] ?? 0);
    }
  };

  const run = (day: number, rows: DayRows): DayRows => {
    const known = days.find(day - 1)?.stored[QUARTER_HOURS_PER_DAY];
    const x = known ?? storedEnergyAtDayStart(storeMapOf, day, (back) => standingAt(back)?.stored);
    fill(day, rows);
    simulateBatteryDay(store, surplus, firstQuarterOf(day), x, rows);
    const { charge, discharge, grid } = rows;
    for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++)
      grid[i] = (charge[i] ?? 0) - (discharge[i] ?? 0) - (surplus[i] ?? 0);
    return rows;
  };
  const dayOf = (day: number): DayRows =>
    days.find(day) ?? days.set(day, run(day, days.evict(day) ?? createDayRows(household)));

  const origin: Checkpoint = {
    day: firstDay,
    counters: NO_COUNTERS,
    stored: store.initial,
    vehicleStored: car ? car.initial : 0,
  };
  const accumulator = createCounterAccumulator(origin, dayOf);
  const standingAt = (day: number) => (day <= firstDay ? origin : accumulator.findCheckpoint(day));
  return {
    day: dayOf,
    quarter: (quarterIndex) => {
      const day = Math.floor(quarterIndex / QUARTER_HOURS_PER_DAY);
      return readQuarter(dayOf(day), quarterIndex - day * QUARTER_HOURS_PER_DAY);
    },
    countersBefore: (quarterIndex) => {
      if (quarterIndex <= anchor) return NO_COUNTERS;
      const day = Math.floor(quarterIndex / QUARTER_HOURS_PER_DAY);
      return addQuarterEnergies(
        accumulator.checkpointAt(day).counters,
        dayOf(day),
        quarterIndex - day * QUARTER_HOURS_PER_DAY,
      );
    },
    counters: accumulator,
  };
}

function readQuarter(rows: DayRows, i: number): Quarter {
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
    pluggedIn: rows.pluggedIn[i] === 1,
    stored: [at(rows.stored), at(rows.stored, i + 1)],
    vehicleStored: [at(rows.vehicleStored), at(rows.vehicleStored, i + 1)],
  };
}
