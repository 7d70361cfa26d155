/** Two UTC days in which a house is planned, in memory that all houses share. */
import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import { allocateFloat64Array, allocateInt32Array, allocateUint8Array } from '../kernel/typed-arrays.ts';
import { createDayForcing } from './day-forcing.ts';
import type { DayForcing } from './day-forcing.ts';
import { HeatPumpRowsWriter } from './heat-pump-rows.ts';
import type { HouseState } from './house-state.ts';
import { createRoomShare } from './performance.ts';
import { createCourse } from './thermal-steps.ts';
import type { Course } from './thermal-steps.ts';
import type { UnsteeredHouse } from './unsteered-house.ts';

/** Every plan lies in so many days, from the start of the one in which it begins on. */
const DAYS = 2;
const QUARTERS = DAYS * QUARTER_HOURS_PER_DAY;

export class HouseSpan {
  readonly forcing = createDayForcing(QUARTERS);
  /** What the house does unsteered. */
  readonly home = createCourse(QUARTERS);
  /** What it does. */
  readonly course = createCourse(QUARTERS);
  readonly share = createRoomShare(this.forcing, this.course);
  readonly writer = new HeatPumpRowsWriter(this.course, this.share);
  /** Targets of a boost, mK. */
  readonly boostTarget = allocateInt32Array(QUARTERS);
  readonly boostGoal = allocateInt32Array(QUARTERS);
  readonly boosted = { ...this.forcing, roomTarget: this.boostTarget, tankGoal: this.boostGoal };
  /** EUR/MWh; NaN where none is known. */
  readonly prices = allocateFloat64Array(QUARTERS);
  /** What panels give beyond what the household uses otherwise, mWh. */
  readonly surplus = allocateFloat64Array(QUARTERS);
  /** What rooms and tank aim at: values of AIM. */
  readonly roomAims = allocateUint8Array(QUARTERS);
  readonly tankAims = allocateUint8Array(QUARTERS);
  /** The quarter hour since 1970 with which the span begins. */
  start = NaN;
  #day = NaN;
  #known = NaN;
  #house: UnsteeredHouse | null = null;
  readonly #rows = Object.values<Float64Array | Int32Array>({ ...this.forcing });
  readonly #forcingOf = Array.from({ length: DAYS }, (_, i) => cutForcing(this.forcing, i));
  readonly #homeOf = Array.from({ length: DAYS }, (_, i) => cutCourse(this.home, i));

  /** Holds the days from `day` on, with what is known of their circumstances in quarter hour `known`. */
  load(house: UnsteeredHouse, day: number, known: number): void {
    const knownFrom = house.circumstancesAt(known).first;
    const isSame = this.#house === house && this.#known === knownFrom;
    if (isSame && this.#day === day) return;
    const isNext = isSame && this.#day === day - 1;
    let at = isNext ? this.#homeAfterDay() : house.stateAtStartOf(day);
    if (isNext) {
      for (const values of this.#rows) values.copyWithin(0, QUARTER_HOURS_PER_DAY);
    }
    for (let i = 0; i < DAYS; i++) {
      const [forcing, home] = [this.#forcingOf[i], this.#homeOf[i]];
      if (forcing === undefined || home === undefined) continue;
      if (!isNext || i === DAYS - 1) house.fillForcing(day + i, known, forcing);
      at = house.run(day + i, known, at, forcing, home);
    }
    this.#house = house;
    this.#known = knownFrom;
    this.#day = day;
    this.start = day * QUARTER_HOURS_PER_DAY;
  }

  /** The unsteered state after the first day: what was known of that day is what happened. */
  #homeAfterDay(): HouseState {
    const { room, tank } = this.home;
    return { room: room[QUARTER_HOURS_PER_DAY] ?? 0, tank: tank[QUARTER_HOURS_PER_DAY] ?? 0 };
  }
}

/** The part of a forcing that is its day `i`. */
function cutForcing(whole: DayForcing, i: number): DayForcing {
  const [from, to] = [i * QUARTER_HOURS_PER_DAY, (i + 1) * QUARTER_HOURS_PER_DAY];
  return {
    outdoorC: whole.outdoorC.subarray(from, to),
    soilC: whole.soilC.subarray(from, to),
    roomRest: whole.roomRest.subarray(from, to),
    roomTarget: whole.roomTarget.subarray(from, to),
    tankGoal: whole.tankGoal.subarray(from, to),
    tankFall: whole.tankFall.subarray(from, to),
    mostHeat: whole.mostHeat.subarray(from, to),
    mains: whole.mains.subarray(from, to),
  };
}

function cutCourse(whole: Course, i: number): Course {
  const [from, to] = [i * QUARTER_HOURS_PER_DAY, (i + 1) * QUARTER_HOURS_PER_DAY];
  return {
    room: whole.room.subarray(from, to + 1),
    tank: whole.tank.subarray(from, to + 1),
    roomHeat: whole.roomHeat.subarray(from, to),
    tankHeat: whole.tankHeat.subarray(from, to),
    backupHeat: whole.backupHeat.subarray(from, to),
  };
}
