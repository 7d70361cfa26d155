/**
 * The steps of a house and its hot-water tank, each a single body with one temperature (docs/simulation.md#house). A quarter
 * hour takes the temperatures, whole milli-kelvin, to the next ones; warmer ones never become colder than colder ones, so
 * that two courses between which the truth lies stay so, and where they meet they are the truth (coupling from the past).
 */
import { allocateFloat64Array, allocateInt32Array } from '../kernel/typed-arrays.ts';
import { CELLAR_C } from './hot-water.ts';
import type { ThermalHouse } from './thermal-house.ts';

/** Surroundings of the tank, mK: it is never colder, since nobody draws when it is not warm. */
const CELLAR_MK = 1000 * CELLAR_C;
/** No tank is colder, and no tank warmer than its target. */
export const COLDEST_TANK_MK = CELLAR_MK;
/** Mean temperature of a tank that is warm at its top only, mK: people stop drawing. */
export const LEAST_DRAWN_MK = 30_000;
/** Below this people heat otherwise, above that they shade and ventilate, unless they want it warmer, mK. */
export const COLDEST_ROOM_MK = 8000;
export const WARMEST_ROOM_MK = 26_000;
/** Open windows keep so much of what it is too warm, and take at most so many mK in a quarter hour. */
const WINDOWS_KEEP = 0.9;
const MOST_AIRED_MK = 300;
/** The heater helps where a house is that much colder than wanted and than its target, mK. */
export const BACKUP_BELOW_COMFORT_MK = 2200;
const BACKUP_BELOW_TARGET_MK = 200;

/** Temperatures are whole mK, which takes so much of them at most. */
const ROUNDED_MK = 0.5;

/** What some time brings to a house, by quarter hours. */
export interface Forcing {
  readonly outdoorC: Float64Array;
  /** Temperature of the room without heat in the long run, mK. */
  readonly roomRest: Float64Array;
  /** Targets, mK; 0 where nothing is to be heated. */
  readonly roomTarget: Int32Array;
  readonly tankGoal: Int32Array;
  /** Room temperature below which the heater helps, mK. */
  readonly heaterHold: Int32Array;
  /** Fall of the tank's temperature by what is drawn, mK. */
  readonly tankFall: Float64Array;
  /** Most heat of the compressor, mWh. */
  readonly mostHeat: Float64Array;
  /** Temperature of the mains, mK. */
  readonly mains: Int32Array;
}

/** Empty memory for so many quarter hours. */
export function createForcing(quarters: number): Forcing {
  return {
    outdoorC: allocateFloat64Array(quarters),
    roomRest: allocateFloat64Array(quarters),
    roomTarget: allocateInt32Array(quarters),
    tankGoal: allocateInt32Array(quarters),
    heaterHold: allocateInt32Array(quarters),
    tankFall: allocateFloat64Array(quarters),
    mostHeat: allocateFloat64Array(quarters),
    mains: allocateInt32Array(quarters),
  };
}

/** A course: temperatures in mK before each quarter hour and after the last, heats in mWh by what they are for. */
export interface Course {
  readonly room: Int32Array;
  readonly tank: Int32Array;
  readonly roomHeat: Float64Array;
  readonly tankHeat: Float64Array;
  readonly backupHeat: Float64Array;
}

/** Empty memory for so many quarter hours. */
export function createCourse(quarters: number): Course {
  return {
    room: allocateInt32Array(quarters + 1),
    tank: allocateInt32Array(quarters + 1),
    roomHeat: allocateFloat64Array(quarters),
    tankHeat: allocateFloat64Array(quarters),
    backupHeat: allocateFloat64Array(quarters),
  };
}

/** Temperature without heat after people opened their windows where it is too warm and colder outside, and shaded. */
function ventilate(free: number, open: number, outdoor: number): number {
  const limit = outdoor > open ? outdoor : open;
  const aired = free > limit ? limit + (free - limit) * WINDOWS_KEEP : free;
  // Who wants it warmer than that has it so.
  const warmest = open > WARMEST_ROOM_MK ? open : WARMEST_ROOM_MK;
  const wanted = aired < warmest ? aired : warmest;
  const least = free - MOST_AIRED_MK;
  return wanted > least ? wanted : least;
}

/** What the last step gave, mWh: a step has more results than its temperature, and makes no objects. */
export const given = { water: 0, heat: 0, backup: 0 };

