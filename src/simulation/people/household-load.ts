/**
 * The load of a household: what runs day and night, runs of appliances, and the rest, which follows who is at home
 * (docs/simulation.md#household-load). Its mean is the curve of its archetype by construction.
 */
import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import type { Household } from '../household/household.ts';
import { DayCache } from '../kernel/bounded-cache.ts';
import { NOISE_CHANNEL, finishHash, hashStream, mixWord, splitSeed } from '../kernel/noise.ts';
import { allocateFloat64Array, allocateInt32Array } from '../kernel/typed-arrays.ts';
import { firstDayOf, yearOfDay } from '../time/calendar.ts';
import { DAY_TYPES } from '../time/day-type.ts';
import { daySegmentsIn } from '../time/local-day.ts';
import type { DayFiller } from '../time/local-day.ts';
import { MINUTES_PER_QUARTER, QUARTERS_AFTER_MIDNIGHT } from './appliances.ts';
import { DayFactors } from './day-factors.ts';
import { eventCurvesOf } from './event-curves.ts';
import { ApplianceRuns } from './appliance-runs.ts';
import { ExpectedDays } from './expected-day.ts';
import type { ExpectedDay } from './expected-day.ts';
import { activeMeanOverYear, seasonalFactorOn } from './load-year.ts';
import { profileDayOf, profileMonthOf } from './norm-profile.ts';
import { drawOwnedAppliances } from './owned-appliances.ts';
import { BLOCKS, BLOCK_STARTS } from './occupancy.ts';
import { Whereabouts } from './whereabouts.ts';

const MILLI_WH_PER_KWH = 1e6;
const QUARTERS_PER_YEAR = 8760 * 4;

/** Quarter hours differ by a factor uniform in 1 ± this: cold appliances, pumps. */
const QUARTER_SPREAD = 0.1;
/** A byte's middle, for bringing it into 1 ± the spread. */
const BYTE_MIDDLE = 127.5;
const QUARTER_SCALE = QUARTER_SPREAD / BYTE_MIDDLE;

/** What people do comes to its new level over the first two hours of a block: their day has no seams. */
const RAMP_QUARTERS = 8;

const ROW_LENGTH = QUARTER_HOURS_PER_DAY + QUARTERS_AFTER_MIDNIGHT;

/** Arrays that hold nothing from one day to the next, whichever household's. */
const workspace = {
  /** Energies of runs, mWh. */
  runs: allocateFloat64Array(ROW_LENGTH),
  /** Factors of starts and of the rest by block. */
  starts: allocateFloat64Array(BLOCKS),
  rest: allocateFloat64Array(BLOCKS),
  /** Those of the day before. */
  before: { starts: allocateFloat64Array(BLOCKS), rest: allocateFloat64Array(BLOCKS) },
} as const;

/** Factors of the rest: of what runs all through the night, and by day as well, and of what comes on top. */
interface RestLevel {
  readonly steady: number;
  readonly rest: number;
}

/** A function that fills the load of a household on UTC days (days since 1970), mWh a quarter hour. */
export function createLoadDayFiller(household: Household): DayFiller<Int32Array> {
  if (household.load_annual_kwh === 0) return (_, row) => void row.fill(0);
  const load = new HouseholdLoad(household);
  const daySegments = daySegmentsIn(household.time_zone);
  return (day, row) => {
    for (const { from, to, localDay, localQuarter } of daySegments(day)) {
      load.copyTo(row, from, to, localDay * QUARTER_HOURS_PER_DAY + localQuarter);
    }
  };
}

/** Days of the household begin at the local midnight later by its time shift. */
class HouseholdLoad {
  readonly #household: Household;
  readonly #whereabouts: Whereabouts;
  readonly #factors: DayFactors;
  readonly #runs: ApplianceRuns;
  readonly #quarterLevels: number;
  /** The time shift: whole quarter hours and the minutes 0..15 that are left. */
  readonly #shiftQuarters: number;
  readonly #lateMinutes: number;
  readonly #meanMilliWh: number;
  readonly #baseMilliWh: number;
  readonly #expected: ExpectedDays;
  readonly #rows = new DayCache<Int32Array>(4);
  #year = NaN;
  #firstDay = 0;
  #days = 365;
  /** The day filled last, and the factors of the rest with which it ended. */
  #lastDay = NaN;
  #last: RestLevel = { steady: 0, rest: 0 };

  constructor(household: Household) {
    const { index, time_shift_minutes: shift } = household;
    const seed = splitSeed(household.seed);
    this.#household = household;
    this.#whereabouts = new Whereabouts(household);
    this.#factors = new DayFactors(household, this.#whereabouts);
    this.#quarterLevels = hashStream(seed, index, NOISE_CHANNEL.quarterLevel);
    this.#shiftQuarters = Math.floor(shift / MINUTES_PER_QUARTER);
    this.#lateMinutes = shift - MINUTES_PER_QUARTER * this.#shiftQuarters;
    this.#meanMilliWh = (household.load_annual_kwh * MILLI_WH_PER_KWH) / QUARTERS_PER_YEAR;
    this.#baseMilliWh = this.#meanMilliWh * household.habits.base_share;
    const owned = drawOwnedAppliances(household);
    this.#runs = new ApplianceRuns(seed, index, owned, this.#lateMinutes);
    this.#expected = new ExpectedDays(owned, household.habits.lateness, this.#lateMinutes);
  }

