/**
 * A day of a house and its hot-water tank, each a single body with one temperature (docs/simulation.md#house). A quarter
 * hour takes the temperatures, whole milli-kelvin, to the next ones; warmer ones never become colder than colder ones, so
 * that two courses between which the truth lies stay so, and where they meet they are the truth (coupling from the past).
 */
import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import type { HeatPump } from '../household/heat-pump.ts';
import { WH_PER_LITRE_K } from './hot-water.ts';
import { allocateFloat64Array, allocateInt32Array } from '../kernel/typed-arrays.ts';

const HOURS = 0.25;
/** No tank is colder, and no tank warmer than its target. */
export const COLDEST_TANK_MK = 0;
/** Below this people heat otherwise, above that they shade and ventilate: no house leaves these bounds, mK. */
export const COLDEST_ROOM_MK = 8000;
export const WARMEST_ROOM_MK = 26_000;
/** Windows are opened when it is so much warmer than wanted, mK, and let in so much of what is colder outside. */
const WINDOWS_OPEN_MK = 2000;
const WINDOWS_KEEP = 0.6;
/** The heater helps where a house is that much colder than wanted and than its target, mK. */
const BACKUP_BELOW_COMFORT_MK = 2200;
const BACKUP_BELOW_TARGET_MK = 200;
/** Surroundings of the tank, mK. */
const CELLAR_MK = 20_000;
/** Heat of appliances, and of people on days on which somebody is at home: about 3 W/m2 in all. */
const GAINS_W_PER_M2 = 2.2;
const GAINS_W_PER_PERSON = 60;
/** Window area that lets the sun in, for each m2 of floor, on global irradiance. */
const APERTURE_PER_M2 = 0.045;
const W_PER_MILLI_WH = 4 / 1000;
/**
 * Parts of the loss (assumptions): windows and air pass it on at once, floors go by the ground, and walls and roofs feel the
 * mean of a day, later. A clear night of -8 C after a day of 4 C does not cost what a whole day of -8 C does.
 */
const AIR_SHARE = 0.5;
const GROUND_SHARE = 0.15;
const WALL_SHARE = 1 - AIR_SHARE - GROUND_SHARE;
/** Quarter hour at which walls feel the mean of the day: 8 h after noon. */
const WALLS_FEEL_TODAY = 80;

/** A house and tank as numbers of their quarter hour: x becomes rest + (x - rest) * keep. */
export interface ThermalHouse {
  readonly comfort: number;
  readonly roomKeep: number;
  /** Warming of the room by heat, mK for each mWh. */
  readonly roomRise: number;
  /** Its inverse: the heat that warms the room by a mK, mWh; likewise of the tank. */
  readonly roomNeed: number;
  /** Warming of the room's rest temperature by global irradiance, mK for each W/m2, by appliances and by the people, mK. */
  readonly sunLift: number;
  readonly applianceLift: number;
  readonly peopleLift: number;
  readonly tankKeep: number;
  readonly tankRise: number;
  readonly tankNeed: number;
  /** Cooling of the tank by a litre drawn, mK for each K that it is warmed from the mains. */
  readonly litreFall: number;
  readonly tankTarget: number;
  /** Most heat of the heater in a quarter hour, mWh. */
  readonly backup: number;
}

/** The numbers of a heat pump's house. */
export function thermalHouseOf({ building, tank, backup_power_w: backupW }: HeatPump): ThermalHouse {
  const { heat_loss_w_per_k: loss, heat_capacity_wh_per_k: capacity } = building;
  const roomKeep = Math.exp((-HOURS * loss) / capacity);
  const roomRise = ((1 - roomKeep) / loss) * W_PER_MILLI_WH * 1000;
  const tankCapacity = tank.volume_l * WH_PER_LITRE_K;
  return {
    comfort: Math.round(building.comfort_c * 1000),
    roomKeep,
    roomRise,
    roomNeed: 1 / roomRise,
    sunLift: ((APERTURE_PER_M2 * building.floor_area_m2) / loss) * 1000,
    applianceLift: ((GAINS_W_PER_M2 * building.floor_area_m2) / loss) * 1000,
    peopleLift: ((GAINS_W_PER_PERSON * building.persons) / loss) * 1000,
    tankKeep: Math.exp((-HOURS * tank.standing_loss_w) / 30 / tankCapacity),
    tankRise: 1 / tankCapacity,
    tankNeed: tankCapacity,
    litreFall: (WH_PER_LITRE_K / tankCapacity) * 1000,
    tankTarget: tank.target_c * 1000,
    backup: backupW * 250,
  };
}

/** What a day brings to a house, by its 96 quarter hours. */
interface DayForcing {
  readonly outdoorC: Float64Array;
  /** Temperature of the room without heat in the long run, mK. */
  readonly roomRest: Float64Array;
  /** Targets, mK; 0 where nothing is to be heated. */
  readonly roomTarget: Int32Array;
  readonly tankGoal: Int32Array;
  /** Fall of the tank's temperature by what is drawn, mK. */
  readonly tankFall: Float64Array;
  /** Most heat of the compressor, mWh. */
  readonly mostHeat: Float64Array;
  /** Temperature of the mains, mK. */
  mains: number;
  /** Whether rooms are heated on this day. */
  isHeating: boolean;
}

