/** When a house that was something else comes home: is as one that always followed its thermostat. */
import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import { findFirst } from '../../domain/prices/price-revisions.ts';
import { createDayForcing } from './day-forcing.ts';
import type { DayPart } from './day-forcing.ts';
import { packState, unpackState } from './house-state.ts';
import { createCourse } from './thermal-steps.ts';
import type { Course } from './thermal-steps.ts';
import { COLDEST } from './unsteered-house.ts';
import type { UnsteeredHouse } from './unsteered-house.ts';

/** Memory in which one day after the other is computed, of any house. */
const forcing = createDayForcing();
const coldCourse = createCourse(QUARTER_HOURS_PER_DAY);
const warmCourse = createCourse(QUARTER_HOURS_PER_DAY);

/** Follows the coldest and the warmest house that there may be, day by day, until they have met. */
export class HomeSearch {
  readonly #house: UnsteeredHouse;
  readonly #since: number;
  readonly #until: number;
  #at: number;
  #coldest: number;
  #warmest: number;
  #homeBy: number | undefined;

  /** The house follows its thermostat from quarter hour `since` (since 1970) to `until`. */
  constructor(house: UnsteeredHouse, since: number, until: number) {
    this.#house = house;
    this.#since = this.#at = since;
    this.#until = until;
    this.#coldest = COLDEST;
    this.#warmest = house.warmestAt(since);
  }

  /** The quarter hour by which the house is home, infinite where `until` is before it; undefined until it is found. */
  get homeBy(): number | undefined {
    return this.#homeBy ?? (this.#at < this.#until ? undefined : Infinity);
  }

  /** Goes on by a day. */
  goOn(): void {
    if (this.homeBy === undefined) this.#followDay();
  }

  /** What comes in after `since` counts for nothing. */
  #followDay(): void {
    const day = Math.floor(this.#at / QUARTER_HOURS_PER_DAY);
    const start = day * QUARTER_HOURS_PER_DAY;
    const part = { from: this.#at - start, to: Math.min(QUARTER_HOURS_PER_DAY, this.#until - start) };
    this.#house.fillForcing(day, this.#since, forcing, part);
    const run = (state: number, course: Course): number =>
      packState(this.#house.run(day, this.#since, unpackState(state), forcing, course, part));
    this.#coldest = run(this.#coldest, coldCourse);
    this.#warmest = run(this.#warmest, warmCourse);
    if (this.#coldest === this.#warmest) this.#homeBy = start + firstMeeting(part);
    this.#at = start + part.to;
  }
}

/** The quarter hour of a part of a day before which the two courses in memory have met. */
function firstMeeting({ from, to }: DayPart): number {
  const isMet = (i: number): boolean =>
    coldCourse.room[i] === warmCourse.room[i] && coldCourse.tank[i] === warmCourse.tank[i];
  return from + findFirst(to - from, (i) => isMet(from + i));
}
