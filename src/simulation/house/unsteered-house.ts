/** A house that nobody steers, day by day: what the weather and the people make of its temperatures. */
import { DAY_MS, QUARTER_HOURS_PER_DAY, QUARTER_HOUR_MS } from '../../domain/api/durations.ts';
import { CONTROL_MODE } from '../control/control-modes.ts';
import type { HouseholdControl } from '../control/household-control.ts';
import { OPEN_END } from '../control/revisions.ts';
import { findFirst } from '../../domain/prices/price-revisions.ts';
import type { HeatPump } from '../household/heat-pump.ts';
import type { Household } from '../household/household.ts';
import { DayCache } from '../kernel/bounded-cache.ts';
import { NOISE_CHANNEL, hashInStream, hashStream, splitSeed } from '../kernel/noise.ts';
import { listCircumstances } from './circumstances.ts';
import type { Circumstances } from './circumstances.ts';
import { packIntoRuns } from './compressor-runs.ts';
import { ForcingSource, WHOLE_DAY, createDayForcing } from './day-forcing.ts';
import type { DayForcing, DayPart } from './day-forcing.ts';
import { HeatPumpRowsWriter, MID } from './heat-pump-rows.ts';
import type { HeatPumpRows } from './heat-pump-rows.ts';
import { packState, unpackState } from './house-state.ts';
import type { HouseState } from './house-state.ts';
import { createRoomShare } from './performance.ts';
import {
  COLDEST_ROOM_MK,
  COLDEST_TANK_MK,
  WARMEST_ROOM_MK,
  createCourse,
  runThermostat,
} from './thermal-steps.ts';
import type { Course } from './thermal-steps.ts';

/** No room is warmer than that above comfort, or than the windows let it, mK: a boost is at most 3 K. */
const MOST_ABOVE_MK = 3000;
/** The coldest state that there may be. */
export const COLDEST: number = packState({ room: COLDEST_ROOM_MK, tank: COLDEST_TANK_MK });
/** Day starts that a house remembers. */
const KNOWN_DAYS = 16;

/** Memory in which one day after the other is computed, of any house. */
const dayForcing = createDayForcing();
const dayCourse = createCourse(QUARTER_HOURS_PER_DAY);
const dayShare = createRoomShare(dayForcing, dayCourse);
const dayWriter = new HeatPumpRowsWriter(dayCourse, dayShare);

/** A house whose past is found by computing as much of it as matters; it starts at comfort with a warm tank. */
export class UnsteeredHouse {
  readonly circumstances: readonly Circumstances[];
  /** The quarter hour since 1970 at which the history starts. */
  readonly anchor: number;
  readonly #forcing: ForcingSource;
  readonly #runStream: number;
  readonly #firstDay: number;
  readonly #origin: HouseState;
  /** The warmest state that there may be, by the circumstances that hold last. */
  readonly #warmest: readonly number[];
  /** Temperatures at the starts of days. */
  readonly #known = new DayCache<number>(KNOWN_DAYS);

