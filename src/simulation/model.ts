/**
 * A household at any quarter hour, by random access. Truth stands on a fixed UTC grid of quarter hours in
 * integer mWh; nothing is stored, what is remembered here only saves time.
 */
import { IDENTITY, compose, storeMap, storeOf, storeStep, walkBack } from './battery.ts';
import type { Clamp } from './battery.ts';
import type { HeatQuarter, ScheduleState } from './heat.ts';
import type { Household } from './household.ts';
import { Memory } from './memory.ts';
import { QUARTERS, dayBuilder } from './model-day.ts';
import type { DayInputs } from './model-day.ts';
import { vehicleMap, vehicleStep, vehicleStoreOf } from './vehicle.ts';

/** Bound once: under a test runner's context each use of a global is a slow lookup. */
const { floor, max, min } = Math;

const QUARTER_MS = 900_000;

/** Energies of a quarter hour in mWh, AC side; grid = load + ev + hp + charge - discharge - pv, exactly. */
export interface Quarter {
  readonly load: number;
  readonly pv: number;
  readonly ev: number;
  readonly hp: number;
  readonly charge: number;
  readonly discharge: number;
  /** Positive from the grid, negative into it. */
  readonly grid: number;
  /** Heat delivered by the heat pump. */
  readonly heat: number;
  readonly heatMode: HeatQuarter['mode'];
  readonly pluggedIn: boolean;
  /** Stored in the stationary battery at the start and the end. */
  readonly stored: readonly [number, number];
  /** Stored in the vehicle at the start and the end; 0 without one. */
  readonly vehicleStored: readonly [number, number];
}

/** Sums of energies in mWh from the anchor on. */
export interface Counters {
  readonly pv: number;
  readonly ev: number;
  readonly hp: number;
  readonly gridImport: number;
  readonly gridExport: number;
}
const ZERO: Counters = { pv: 0, ev: 0, hp: 0, gridImport: 0, gridExport: 0 };

export interface Model {
  /** The quarter that starts at quarterIndex * 15 min since 1970; quarters before the anchor are those of an idle house. */
  quarter(quarterIndex: number): Quarter;
  /** Sums over the quarters from the anchor up to and without quarterIndex. */
  countersBefore(quarterIndex: number): Counters;
}

interface VehicleTrack {
  readonly ac: Int32Array;
  /** Charge at the start of each quarter and, last, at the end of the day. */
  readonly stored: Float64Array;
}
interface BatteryTrack {
  readonly net: Int32Array;
  readonly charge: Int32Array;
  readonly discharge: Int32Array;
  readonly stored: Float64Array;
}

