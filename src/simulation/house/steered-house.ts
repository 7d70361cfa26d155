/** A house whose heat pump follows prices and people: a plan for each window, found without any history (docs/simulation.md#schedules). */
import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import { CONTROL_MODE } from '../control/control-modes.ts';
import type { Steering } from '../control/steering.ts';
import type { HeatPump } from '../household/heat-pump.ts';
import type { Household } from '../household/household.ts';
import { DayCache } from '../kernel/bounded-cache.ts';
import { Enclosure } from './enclosure.ts';
import type { HeatPumpRows } from './heat-pump-rows.ts';
import { packState, unpackState } from './house-state.ts';
import { Interventions } from './interventions.ts';
import { PlannedPrices } from './planned-prices.ts';
import { PlanMemory } from './plan-memory.ts';
import { windowAt } from './plan-windows.ts';
import { Rests } from './rests.ts';
import { SETTLING, SettledWindows } from './settled-windows.ts';
import { UnsteeredHouse } from './unsteered-house.ts';
import { WindowWalk } from './window-walk.ts';
import { LONGEST_BLOCK, blockedAtEnd, writeBlocks } from './window-words.ts';
import type { SurplusOf, WalkContext, Window, WindowSpan } from './window.ts';

/** Windows that a house remembers whole, and states with which windows begin. */
const KNOWN_WINDOWS = 4;
const KNOWN_STARTS = 32;
/** Windows before one whose prices take part in it: up to two rests ago, and the one before it that tells how long nothing was heated. */
export const WINDOWS_WALKED_BACK: number = 2 * SETTLING + 1;
/** A window that begins as the unsteered house would. */
const HOME = -1;

export class SteeredHouse {
  readonly #unsteered: UnsteeredHouse;
  readonly #zone: string;
  readonly #interventions: Interventions;
  readonly #prices: PlannedPrices;
  readonly #context: WalkContext;
  /** By local days; null where nobody steers. */
  readonly #windows = new DayCache<Window | null>(KNOWN_WINDOWS);
  readonly #labelled = new WeakSet<Window>();
  readonly #starts = new DayCache<number>(KNOWN_STARTS);
  readonly #memory = new PlanMemory();
  readonly #settled: SettledWindows;
  readonly #rests: Rests;