  constructor(household: Household, pump: HeatPump, control: HouseholdControl) {
    this.circumstances = listCircumstances(household, pump, control);
    this.#forcing = new ForcingSource(household, pump.building.persons);
    this.#runStream = hashStream(splitSeed(household.seed), household.index, NOISE_CHANNEL.compressorRun);
    this.anchor = Math.floor(household.anchor_ms / QUARTER_HOUR_MS);
    this.#firstDay = Math.floor(household.anchor_ms / DAY_MS);
    const { house } = this.circumstancesAt(this.anchor);
    this.#origin = { room: house.comfort, tank: house.tankTarget };
    let [room, tank] = [WARMEST_ROOM_MK, 0];
    this.#warmest = this.circumstances.map(({ house: { comfort, openAbove, tankTarget } }) => {
      [room, tank] = [Math.max(room, openAbove, comfort + MOST_ABOVE_MK), Math.max(tank, tankTarget)];
      return packState({ room, tank });
    });
  }

  /** What holds in a quarter hour (since 1970). */
  circumstancesAt(quarter: number): Circumstances {
    const found = this.circumstances[this.#circumstancesUpTo(quarter) - 1];
    if (found === undefined) throw new RangeError(`nothing holds in quarter hour ${quarter}`);
    return found;
  }

  /** Writes a UTC day (days since 1970) into `rows`; before the anchor the heat pump is off and nothing changes. */
  fillDay(day: number, rows: HeatPumpRows): void {
    rows.asked.fill(MID);
    rows.follows.fill(CONTROL_MODE.automatic);
    const first = this.#firstOf(day);
    this.#fillIdle(first, rows);
    if (first === QUARTER_HOURS_PER_DAY) return;
    const state = this.stateAtStartOf(day);
    this.fillForcing(day, OPEN_END, dayForcing);
    this.#known.set(day + 1, packState(this.run(day, OPEN_END, state, dayForcing, dayCourse)));
    const start = day * QUARTER_HOURS_PER_DAY;
    for (let from = first; from < QUARTER_HOURS_PER_DAY;) {
      const { performance, limit, end } = this.circumstancesAt(start + from);
      const part = { from, to: Math.min(QUARTER_HOURS_PER_DAY, end - start) };
      performance.fillRoomShare(dayShare, part.from, part.to);
      packIntoRuns(dayShare, part, this.runPhaseOf(day));
      dayWriter.write(performance, limit, part, rows, 0);
      from = part.to;
    }
  }

  /** Some days of thermostat are all that a day follows from. */
  approach(): boolean {
    return true;
  }

  /** Temperatures before a UTC day, before its quarter hour of the anchor where that is in it. */
  stateAtStartOf(day: number): HouseState {
    for (let back = 1; ; back *= 2) {
      const state = this.#stateFrom(Math.max(this.#firstDay, day - back), day);
      if (state !== undefined) return unpackState(state);
    }
  }

  /**
   * Writes what a part of a UTC day brings, as far as it is known in quarter hour `known`: later circumstances are not. Each quarter
   * hour is written once, however often the circumstances change.
   */
  fillForcing(day: number, known: number, forcing: DayForcing, part: DayPart = WHOLE_DAY): void {
    for (const { from, to, circumstances } of this.#partsOf(day, known, part)) {
      this.#forcing.fill(day, circumstances, forcing, { from, to });
    }
  }

  /** Runs a part of a UTC day, of what is known in quarter hour `known`, from a state before it into `course`; the state after it. */
  run(
    day: number,
    known: number,
    state: HouseState,
    forcing: DayForcing,
    course: Course,
    part: DayPart = WHOLE_DAY,
  ): HouseState {
    let at = state;
    const from = Math.max(part.from, this.#firstOf(day));
    for (const its of this.#partsOf(day, known, { from, to: part.to })) {
      runThermostat(its.circumstances.house, forcing, its, at, course);
      at = { room: course.room[its.to] ?? 0, tank: course.tank[its.to] ?? 0 };
    }
    return at;
  }

  /** The parts of a part of a UTC day in which the circumstances are the same, as far as they are known in quarter hour `known`. */
  *#partsOf(
    day: number,
    known: number,
    part: DayPart,
  ): Generator<DayPart & { circumstances: Circumstances }> {
    const start = day * QUARTER_HOURS_PER_DAY;
    for (let { from } = part; from < part.to;) {
      const circumstances = this.circumstancesAt(Math.min(known, start + from));
      const { end } = circumstances;
      const to = end > known ? part.to : Math.min(part.to, end - start);
      yield { from, to, circumstances };
      from = to;
    }
  }

  /** The quarter hour of its two hours with which a compressor that cycles begins its run, on a UTC day. */
  runPhaseOf(day: number): number {
    return hashInStream(this.#runStream, day) & 7;
  }

  /** The first quarter hour of a UTC day that belongs to the history; 96 on days before it. */
  #firstOf(day: number): number {
    if (day > this.#firstDay) return 0;
    return day < this.#firstDay
      ? QUARTER_HOURS_PER_DAY
      : this.anchor - this.#firstDay * QUARTER_HOURS_PER_DAY;
  }

  /** The state at the start of `day` by what happened from the start of `from` on; undefined where that is not enough. */
  #stateFrom(from: number, day: number): number | undefined {
    let since = day;
    while (since > from && this.#known.find(since) === undefined) since--;
    const found = since === this.#firstDay ? packState(this.#origin) : this.#known.find(since);
    let low = found ?? COLDEST;
    let high = found ?? this.warmestAt(since * QUARTER_HOURS_PER_DAY);
    for (let at = since; at < day; at++) {
      this.fillForcing(at, OPEN_END, dayForcing);
      const isMet = low === high;
      low = this.#runPart(at, OPEN_END, low, WHOLE_DAY, dayCourse);
      high = isMet ? low : this.#runPart(at, OPEN_END, high, WHOLE_DAY, dayCourse);
      if (low === high) this.#known.set(at + 1, low);
    }
    return low === high ? low : undefined;
  }

  /** The warmest state that there may be at a quarter hour (since 1970), packed: nothing is warmer than it was ever asked for. */
  warmestAt(quarter: number): number {
    return this.#warmest[this.#circumstancesUpTo(quarter) - 1] ?? NaN;
  }

  #runPart(day: number, known: number, state: number, part: DayPart, course: Course): number {
    return packState(this.run(day, known, unpackState(state), dayForcing, course, part));
  }

  #circumstancesUpTo(quarter: number): number {
    const { circumstances } = this;
    return findFirst(circumstances.length, (i) => (circumstances[i]?.first ?? NaN) > quarter);
  }

  /** Writes the quarter hours before `first`, in which nothing happens. */
  #fillIdle(first: number, { hp, heat, mode, indoor, hotWater }: HeatPumpRows): void {
    for (const row of [hp, heat, mode]) row.fill(0, 0, first);
    indoor.fill(this.#origin.room, 0, first + 1);
    hotWater.fill(this.#origin.tank, 0, first + 1);
  }
}
