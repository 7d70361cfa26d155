/** A house whose heat pump follows prices and people: a plan for each window, found without any history (docs/simulation.md#schedules). */
import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import { CONTROL_MODE } from '../control/control-modes.ts';
import { SCHEDULE_STATES } from '../control/schedule-states.ts';
import type { Steering } from '../control/steering.ts';
import type { HeatPump } from '../household/heat-pump.ts';
import type { Household } from '../household/household.ts';
import { DayCache } from '../kernel/bounded-cache.ts';
import type { HeatPumpRows } from './heat-pump-rows.ts';
import { packState, unpackState } from './house-state.ts';
import type { HouseState } from './house-state.ts';
import { Interventions } from './interventions.ts';
import { PlannedPrices } from './planned-prices.ts';
import { PlanMemory } from './plan-memory.ts';
import { windowAt, windowStart } from './plan-windows.ts';
import { UnsteeredHouse } from './unsteered-house.ts';
import { WindowWalk } from './window-walk.ts';
import type { SurplusOf, WalkContext, Window } from './window.ts';

/** Windows that a house remembers whole, and states with which windows begin. */
const KNOWN_WINDOWS = 4;
const KNOWN_STARTS = 16;
/** A window that begins as the unsteered house would. */
const HOME = -1;
/** So long a pump may give no heat by the words of its schedule; what is longer is set back. */
const LONGEST_BLOCK = 8;
const MIN = SCHEDULE_STATES.indexOf('min');
const LOW = SCHEDULE_STATES.indexOf('low');

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
  /** By quarter hours of interventions: the quarter hour by which the house is home again. */
  readonly #homeBy = new Map<number, number>();

  constructor(household: Household, pump: HeatPump, steering: Steering, surplusOf: SurplusOf) {
    this.#unsteered = new UnsteeredHouse(household, pump, steering.control);
    this.#zone = household.time_zone;
    this.#interventions = new Interventions(steering.control);
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
    const windows: (Window | null)[] = [];
    if (from < end) {
      const last = windowAt(this.#zone, end - 1);
      for (let its = windowAt(this.#zone, from); its <= last; its++) windows.push(this.#windowOf(its));
    }
    if (from > start || windows.includes(null)) this.#unsteered.fillDay(day, rows);
    for (const window of windows) {
      if (window !== null) copyRows(window, start, end, rows);
    }
  }

  #firstOf(window: number): number {
    return Math.max(windowStart(this.#zone, window), this.#unsteered.anchor);
  }

  /** A window with its words; null where nobody steers in it. */
  #windowOf(number: number): Window | null {
    const window = this.#walk(number);
    if (window === null || this.#labelled.has(window)) return window;
    let run = window.blocked[0] === 1 ? this.#blockedBefore(number) : 0;
    for (const [i, isBlocked] of window.blocked.entries()) {
      run = isBlocked === 1 ? run + 1 : 0;
      if (run > 0) window.rows.asked[i] = run <= LONGEST_BLOCK ? MIN : LOW;
    }
    this.#labelled.add(window);
    return window;
  }

  /** For how many quarter hours before a window no heat was given; more than a block's are not counted. */
  #blockedBefore(number: number): number {
    let run = 0;
    for (let before = number - 1; run < LONGEST_BLOCK; before--) {
      if (this.#firstOf(before) === this.#firstOf(before + 1)) return run;
      const window = this.#walk(before);
      if (window === null) return run;
      for (let i = window.blocked.length - 1; i >= 0; i--) {
        if (window.blocked[i] === 0) return run;
        run += 1;
      }
    }
    return run;
  }

  /** A window without its words. */
  #walk(number: number): Window | null {
    const known = this.#windows.find(number);
    if (known !== undefined) return known;
    const [first, end] = [this.#firstOf(number), this.#firstOf(number + 1)];
    const state = this.#stateAt(number);
    const isLeftAlone = this.#interventions.next(first - 1) >= end;
    if (state === HOME && isLeftAlone && !this.#isBusy(first, end)) return this.#windows.set(number, null);
    const start: HouseState | undefined = state === HOME ? undefined : unpackState(state);
    const isRemembered = isLeftAlone && this.#memory.has(number);
    const walk = new WindowWalk(this.#context, first, end, start);
    const window = walk.walk(isRemembered ? (i) => this.#memory.codeAt(number, i) : undefined);
    if (isLeftAlone && !isRemembered) this.#memory.keep(number, window.codes);
    this.#starts.set(number + 1, window.isHomeAfter ? HOME : packState(window.after));
    return this.#windows.set(number, window);
  }

  /** Whether there is something to follow in a span without interventions that begins at home. */
  #isBusy(first: number, end: number): boolean {
    if (this.#interventions.modeAt(first) !== CONTROL_MODE.automatic) return true;
    const { price_response: followsPrices } = this.#unsteered.circumstancesAt(first).preferences;
    return followsPrices && this.#prices.areIn(first, end);
  }

  /** The state with which a window begins, packed, or HOME. */
  #stateAt(number: number): number {
    let from = number;
    let state = this.#knownStateAt(from);
    // Back to a window whose state is known: the interventions since then must be walked through.
    while (state === undefined) {
      const event = this.#interventions.lastBefore(this.#firstOf(from));
      from = event === undefined ? from : windowAt(this.#zone, event);
      state = this.#knownStateAt(from);
    }
    for (; from < number; from++) state = this.#stateAfter(from, state);
    return state;
  }

  #knownStateAt(number: number): number | undefined {
    const first = this.#firstOf(number);
    const event = this.#interventions.lastBefore(first);
    if (event === undefined || event < this.#unsteered.anchor) return HOME;
    const known = this.#starts.find(number);
    if (known !== undefined) return known;
    if (first === this.#unsteered.anchor) return HOME;
    return this.#isHomeAgain(event) <= first ? HOME : undefined;
  }

  #stateAfter(number: number, state: number): number {
    this.#starts.set(number, state);
    const [first, end] = [this.#firstOf(number), this.#firstOf(number + 1)];
    const isLeftAlone = this.#interventions.next(first - 1) >= end;
    if (state === HOME && isLeftAlone && this.#interventions.modeAt(first) !== 2) {
      return this.#starts.set(number + 1, HOME);
    }
    const window = this.#walk(number);
    const after = window === null || window.isHomeAfter ? HOME : packState(window.after);
    return this.#starts.set(number + 1, after);
  }

  /** The quarter hour by which the house is home after the last intervention before it, whatever it had come to. */
  #isHomeAgain(event: number): number {
    const known = this.#homeBy.get(event);
    if (known !== undefined) return known;
    const isBoost = this.#interventions.modeAt(event) === 2;
    const until = isBoost ? Infinity : this.#unsteered.homeAfter(event, this.#interventions.next(event));
    this.#homeBy.set(event, until);
    return until;
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
