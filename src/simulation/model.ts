/**
 * A household at any quarter hour, by random access. Truth stands on a fixed UTC grid of quarter hours in
 * integer mWh; nothing is stored, what is remembered here only saves time.
 */
import { IDENTITY, runStore, storeMap, storeOf, walkBack } from './battery.ts';
import type { Clamp } from './battery.ts';
import { NO_COUNTERS, addDay, counterLedger } from './counters.ts';
import type { Checkpoint, Counters, Ledger } from './counters.ts';
import { HEAT_MODES } from './heat.ts';
import type { HeatMode, ScheduleState } from './heat.ts';
import type { Household } from './household.ts';
import { QUARTERS } from './local-time.ts';
import { Memory } from './memory.ts';
import { drivingOf, heatFiller, loadFiller, pvFiller } from './model-day.ts';
import { byteRow, int32Row } from './rows.ts';
import { runVehicle, vehicleMap, vehicleStoreOf } from './vehicle.ts';
import type { Driving } from './vehicle.ts';

/** Bound once: under a test runner's context each use of a global is a slow lookup. */
const { floor } = Math;

const QUARTER_MS = 900_000;

/**
 * A UTC day by its 96 quarter hours: energies in mWh, AC side; grid = load + ev + hp + charge - discharge - pv,
 * exactly. Quarters before the anchor hold zeros. Not to be written to.
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

export interface Model {
  /** The UTC day (days since 1970). */
  day(day: number): DayRows;
  /** The quarter that starts at quarterIndex * 15 min since 1970; quarters before the anchor are those of an idle house. */
  quarter(quarterIndex: number): Quarter;
  /** Sums over the quarters from the anchor up to and without quarterIndex. */
  countersBefore(quarterIndex: number): Counters;
  /** Where the household stood at the starts of days. */
  readonly ledger: Ledger;
}

interface VehicleTrack extends Driving {
  readonly ev: Int32Array;
  readonly vehicleStored: Int32Array;
}
interface House {
  readonly load: Int32Array;
  readonly pv: Int32Array;
  readonly hp: Int32Array;
  readonly heat: Int32Array;
  readonly mode: Uint8Array;
  /** Surplus before the battery. */
  readonly net: Int32Array;
}

/** `scheduleState` steers the heat pump; it must be a pure function of the instant. */
export function createModel(household: Household, scheduleState: (at: Date) => ScheduleState): Model {
  const anchor = floor(household.anchor_ms / QUARTER_MS);
  const firstDay = floor(anchor / QUARTERS);
  const store = storeOf(household.battery);
  const car = household.electric_vehicle && vehicleStoreOf(household.electric_vehicle);
  const fillLoad = loadFiller(household);
  const fillPv = pvFiller(household);
  const fillHeat = heatFiller(household, scheduleState);
  const driving = drivingOf(household);
  const parked: VehicleTrack = {
    driven: int32Row(QUARTERS),
    pluggedIn: byteRow(QUARTERS),
    ev: int32Row(QUARTERS),
    vehicleStored: int32Row(QUARTERS + 1),
  };
  const carTracks = new Memory<number, VehicleTrack>(3);
  const carMaps = new Memory<number, Clamp>(64);
  const houses = new Memory<number, House>(3);
  const storeMaps = new Memory<number, Clamp>(64);
  const days = new Memory<number, DayRows>(2);

  const firstQuarterOf = (day: number) =>
    day > firstDay ? 0 : day < firstDay ? QUARTERS : anchor - firstDay * QUARTERS;

  const carMapOf = (day: number): Clamp =>
    carMaps.get(day, () => (car ? vehicleMap(car, driving(day), firstQuarterOf(day)) : IDENTITY));

  const carTrackOf = (day: number): VehicleTrack => {
    if (!car) return parked;
    return carTracks.get(day, () => {
      const track = { ...driving(day), ev: int32Row(QUARTERS), vehicleStored: int32Row(QUARTERS + 1) };
      const known = carTracks.find(day - 1)?.vehicleStored[QUARTERS];
      const x = known ?? walkBack(carMapOf, day, (back) => standingAt(back)?.vehicleStored);
      const first = firstQuarterOf(day);
      track.pluggedIn.fill(0, 0, first);
      runVehicle(car, track, first, x, track);
      return track;
    });
  };

  const houseOf = (day: number): House =>
    houses.get(day, () => {
      const house = {
        load: int32Row(QUARTERS),
        pv: int32Row(QUARTERS),
        hp: int32Row(QUARTERS),
        heat: int32Row(QUARTERS),
        mode: byteRow(QUARTERS),
        net: int32Row(QUARTERS),
      };
      fillLoad(day, house.load);
      fillPv(day, house.pv);
      fillHeat(day, house);
      const { load, pv, hp, net } = house;
      const first = firstQuarterOf(day);
      if (first > 0) for (const values of Object.values(house)) values.fill(0, 0, first);
      const ev = car ? carTrackOf(day).ev : undefined;
      for (let i = first; i < QUARTERS; i++) {
        net[i] = (pv[i] ?? 0) - (load[i] ?? 0) - (hp[i] ?? 0) - (ev?.[i] ?? 0);
      }
      return house;
    });

  const storeMapOf = (day: number): Clamp =>
    storeMaps.get(day, () => storeMap(store, houseOf(day).net, firstQuarterOf(day)));

  const dayOf = (day: number): DayRows =>
    days.get(day, () => {
      const house = houseOf(day);
      const track = carTrackOf(day);
      const rows = {
        load: house.load,
        pv: house.pv,
        hp: house.hp,
        heat: house.heat,
        mode: house.mode,
        ev: track.ev,
        pluggedIn: track.pluggedIn,
        vehicleStored: track.vehicleStored,
        charge: int32Row(QUARTERS),
        discharge: int32Row(QUARTERS),
        grid: int32Row(QUARTERS),
        stored: int32Row(QUARTERS + 1),
      };
      const known = days.find(day - 1)?.stored[QUARTERS];
      const x = known ?? walkBack(storeMapOf, day, (back) => standingAt(back)?.stored);
      runStore(store, house.net, firstQuarterOf(day), x, rows);
      const { charge, discharge, grid } = rows;
      for (let i = 0; i < QUARTERS; i++) {
        grid[i] = (charge[i] ?? 0) - (discharge[i] ?? 0) - (house.net[i] ?? 0);
      }
      return rows;
    });

  const origin: Checkpoint = {
    day: firstDay,
    counters: NO_COUNTERS,
    stored: store.initial,
    vehicleStored: car ? car.initial : 0,
  };
  const ledger = counterLedger(origin, dayOf);
  const standingAt = (day: number) => (day <= firstDay ? origin : ledger.find(day));
  return {
    day: dayOf,
    quarter: (quarterIndex) => {
      const day = floor(quarterIndex / QUARTERS);
      return quarterOf(dayOf(day), quarterIndex - day * QUARTERS);
    },
    countersBefore: (quarterIndex) => {
      if (quarterIndex <= anchor) return NO_COUNTERS;
      const day = floor(quarterIndex / QUARTERS);
      return addDay(ledger.at(day).counters, dayOf(day), quarterIndex - day * QUARTERS);
    },
    ledger,
  };
}

function quarterOf(rows: DayRows, i: number): Quarter {
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
