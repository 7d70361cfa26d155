/** A battery that only ever serves self-consumption, with which plans of one by price end (docs/simulation.md#battery-by-price). */
import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import { DayCache } from '../kernel/bounded-cache.ts';
import { OpenSearches } from '../kernel/open-searches.ts';
import type { BatteryLimits } from './battery.ts';
import { storedBySelfConsumption } from './battery-levels.ts';
import type { BatterySettingsLookup } from './battery-settings.ts';
import { CoupledSearch } from './coupled-energy.ts';
import type { StoreDays } from './coupled-energy.ts';

/** What its charge follows from. */
export interface UnsteeredSource {
  readonly limits: BatteryLimits;
  /** What the household has left on a UTC day, below 0 what it lacks; AC, mWh in each of the 96 quarter hours. */
  readonly surplusOn: (day: number) => Int32Array;
  /** Makes a piece of what that follows from; true once no more than the day itself is left. */
  readonly approach: (day: number) => boolean;
  /** The first quarter hour of a day that belongs to the history; 96 on earlier days. */
  readonly firstOf: (day: number) => number;
  /** Whether the household ever has something left. */
  readonly hasPanels: boolean;
}

const KEPT_STARTS = 64;
/** Days on which the battery keeps what it has for certain cost next to nothing: so many are one piece. */
const KEEPING_DAYS_PER_PIECE = 256;

/**
 * Its charge follows from the days before for as long as those of an empty and a full battery differ. That may be the whole history
 * where the power is small for the capacity: it is walked in pieces.
 */
export class UnsteeredBattery {
  readonly #source: UnsteeredSource;
  readonly #settings: BatterySettingsLookup;
  readonly #days: StoreDays;
  /** Energy at the start of days. */
  readonly #starts = new DayCache<number>(KEPT_STARTS);
  /** Those that are not known yet. */
  readonly #searches = new OpenSearches<CoupledSearch>();

  /** `least` mWh are in the battery at any time. */
  constructor(source: UnsteeredSource, settings: BatterySettingsLookup, least: number) {
    this.#source = source;
    this.#settings = settings;
    const endOf = (day: number, start: number): number => this.#follow(day, QUARTER_HOURS_PER_DAY, start);
    this.#days = { least, most: source.limits.capacity, endOf };
  }

  /** Follows a day of those that tell the energy at the start of a UTC day (since 1970); true once it is known. */
  approach(day: number): boolean {
    return this.#find(day) !== undefined;
  }

  /** The energy stored as a quarter hour (since 1970) begins, mWh. */
  energyAt(quarter: number): number {
    const day = Math.floor(quarter / QUARTER_HOURS_PER_DAY);
    for (;;) {
      const start = this.#find(day);
      if (start !== undefined) return this.#follow(day, quarter - day * QUARTER_HOURS_PER_DAY, start);
    }
  }

  /** The energy at the start of a day; undefined while more than a piece of what tells it is left. */
  #find(day: number): number | undefined {
    const known = this.#knownAt(day);
    if (known !== undefined) return known;
    const search = this.#searches.take(day, () => new CoupledSearch(this.#days, day, this.#knownAt));
    this.#goOn(search);
    if (search.energy !== undefined) return this.#starts.set(day, search.energy);
    this.#searches.keep(day, search);
    return undefined;
  }

  #goOn(search: CoupledSearch): void {
    for (let passed = 0; passed < KEEPING_DAYS_PER_PIECE && search.energy === undefined; passed++) {
      const isKept = this.#keepsAll(search.at, QUARTER_HOURS_PER_DAY, search.high);
      if (!isKept && !this.#source.approach(search.at)) return;
      search.goOn();
      if (!isKept) return;
    }
  }

  readonly #knownAt = (day: number): number | undefined => {
    const { firstOf, limits } = this.#source;
    // No history lies before the initial charge.
    return firstOf(day) > 0 ? limits.initial : this.#starts.find(day);
  };

  /** Whether a battery that begins a day with `start` mWh, or with less, keeps it in the first quarter hours for certain. */
  #keepsAll(day: number, quarters: number, start: number): boolean {
    const { hasPanels, firstOf } = this.#source;
    const midnight = day * QUARTER_HOURS_PER_DAY;
    // Nothing charges it, so that a walk far into the past need not compute what empties no battery.
    return !hasPanels && this.#settings.keepsAll(midnight + firstOf(day), midnight + quarters, start);
  }

  #follow(day: number, quarters: number, start: number): number {
    if (this.#keepsAll(day, quarters, start)) return start;
    const { limits, surplusOn, firstOf } = this.#source;
    const midnight = day * QUARTER_HOURS_PER_DAY;
    const surplus = surplusOn(day);
    let x = start;
    for (let i = firstOf(day); i < quarters; i++) {
      const { reserve } = this.#settings.at(midnight + i);
      x = storedBySelfConsumption(limits, reserve, surplus[i] ?? 0, x);
    }
    return x;
  }
}
