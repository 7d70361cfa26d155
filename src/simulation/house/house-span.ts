/** Two UTC days in which a house is planned, in memory that all houses share. */
import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import { allocateFloat64Array, allocateInt32Array, allocateUint8Array } from '../kernel/typed-arrays.ts';
import type { Circumstances } from './circumstances.ts';
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
  #house: UnsteeredHouse | null = null;
  /** What is loaded: up to which index, and with which circumstances. */
  #loaded = 0;
  #circumstances: Circumstances | undefined;
  readonly #rows = Object.values<Float64Array | Int32Array>({ ...this.forcing, ...this.home });
  readonly #forcingOf = Array.from({ length: DAYS }, (_, i) => cutForcing(this.forcing, i));
  readonly #homeOf = Array.from({ length: DAYS }, (_, i) => cutCourse(this.home, i));

  /**
   * Holds the days from `day` on up to quarter hour `end` (since 1970), with what is known of their circumstances in quarter hour
   * `known`. What is loaded already stays: who goes on in time pays for what is new.
   */
  load(house: UnsteeredHouse, day: number, known: number, end: number): void {
    this.#keepWhatHolds(house, day, known);
    this.start = day * QUARTER_HOURS_PER_DAY;
    let at = this.#loaded === 0 ? house.stateAtStartOf(day) : this.#homeAt(this.#loaded);
    while (this.start + this.#loaded < end) {
      const i = Math.floor(this.#loaded / QUARTER_HOURS_PER_DAY);
      const [forcing, home] = [this.#forcingOf[i], this.#homeOf[i]];
      if (forcing === undefined || home === undefined) throw new RangeError(`${end} is beyond two days`);
      const before = i * QUARTER_HOURS_PER_DAY;
      const to = Math.min(QUARTER_HOURS_PER_DAY, end - this.start - before);
      const part = { from: this.#loaded - before, to };
      house.fillForcing(day + i, known, forcing, part);
      at = house.run(day + i, known, at, forcing, home, part);
      this.#loaded = before + to;
    }
  }

  /** What is loaded of the days from `day` on and holds as it is known in quarter hour `known`; nothing is loaded beyond. */
  #keepWhatHolds(house: UnsteeredHouse, day: number, known: number): void {
    const circumstances = house.circumstancesAt(known);
    const past = this.#circumstances;
    const start = day * QUARTER_HOURS_PER_DAY;
    const shift = start - this.start;
    const isKept = this.#house === house && past !== undefined && circumstances.first >= past.first;
    if (!isKept || (shift !== 0 && shift !== QUARTER_HOURS_PER_DAY)) this.#loaded = 0;
    else {
      if (circumstances !== past) this.#loaded = Math.min(this.#loaded, Math.max(0, past.end - this.start));
      if (shift > 0 && this.#loaded > shift) for (const values of this.#rows) values.copyWithin(0, shift);
      this.#loaded = Math.max(0, this.#loaded - shift);
    }
    this.#house = house;
    this.#circumstances = circumstances;
  }

  #homeAt(i: number): HouseState {
    return { room: this.home.room[i] ?? 0, tank: this.home.tank[i] ?? 0 };
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
    heaterHold: whole.heaterHold.subarray(from, to),
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