  /** Copies quarter hours from local time on, counted from 1970, to `from` up to and without `to`. */
  copyTo(target: Int32Array, from: number, to: number, localQuarterIndex: number): void {
    let own = localQuarterIndex - this.#shiftQuarters;
    for (let i = from; i < to;) {
      const day = Math.floor(own / QUARTER_HOURS_PER_DAY);
      const quarter = own - day * QUARTER_HOURS_PER_DAY;
      const count = Math.min(to - i, QUARTER_HOURS_PER_DAY - quarter);
      const row = this.#rowOf(day);
      for (let j = 0; j < count; j++) target[i + j] = row[quarter + j] ?? 0;
      if (quarter < QUARTERS_AFTER_MIDNIGHT) {
        const before = this.#rowOf(day - 1);
        const overlap = Math.min(count, QUARTERS_AFTER_MIDNIGHT - quarter);
        for (let j = 0; j < overlap; j++) {
          target[i + j] = (target[i + j] ?? 0) + (before[QUARTER_HOURS_PER_DAY + quarter + j] ?? 0);
        }
      }
      i += count;
      own += count;
    }
  }

  /** A day's 96 quarter hours, and what its runs take after midnight. */
  #rowOf(localDay: number): Int32Array {
    const known = this.#rows.find(localDay);
    if (known) return known;
    const row = this.#rows.evict(localDay) ?? allocateInt32Array(ROW_LENGTH);
    this.#fill(localDay, row);
    return this.#rows.set(localDay, row);
  }

  #fill(localDay: number, row: Int32Array): void {
    const { runs, starts, rest } = workspace;
    runs.fill(0);
    starts.fill(0);
    rest.fill(0);
    if (localDay < this.#firstDay || localDay >= this.#firstDay + this.#days || Number.isNaN(this.#year)) {
      this.#turnToYearOf(localDay);
    }
    const profileDay = this.#profileDayOf(localDay);
    const type = this.#whereabouts.dayTypeOf(localDay);
    const typeIndex = DAY_TYPES.indexOf(type);
    const curves = eventCurvesOf(this.#household.profile, profileMonthOf(profileDay), type);
    const expected = this.#expected.on(profileMonthOf(profileDay), typeIndex, curves);
    let steady = 0;
    if (!this.#whereabouts.isAway(localDay)) {
      steady = this.#factors.fill({ localDay, type, season: seasonalFactorOn(profileDay) }, workspace);
      for (let block = 0; block < BLOCKS; block++)
        starts[block] = expected.startedPart * (starts[block] ?? 0);
      this.#runs.addRuns(localDay, curves, starts, runs);
    }
    const before = this.#restBefore(localDay, { steady, rest: rest[0] ?? 0 });
    this.#addUp(localDay, expected, before, steady, row);
    this.#lastDay = localDay;
    this.#last = { steady, rest: rest[BLOCKS - 1] ?? 0 };
  }

  /** The day of the norm's year that a day of the year turned to is like. */
  #profileDayOf(localDay: number): number {
    return profileDayOf(localDay - this.#firstDay + 1, this.#household.latitude);
  }

  /** The factors of the rest with which the day before ended; `first` on a year's first day, since factors are those of a year. */
  #restBefore(localDay: number, first: RestLevel): RestLevel {
    if (localDay === this.#firstDay) return first;
    if (this.#lastDay === localDay - 1) return this.#last;
    const before = localDay - 1;
    if (this.#whereabouts.isAway(before)) return { steady: 0, rest: 0 };
    const type = this.#whereabouts.dayTypeOf(before);
    const season = seasonalFactorOn(this.#profileDayOf(before));
    const steady = this.#factors.fill({ localDay: before, type, season }, workspace.before);
    return { steady, rest: workspace.before.rest[BLOCKS - 1] ?? 0 };
  }

  #addUp(localDay: number, expected: ExpectedDay, last: RestLevel, steady: number, row: Int32Array): void {
    const { runs, rest: factors } = workspace;
    const { rest, nightLevel } = expected;
    const base = this.#baseMilliWh;
    const dayHash = mixWord(this.#quarterLevels, localDay);
    let before = last.rest;
    let steadyBefore = last.steady;
    for (let block = 0, i = 0; block < BLOCKS; block++) {
      const start = i;
      const own = factors[block] ?? 0;
      for (const end = BLOCK_STARTS[block + 1] ?? 0; i < end;) {
        let bytes = finishHash(dayHash, i) | 0;
        // An hour's four quarter hours share a hash; blocks begin with hours.
        for (const nextHour = i + 4; i < nextHour; i++) {
          const since = i - start;
          const part = since < RAMP_QUARTERS ? (since + 0.5) / RAMP_QUARTERS : 1;
          const left = rest[i] ?? 0;
          const always = left < nightLevel ? left : nightLevel;
          const smooth =
            base +
            (steadyBefore + (steady - steadyBefore) * part) * always +
            (before + (own - before) * part) * (left - always);
          const level = 1 + QUARTER_SCALE * ((bytes & 255) - BYTE_MIDDLE);
          row[i] = Math.floor(smooth * level + (runs[i] ?? 0) + 0.5);
          bytes >>>= 8;
        }
      }
      before = own;
      steadyBefore = steady;
    }
    for (let i = QUARTER_HOURS_PER_DAY; i < ROW_LENGTH; i++) row[i] = Math.floor((runs[i] ?? 0) + 0.5);
  }

  #turnToYearOf(localDay: number): void {
    const { profile, country, latitude, habits } = this.#household;
    this.#year = yearOfDay(localDay);
    this.#firstDay = firstDayOf(this.#year);
    this.#days = firstDayOf(this.#year + 1) - this.#firstDay;
    const active = activeMeanOverYear(profile, this.#year, country, latitude);
    this.#factors.turnToYear(this.#firstDay, this.#days);
    this.#expected.turnTo((this.#meanMilliWh * (1 - habits.base_share)) / active);
  }
}