export function createDayForcing(): DayForcing {
  return {
    outdoorC: allocateFloat64Array(QUARTER_HOURS_PER_DAY),
    roomRest: allocateFloat64Array(QUARTER_HOURS_PER_DAY),
    roomTarget: allocateInt32Array(QUARTER_HOURS_PER_DAY),
    tankGoal: allocateInt32Array(QUARTER_HOURS_PER_DAY),
    tankFall: allocateFloat64Array(QUARTER_HOURS_PER_DAY),
    mostHeat: allocateFloat64Array(QUARTER_HOURS_PER_DAY),
    mains: 0,
    isHeating: false,
  };
}

/** A day's course: temperatures in mK before each quarter hour and after the last, heats in mWh by what they are for. */
interface DayCourse {
  readonly room: Int32Array;
  readonly tank: Int32Array;
  readonly roomHeat: Float64Array;
  readonly tankHeat: Float64Array;
  readonly backupHeat: Float64Array;
}

export function createDayCourse(): DayCourse {
  return {
    room: allocateInt32Array(QUARTER_HOURS_PER_DAY + 1),
    tank: allocateInt32Array(QUARTER_HOURS_PER_DAY + 1),
    roomHeat: allocateFloat64Array(QUARTER_HOURS_PER_DAY),
    tankHeat: allocateFloat64Array(QUARTER_HOURS_PER_DAY),
    backupHeat: allocateFloat64Array(QUARTER_HOURS_PER_DAY),
  };
}

/** Temperature without heat after people opened their windows where it is too warm and colder outside, and shaded. */
function ventilate(free: number, open: number, outdoor: number): number {
  const limit = outdoor > open ? outdoor : open;
  const aired = free > limit ? limit + (free - limit) * WINDOWS_KEEP : free;
  return aired < WARMEST_ROOM_MK ? aired : WARMEST_ROOM_MK;
}

/**
 * Runs a day from quarter hour `first` on, before which the room has `room` mK and the tank `tank`, into `course`; what comes
 * before it is left as it is. Each step is a composition of functions that never fall, also as they are rounded: the tank
 * comes first, and the warmer it is the more heat is left for the room.
 */
export function runThermalDay(
  house: ThermalHouse,
  forcing: DayForcing,
  first: number,
  room: number,
  tank: number,
  course: DayCourse,
): void {
  const { roomKeep, roomRise, roomNeed, tankKeep, tankRise, tankNeed, backup, comfort } = house;
  const { outdoorC, roomRest, roomTarget, tankGoal, tankFall, mostHeat, mains } = forcing;
  const { room: rooms, tank: tanks, roomHeat, tankHeat, backupHeat } = course;
  const guard = comfort - BACKUP_BELOW_COMFORT_MK;
  const open = comfort + WINDOWS_OPEN_MK;
  rooms[first] = room;
  tanks[first] = tank;
  for (let i = first; i < QUARTER_HOURS_PER_DAY; i++) {
    const most = mostHeat[i] ?? 0;
    let nextTank = CELLAR_MK + (tank - CELLAR_MK) * tankKeep - (tankFall[i] ?? 0);
    if (nextTank < mains) nextTank = mains;
    const goal = tankGoal[i] ?? 0;
    let water = 0;
    if (nextTank < goal) {
      water = Math.min(most, (goal - nextTank) * tankNeed);
      nextTank = Math.min(goal, nextTank + most * tankRise);
    }
    const rest = roomRest[i] ?? 0;
    let next = rest + (room - rest) * roomKeep;
    if (next > open) next = ventilate(next, open, 1000 * (outdoorC[i] ?? 0));
    const target = roomTarget[i] ?? 0;
    let heat = 0;
    let extra = 0;
    if (next < target) {
      const left = most - water;
      heat = Math.min(left, (target - next) * roomNeed);
      next = Math.min(target, next + left * roomRise);
      const hold = Math.min(guard, target - BACKUP_BELOW_TARGET_MK);
      if (next < hold) {
        extra = Math.min(backup, (hold - next) * roomNeed);
        next = Math.min(hold, next + backup * roomRise);
      }
    }
    if (next < COLDEST_ROOM_MK) next = COLDEST_ROOM_MK;
    roomHeat[i] = heat;
    tankHeat[i] = water;
    backupHeat[i] = extra;
    room = Math.floor(next + 0.5);
    tank = Math.floor(nextTank + 0.5);
    rooms[i + 1] = room;
    tanks[i + 1] = tank;
  }
}

/** What a house feels beside the air of a day: mean temperatures of the day before, the day and the one after, and of the ground, C. */
export interface SlowTemperatures {
  readonly before: number;
  readonly today: number;
  readonly after: number;
  readonly soil: number;
}

/**
 * Writes the rest temperatures of a day: what is outdoors, warmed by what the sun and appliances give. `outdoorC` is the air's
 * temperature, `global` irradiance in W/m2, by quarter hour.
 */
export function fillRoomRest(
  { sunLift, applianceLift }: ThermalHouse,
  outdoorC: Float64Array,
  { before, today, after, soil }: SlowTemperatures,
  global: Float64Array,
  roomRest: Float64Array,
): void {
  const air = 1000 * AIR_SHARE;
  const walls = 1000 * WALL_SHARE;
  const steady = 1000 * GROUND_SHARE * soil + applianceLift;
  const rise = (today - before) / QUARTER_HOURS_PER_DAY;
  const riseAfter = (after - today) / QUARTER_HOURS_PER_DAY;
  for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
    const since = i + 0.5 - WALLS_FEEL_TODAY;
    const wallsC = today + since * (since < 0 ? rise : riseAfter);
    roomRest[i] = air * (outdoorC[i] ?? 0) + walls * wallsC + steady + sunLift * (global[i] ?? 0);
  }
}
