/** A house that nobody steers, day by day: what the weather and the people make of its temperatures. */
import { DAY_MS, QUARTER_HOURS_PER_DAY, QUARTER_HOUR_MS } from '../../domain/api/durations.ts';
import { CONTROL_MODE } from '../control/control-modes.ts';
import type { HouseholdControl } from '../control/household-control.ts';
import { OPEN_END } from '../control/revisions.ts';
import type { HeatPump } from '../household/heat-pump.ts';
import type { Household } from '../household/household.ts';
import { DayCache } from '../kernel/bounded-cache.ts';
import { NOISE_CHANNEL, hashInStream, hashStream, splitSeed } from '../kernel/noise.ts';
import { listCircumstances } from './circumstances.ts';
import type { Circumstances } from './circumstances.ts';
import { packIntoRuns } from './compressor-runs.ts';
import { ForcingSource, createDayForcing } from './day-forcing.ts';
import type { DayForcing } from './day-forcing.ts';
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
  readonly #coldest = packState({ room: COLDEST_ROOM_MK, tank: COLDEST_TANK_MK });
  readonly #warmest: number;
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
    this.#warmest = packState({
      room: Math.max(WARMEST_ROOM_MK, ...this.circumstances.map((its) => its.house.comfort + MOST_ABOVE_MK)),
      tank: Math.max(...this.circumstances.map((its) => its.house.tankTarget)),
    });
  }

  /** What holds in a quarter hour (since 1970). */
  circumstancesAt(quarter: number): Circumstances {
    const found = this.circumstances.findLast(({ first }) => first <= quarter);
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

  /** Temperatures before a UTC day, before its quarter hour of the anchor where that is in it. */
  stateAtStartOf(day: number): HouseState {
    for (let back = 1; ; back *= 2) {
      const state = this.#stateFrom(Math.max(this.#firstDay, day - back), day);
      if (state !== undefined) return unpackState(state);
    }
  }

  /** Writes what a UTC day brings, as far as it is known in quarter hour `known`: later circumstances are not. */
  fillForcing(day: number, known: number, forcing: DayForcing): void {
    const start = day * QUARTER_HOURS_PER_DAY;
    for (const circumstances of this.circumstances) {
      const { first, end } = circumstances;
      if (first > known || first >= start + QUARTER_HOURS_PER_DAY) return;
      if (end > start || end > known) {
        this.#forcing.fill(day, circumstances, forcing, Math.max(0, first - start));
      }
    }
  }

  /** Runs a UTC day, of what is known in quarter hour `known`, from a state at its start into `course`; the state at its end. */
  run(day: number, known: number, state: HouseState, forcing: DayForcing, course: Course): HouseState {
    const start = day * QUARTER_HOURS_PER_DAY;
    let from = this.#firstOf(day);
    let at = state;
    while (from < QUARTER_HOURS_PER_DAY) {
      const { house, end } = this.circumstancesAt(Math.min(known, start + from));
      const to = end > known ? QUARTER_HOURS_PER_DAY : Math.min(QUARTER_HOURS_PER_DAY, end - start);
      runThermostat(house, forcing, { from, to }, at, course);
      at = { room: course.room[to] ?? 0, tank: course.tank[to] ?? 0 };
      from = to;
    }
    return at;
  }

  /**
   * The quarter hour by which a house that follows its thermostat from quarter hour `since` on is as one that always did,
   * whatever its temperatures were; infinite where that takes longer than to `until`.
   */
  homeAfter(since: number, until: number): number {
    const first = Math.floor(since / QUARTER_HOURS_PER_DAY) + 1;
    let [low, high] = [this.#coldest, this.#warmest];
    for (let day = first; day * QUARTER_HOURS_PER_DAY < until; day++) {
      this.fillForcing(day, OPEN_END, dayForcing);
      low = this.#runWorkspace(day, low);
      high = this.#runWorkspace(day, high);
      if (low === high) return (day + 1) * QUARTER_HOURS_PER_DAY;
    }
    return Infinity;
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
    let low = found ?? this.#coldest;
    let high = found ?? this.#warmest;
    for (let at = since; at < day; at++) {
      this.fillForcing(at, OPEN_END, dayForcing);
      const isMet = low === high;
      low = this.#runWorkspace(at, low);
      high = isMet ? low : this.#runWorkspace(at, high);
      if (low === high) this.#known.set(at + 1, low);
    }
    return low === high ? low : undefined;
  }

  #runWorkspace(day: number, state: number): number {
    return packState(this.run(day, OPEN_END, unpackState(state), dayForcing, dayCourse));
  }

  /** Writes the quarter hours before `first`, in which nothing happens. */
  #fillIdle(first: number, { hp, heat, mode, indoor, hotWater }: HeatPumpRows): void {
    for (const row of [hp, heat, mode]) row.fill(0, 0, first);
    indoor.fill(this.#origin.room, 0, first + 1);
    hotWater.fill(this.#origin.tank, 0, first + 1);
  }
}