/** `scheduleState` steers the heat pump; it must be a pure function of the instant. */
export function createModel(household: Household, scheduleState: (at: Date) => ScheduleState): Model {
  const anchor = floor(household.anchor_ms / QUARTER_MS);
  const firstDay = floor(anchor / QUARTERS);
  const store = storeOf(household.battery);
  const car = household.electric_vehicle && vehicleStoreOf(household.electric_vehicle);
  const build = dayBuilder(household, scheduleState);
  const inputs = new Memory<number, DayInputs>(8);
  const carMaps = new Memory<number, Clamp>(96);
  const carTracks = new Memory<number, VehicleTrack>(8);
  const storeMaps = new Memory<number, Clamp>(96);
  const storeTracks = new Memory<number, BatteryTrack>(8);
  const totals = new Memory<number, Counters>(8);
  let lastTotal = firstDay;

  const inputsOf = (day: number) => inputs.get(day, () => build(day));
  const firstQuarterOf = (day: number) => (day === firstDay ? anchor - firstDay * QUARTERS : 0);

  const carMapOf = (day: number): Clamp =>
    carMaps.get(day, () => {
      if (!car) return IDENTITY;
      const { driven, pluggedIn } = inputsOf(day);
      let map = IDENTITY;
      for (let i = firstQuarterOf(day); i < QUARTERS; i++) {
        map = compose(map, vehicleMap(car, driven[i] ?? 0, pluggedIn[i] === 1));
      }
      return map;
    });

  const carTrackOf = (day: number): VehicleTrack =>
    carTracks.get(day, () => {
      const track = { ac: new Int32Array(QUARTERS), stored: new Float64Array(QUARTERS + 1) };
      if (!car) return track;
      const { driven, pluggedIn } = inputsOf(day);
      let x = carTracks.find(day - 1)?.stored[QUARTERS] ?? walkBack(carMapOf, day, firstDay, car.initial);
      track.stored.fill(x);
      for (let i = firstQuarterOf(day); i < QUARTERS; i++) {
        const step = vehicleStep(car, driven[i] ?? 0, pluggedIn[i] === 1, x);
        track.ac[i] = step.ac;
        track.stored[i + 1] = x = step.x;
      }
      return track;
    });

  /** Surplus of each quarter before the battery. */
  const netOf = (day: number): Int32Array => {
    const { load, pv, hp } = inputsOf(day);
    const { ac } = carTrackOf(day);
    return pv.map((energy, i) => energy - (load[i] ?? 0) - (hp[i] ?? 0) - (ac[i] ?? 0));
  };

  const storeMapOf = (day: number): Clamp =>
    storeMaps.get(day, () => {
      const net = netOf(day);
      let map = IDENTITY;
      for (let i = firstQuarterOf(day); i < QUARTERS; i++) map = compose(map, storeMap(store, net[i] ?? 0));
      return map;
    });

  const storeTrackOf = (day: number): BatteryTrack =>
    storeTracks.get(day, () => {
      const net = netOf(day);
      const track = {
        net,
        charge: new Int32Array(QUARTERS),
        discharge: new Int32Array(QUARTERS),
        stored: new Float64Array(QUARTERS + 1),
      };
      let x =
        storeTracks.find(day - 1)?.stored[QUARTERS] ?? walkBack(storeMapOf, day, firstDay, store.initial);
      track.stored.fill(x);
      for (let i = firstQuarterOf(day); i < QUARTERS; i++) {
        const step = storeStep(store, net[i] ?? 0, x);
        track.charge[i] = step.charge;
        track.discharge[i] = step.discharge;
        track.stored[i + 1] = x = step.x;
      }
      return track;
    });

  const quarter = (quarterIndex: number): Quarter => {
    const day = floor(quarterIndex / QUARTERS);
    const i = quarterIndex - day * QUARTERS;
    if (quarterIndex < anchor) return idle(store.initial, car ? car.initial : 0);
    const input = inputsOf(day);
    const vehicle = carTrackOf(day);
    const battery = storeTrackOf(day);
    const charge = battery.charge[i] ?? 0;
    const discharge = battery.discharge[i] ?? 0;
    return {
      load: input.load[i] ?? 0,
      pv: input.pv[i] ?? 0,
      ev: vehicle.ac[i] ?? 0,
      hp: input.hp[i] ?? 0,
      charge,
      discharge,
      grid: charge - discharge - (battery.net[i] ?? 0),
      heat: input.heat[i] ?? 0,
      heatMode: input.mode[i] ?? 'off',
      pluggedIn: input.pluggedIn[i] === 1,
      stored: [battery.stored[i] ?? 0, battery.stored[i + 1] ?? 0],
      vehicleStored: [vehicle.stored[i] ?? 0, vehicle.stored[i + 1] ?? 0],
    };
  };

  const sum = (from: Counters, start: number, end: number): Counters => {
    let { pv, ev, hp, gridImport, gridExport } = from;
    for (let index = start; index < end; index++) {
      const q = quarter(index);
      pv += q.pv;
      ev += q.ev;
      hp += q.hp;
      if (q.grid > 0) gridImport += q.grid;
      else gridExport -= q.grid;
    }
    return { pv, ev, hp, gridImport, gridExport };
  };

  /** Counters at the start of a day, continued from the latest day that is remembered. */
  const totalBefore = (day: number): Counters => {
    let known = min(lastTotal, day);
    while (known > firstDay && !totals.find(known)) known--;
    let total = totals.find(known) ?? ZERO;
    for (let next = known; next < day; next++) {
      total = sum(total, max(anchor, next * QUARTERS), (next + 1) * QUARTERS);
      const reached = total;
      totals.get(next + 1, () => reached);
    }
    lastTotal = max(lastTotal, day);
    return total;
  };

  const countersBefore = (quarterIndex: number): Counters => {
    if (quarterIndex <= anchor) return ZERO;
    const day = floor(quarterIndex / QUARTERS);
    return sum(day > firstDay ? totalBefore(day) : ZERO, max(anchor, day * QUARTERS), quarterIndex);
  };
  return { quarter, countersBefore };
}

/** A house before its history begins. */
function idle(stored: number, vehicleStored: number): Quarter {
  return {
    load: 0,
    pv: 0,
    ev: 0,
    hp: 0,
    charge: 0,
    discharge: 0,
    grid: 0,
    heat: 0,
    heatMode: 'off',
    pluggedIn: false,
    stored: [stored, stored],
    vehicleStored: [vehicleStored, vehicleStored],
  };
}
