/** Windows of a steered house that begin at home for certain (docs/simulation.md#schedules). */
import { CONTROL_MODE } from '../control/control-modes.ts';
import { HomeSearch } from './home-search.ts';
import type { Interventions } from './interventions.ts';
import { windowStart } from './plan-windows.ts';
import type { UnsteeredHouse } from './unsteered-house.ts';

/** So many windows a house may take to come home, for which two weeks suffice in summer; after more it rests. */
export const SETTLING = 16;

/** The windows of a house by their local days. */
export class SettledWindows {
  readonly #house: UnsteeredHouse;
  readonly #interventions: Interventions;
  readonly #zone: string;
  /** All that were looked for, of at most 3,652 days: none is looked for again while a day is approached. */
  readonly #known = new Map<number, boolean>();
  /** By quarter hours of interventions: the search for the quarter hour by which the house is home again. */
  readonly #searches = new Map<number, HomeSearch>();

  constructor(house: UnsteeredHouse, interventions: Interventions, zone: string) {
    this.#house = house;
    this.#interventions = interventions;
    this.#zone = zone;
  }

  /** The quarter hour (since 1970) with which a window begins, not before the house does. */
  firstOf(window: number): number {
    return Math.max(windowStart(this.#zone, window), this.#house.anchor);
  }

  /** Whether a window or one of the sixteen before it is settled. */
  isSettledLately(window: number): boolean {
    for (let back = 0; back <= SETTLING; back++) if (this.isSettled(window - back)) return true;
    return false;
  }

  /** Whether a window begins at home whatever the house had come to before the last intervention. */
  isSettled(window: number): boolean {
    for (;;) {
      const isSettled = this.#find(window);
      if (isSettled !== undefined) return isSettled;
      this.#searchOn(window);
    }
  }

  /** Computes a day of what tells whether a window is settled lately; true once that is known without. */
  approach(window: number): boolean {
    for (let back = 0; back <= SETTLING; back++) {
      const isSettled = this.#find(window - back);
      if (isSettled === true) return true;
      if (isSettled === false) continue;
      this.#searchOn(window - back);
      return false;
    }
    return true;
  }

  /** Whether a window is settled; undefined where days have to be computed for that. */
  #find(window: number): boolean | undefined {
    const known = this.#known.get(window);
    if (known !== undefined) return known;
    const first = this.firstOf(window);
    const event = this.#eventBefore(first);
    const homeBy = event === undefined ? first : this.#findHomeBy(event);
    if (homeBy !== undefined) this.#known.set(window, homeBy <= first);
    return this.#known.get(window);
  }

  /** The quarter hour of the last intervention before the first one of a window, if there is any. */
  #eventBefore(first: number): number | undefined {
    const { anchor } = this.#house;
    const event = this.#interventions.lastBefore(first);
    return first === anchor || event === undefined || event < anchor ? undefined : event;
  }

  /** The quarter hour by which the house is home after an intervention, as soon as it is known. */
  #findHomeBy(event: number): number | undefined {
    const isBoost = this.#interventions.modeAt(event) === CONTROL_MODE.boost;
    return isBoost ? Infinity : this.#searches.get(event)?.homeBy;
  }

  #searchOn(window: number): void {
    const event = this.#eventBefore(this.firstOf(window));
    if (event === undefined) return;
    let search = this.#searches.get(event);
    if (search === undefined) {
      search = new HomeSearch(this.#house, event, this.#interventions.next(event));
      this.#searches.set(event, search);
    }
    search.goOn();
  }
}