  constructor(household: Household, pump: HeatPump, steering: Steering, surplusOf: SurplusOf) {
    this.#unsteered = new UnsteeredHouse(household, pump, steering.control);
    this.#zone = household.time_zone;
    this.#interventions = new Interventions(steering.control);
    this.#settled = new SettledWindows(this.#unsteered, this.#interventions, household.time_zone);
    this.#rests = new Rests(this.#unsteered, this.#interventions, this.#settled);
    this.#prices = new PlannedPrices(steering);
    this.#context = {
      house: this.#unsteered,
      interventions: this.#interventions,
      prices: this.#prices,
      surplusOf,
    };
  }

  /** Writes a UTC day (days since 1970) into `rows`; before the anchor the heat pump is off and nothing changes. */
  fillDay(day: number, rows: HeatPumpRows): void {
    const start = day * QUARTER_HOURS_PER_DAY;
    const end = start + QUARTER_HOURS_PER_DAY;
    const from = Math.max(start, this.#unsteered.anchor);
    const windows = this.#windowsOn(day).map((number) => this.#windowOf(number));
    if (from > start || windows.includes(null)) this.#unsteered.fillDay(day, rows);
    for (const window of windows) {
      if (window !== null) copyRows(window, start, end, rows);
    }
  }

  /**
   * Comes nearer to a UTC day by a window, or by a day of what tells how a window begins; true when nothing lies between any more and
   * its windows are walked.
   */
  approach(day: number): boolean {
    const numbers = this.#windowsOn(day);
    for (const number of numbers) {
      if (this.#windows.find(number) !== undefined) continue;
      this.#approachWindow(number);
      return false;
    }
    // The words of a window go on from those of the one before.
    const [first] = numbers;
    if (first === undefined || !this.#needsOneBefore(first)) return true;
    this.#approachWindow(first - 1);
    return false;
  }

  #approachWindow(number: number): void {
    if (!this.#approachStart(number)) return;
    if (this.#startOf(number) === undefined) this.#approach(number);
    else this.#walk(number);
  }

  /** The windows of which a UTC day has quarter hours. */
  #windowsOn(day: number): number[] {
    const start = day * QUARTER_HOURS_PER_DAY;
    const last = start + QUARTER_HOURS_PER_DAY - 1;
    const first = Math.max(start, this.#unsteered.anchor);
    if (first > last) return [];
    const from = windowAt(this.#zone, first);
    return Array.from({ length: windowAt(this.#zone, last) - from + 1 }, (_, i) => from + i);
  }

  /** Whether the words of a window that is walked ask for one before it that is not. */
  #needsOneBefore(number: number): boolean {
    const window = this.#windows.find(number) ?? null;
    if (window === null || window.blocked[0] === 0 || this.#labelled.has(window)) return false;
    return this.#hasOneBefore(number) && this.#windows.find(number - 1) === undefined;
  }

  /** A window with its words; null where nobody steers in it. */
  #windowOf(number: number): Window | null {
    const window = this.#walk(number);
    if (window === null || this.#labelled.has(window)) return window;
    writeBlocks(window, window.blocked[0] === 1 ? this.#blockedBefore(number) : 0);
    this.#labelled.add(window);
    return window;
  }

  /** For how many quarter hours before a window no heat was given; more than a block's are not counted. */
  #blockedBefore(number: number): number {
    let run = 0;
    for (let before = number - 1; run < LONGEST_BLOCK; before--) {
      if (!this.#hasOneBefore(before + 1)) return run;
      const window = this.#walk(before);
      if (window === null) return run;
      const blocked = blockedAtEnd(window);
      run += blocked;
      if (blocked < window.blocked.length) return run;
    }
    return run;
  }

  #hasOneBefore(number: number): boolean {
    return this.#settled.firstOf(number - 1) < this.#settled.firstOf(number);
  }

  /** A window without its words. */
  #walk(number: number): Window | null {
    const known = this.#windows.find(number);
    if (known !== undefined) return known;
    const span = this.#spanOf(number);
    const { first, end } = span;
    const state = this.#stateAt(number);
    const isLeftAlone = this.#interventions.next(first - 1) >= end;
    if (state === HOME && isLeftAlone && !this.#isBusy(span)) return this.#windows.set(number, null);
    const isRemembered = isLeftAlone && this.#memory.has(number);
    const walk = new WindowWalk(this.#context, span, state === HOME ? undefined : unpackState(state));
    const window = walk.walk(isRemembered ? (i) => this.#memory.codeAt(number, i) : undefined);
    if (isLeftAlone && !isRemembered) this.#memory.keep(number, window.codes);
    this.#starts.set(number + 1, window.isHomeAfter ? HOME : packState(window.after));
    return this.#windows.set(number, window);
  }

  /** When a window is, and whether plans are made in it: not where it has taken too long to come home, before it has rested. */
  #spanOf(number: number): WindowSpan {
    const settled = this.#settled;
    const plans =
      settled.isSettledLately(number) || (this.#rests.endAround(number)?.window ?? Infinity) <= number;
    return { first: settled.firstOf(number), end: settled.firstOf(number + 1), plans };
  }

  /** Whether there is something to follow in a span without interventions that begins at home. */
  #isBusy({ first, end, plans }: WindowSpan): boolean {
    if (this.#interventions.modeAt(first) !== CONTROL_MODE.automatic) return true;
    const { price_response: followsPrices } = this.#unsteered.circumstancesAt(first).preferences;
    return plans && followsPrices && this.#prices.areIn(first, end);
  }

  /** The state with which a window begins, packed, or HOME. */
  #stateAt(number: number): number {
    for (;;) {
      const state = this.#startOf(number);
      if (state !== undefined) return state;
      this.#approach(number);
    }
  }

  /** The state with which a window begins where it is known without walking. */
  #startOf(number: number): number | undefined {
    const known = this.#starts.find(number);
    if (known !== undefined) return known;
    if (this.#settled.isSettled(number)) return HOME;
    if (this.#settled.isSettledLately(number)) return undefined;
    const rest = this.#rests.endAround(number);
    return rest?.window === number ? rest.state : undefined;
  }

  /** Computes a day or a window of what tells whether a window begins at home or rests; true once that is known. */
  #approachStart(number: number): boolean {
    if (!this.#settled.approach(number)) return false;
    return this.#settled.isSettledLately(number) || this.#rests.approach(number);
  }

  /** Walks the nearest window before another one whose beginning is known, or finds that beginning where nothing is planned. */
  #approach(number: number): void {
    for (let back = 1; ; back++) {
      if (!this.#approachStart(number - back)) return;
      const state = this.#startOf(number - back);
      if (state !== undefined) {
        this.#pass(number - back, state);
        return;
      }
      if (back % (2 * SETTLING) !== 0) continue;
      const met = this.#meeting(number - back + SETTLING, number);
      if (met !== undefined) {
        this.#starts.set(number, met);
        return;
      }
    }
  }

  /** The state with which window `to` begins, if the coldest and the warmest house of window `from` have met, unplanned. */
  #meeting(from: number, to: number): number | undefined {
    const enclosure = new Enclosure(this.#unsteered, this.#interventions, this.#settled.firstOf(from));
    enclosure.follow(this.#settled.firstOf(to), false);
    return enclosure.met;
  }

  #pass(number: number, state: number): void {
    const { first, end } = this.#spanOf(number);
    const isLeftAlone = this.#interventions.next(first - 1) >= end;
    this.#starts.set(number, state);
    const goesHome = this.#interventions.modeAt(first) !== CONTROL_MODE.boost;
    const window = state === HOME && isLeftAlone && goesHome ? null : this.#walk(number);
    this.#starts.set(number + 1, window === null || window.isHomeAfter ? HOME : packState(window.after));
  }
}

/** Copies what a window has of the quarter hours of a day (since 1970, `end` exclusive). */
function copyRows(window: Window, start: number, end: number, rows: HeatPumpRows): void {
  const from = Math.max(start, window.first) - window.first;
  const to = Math.min(end, window.end) - window.first;
  if (from >= to) return;
  const at = from + window.first - start;
  for (const name of ['hp', 'heat', 'mode', 'asked', 'follows'] as const) {
    rows[name].set(window.rows[name].subarray(from, to), at);
  }
  for (const name of ['indoor', 'hotWater'] as const) {
    rows[name].set(window.rows[name].subarray(from, to + 1), at);
  }
}