/** Temperature of a tank of `tank` mK after quarter hour `i` without heat. */
export function coolTank(house: ThermalHouse, forcing: Forcing, i: number, tank: number): number {
  const still = CELLAR_MK + (tank - CELLAR_MK) * house.tankKeep;
  const drawn = still - (forcing.tankFall[i] ?? 0);
  const mains = forcing.mains[i] ?? 0;
  const least = mains > LEAST_DRAWN_MK ? mains : LEAST_DRAWN_MK;
  return drawn > least ? drawn : still < least ? still : least;
}

/** No warmer tank has `next` mK or less after quarter hour `i`; mK. */
export function warmestTankBefore(house: ThermalHouse, forcing: Forcing, i: number, next: number): number {
  const still = next + ROUNDED_MK + (forcing.tankFall[i] ?? 0);
  return CELLAR_MK + (still - CELLAR_MK) / house.tankKeep;
}

/** Temperature of a tank that would have `free` mK, heated up to `goal` where the `most` heat of the compressor suffices. */
export function heatTank(house: ThermalHouse, free: number, goal: number, most: number): number {
  let next = free;
  given.water = 0;
  if (next < goal) {
    const { coilHeat, tankNeed, tankRise } = house;
    const passed = most < coilHeat ? most : coilHeat;
    given.water = Math.min(passed, (goal - next) * tankNeed);
    next = Math.min(goal, next + passed * tankRise);
  }
  return Math.floor(next + 0.5);
}

/** Temperature of a room of `room` mK after quarter hour `i` without heat. */
export function coolRoom(house: ThermalHouse, forcing: Forcing, i: number, room: number): number {
  const rest = forcing.roomRest[i] ?? 0;
  const next = rest + (room - rest) * house.roomKeep;
  return next > house.openAbove ? ventilate(next, house.openAbove, 1000 * (forcing.outdoorC[i] ?? 0)) : next;
}

/** No warmer room has `next` mK or less after quarter hour `i`; mK, infinite where people then open their windows. */
export function warmestRoomBefore(house: ThermalHouse, forcing: Forcing, i: number, next: number): number {
  const free = next + ROUNDED_MK;
  if (free >= house.openAbove) return Infinity;
  const rest = forcing.roomRest[i] ?? 0;
  return rest + (free - rest) / house.roomKeep;
}

/**
 * Temperature of a room that would have `free` mK, heated up to `target` where the heat that is `left` of the compressor's and
 * the heater, which helps below `heaterHold`, suffice.
 */
export function heatRoom(
  house: ThermalHouse,
  free: number,
  target: number,
  left: number,
  heaterHold: number,
): number {
  let next = free;
  given.heat = 0;
  given.backup = 0;
  if (next < target) {
    const { roomNeed, roomRise } = house;
    given.heat = Math.min(left, (target - next) * roomNeed);
    next = Math.min(target, next + left * roomRise);
    const hold = Math.min(heaterHold, target - BACKUP_BELOW_TARGET_MK);
    if (next < hold) {
      given.backup = Math.min(house.backup, (hold - next) * roomNeed);
      next = Math.min(hold, next + house.backup * roomRise);
    }
  }
  if (next < COLDEST_ROOM_MK) next = COLDEST_ROOM_MK;
  return Math.floor(next + 0.5);
}

/**
 * Runs the quarter hours `from` up to and without `to`, before which the room has `room` mK and the tank `tank`, into `course`;
 * all else in it is left as it is. Each step is a composition of functions that never fall, also as they are rounded: the
 * tank comes first, and the warmer it is the more heat is left for the room.
 */
export function runThermostat(
  house: ThermalHouse,
  forcing: Forcing,
  span: { readonly from: number; readonly to: number },
  start: { readonly room: number; readonly tank: number },
  course: Course,
): void {
  const { roomTarget, tankGoal, mostHeat, heaterHold } = forcing;
  const { room: rooms, tank: tanks, roomHeat, tankHeat, backupHeat } = course;
  let { room, tank } = start;
  const { from, to } = span;
  rooms[from] = room;
  tanks[from] = tank;
  for (let i = from; i < to; i++) {
    const most = mostHeat[i] ?? 0;
    tank = heatTank(house, coolTank(house, forcing, i, tank), tankGoal[i] ?? 0, most);
    const free = coolRoom(house, forcing, i, room);
    room = heatRoom(house, free, roomTarget[i] ?? 0, most - given.water, heaterHold[i] ?? 0);
    roomHeat[i] = given.heat;
    tankHeat[i] = given.water;
    backupHeat[i] = given.backup;
    rooms[i + 1] = room;
    tanks[i + 1] = tank;
  }
}
