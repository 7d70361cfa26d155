/** Windows of a steered house that begin at home for certain (docs/simulation.md#schedules). */
import { CONTROL_MODE } from '../control/control-modes.ts';
import { BoundedCache, DayCache } from '../kernel/bounded-cache.ts';
import { OpenSearches } from '../kernel/open-searches.ts';
import { HomeSearch } from './home-search.ts';
import type { Interventions } from './interventions.ts';
import { windowStart } from './plan-windows.ts';
import type { UnsteeredHouse } from './unsteered-house.ts';

/** So many windows a house may take to come home, for which two weeks suffice in summer; after more it rests. */
export const SETTLING = 16;
const KNOWN_WINDOWS = 64;
/** More than one day after the other looks back for. */
const KNOWN_RETURNS = 256;

/** The windows of a house by their local days. */
export class SettledWindows {
  readonly #house: UnsteeredHouse;
  readonly #interventions: Interventions;
  readonly #zone: string;
  readonly #known = new DayCache<boolean>(KNOWN_WINDOWS);
  /** By quarter hours of interventions: the quarter hour by which the house is home again. */
  readonly #returns = new BoundedCache<number, number>(KNOWN_RETURNS);
  /** The searches for those that are not known yet. */
  readonly #searches = new OpenSearches<HomeSearch>();

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
      const found = this.#find(window);
      if (typeof found === 'boolean') return found;
      found.goOn();
    }
  }

  /** Computes a day of what tells whether a window is settled lately; true once that is known without. */
  approach(window: number): boolean {
    for (let back = 0; back <= SETTLING; back++) {
      const found = this.#find(window - back);
      if (found === true) return true;
      if (found === false) continue;
      found.goOn();
      return false;
    }
    return true;
  }

  /** Whether a window is settled, or the search that has to go on until that is known. */
  #find(window: number): boolean | HomeSearch {
    const known = this.#known.find(window);
    if (known !== undefined) return known;
    const first = this.firstOf(window);
    const { anchor } = this.#house;
    const event = this.#interventions.lastBefore(first);
    if (first === anchor || event === undefined || event < anchor) return this.#known.set(window, true);
    if (this.#interventions.modeAt(event) === CONTROL_MODE.boost) return this.#known.set(window, false);
    const found = this.#returnAfter(event);
    return typeof found === 'number' ? this.#known.set(window, found <= first) : found;
  }

  /** The quarter hour by which the house is home after an intervention, or the search that has to go on until that is known. */
  #returnAfter(event: number): number | HomeSearch {
    const known = this.#returns.find(event);
    if (known !== undefined) return known;
    const search = this.#searches.take(
      event,
      () => new HomeSearch(this.#house, event, this.#interventions.next(event)),
    );
    const { homeBy } = search;
    if (homeBy !== undefined) return this.#returns.getOrCompute(event, () => homeBy);
    this.#searches.keep(event, search);
    return search;
  }
}
