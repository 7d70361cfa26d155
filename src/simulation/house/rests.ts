/**
 * A house of which something else is asked all the time comes home for certain in no window. It rests then, from every sixteenth
 * window on: it has no plans until the coldest and the warmest house that there may be have met (docs/simulation.md#schedules).
 */
import { DayCache } from '../kernel/bounded-cache.ts';
import { OpenSearches } from '../kernel/open-searches.ts';
import { Enclosure } from './enclosure.ts';
import type { Interventions } from './interventions.ts';
import { SETTLING } from './settled-windows.ts';
import type { SettledWindows } from './settled-windows.ts';
import type { UnsteeredHouse } from './unsteered-house.ts';

/** Windows before a rest from which on the coldest and the warmest house are followed: in summer they meet by what they lose. */
const LEAD = 16;
/**
 * A day looks back at the rest before the last, and farther only where the houses take longer than sixteen windows to meet: far more
 * than that, however long the history is, which may begin in 1970. Rests that are a multiple of 4,096 windows apart share a place.
 */
const KNOWN_RESTS = 256;

/** The window with which plans begin again, and the state with which it begins, packed. */
export interface RestEnd {
  readonly window: number;
  readonly state: number;
}

/** Computes a window, or a day of what tells whether one is settled, in each of its steps. */
type RestSearch = Generator<undefined, RestEnd | null, undefined>;

export class Rests {
  readonly #house: UnsteeredHouse;
  readonly #interventions: Interventions;
  readonly #settled: SettledWindows;
  /** By every sixteenth window. */
  readonly #known = new DayCache<RestEnd | null>(KNOWN_RESTS);
  /** Those that are not known yet. */
  readonly #searches = new OpenSearches<RestSearch>();

  constructor(house: UnsteeredHouse, interventions: Interventions, settled: SettledWindows) {
    this.#house = house;
    this.#interventions = interventions;
    this.#settled = settled;
  }

  /** The end of the rest of the sixteen windows to which a window belongs; null where they have none. */
  endAround(window: number): RestEnd | null {
    for (;;) {
      const end = this.#find(window);
      if (end !== undefined) return end;
    }
  }

  /** Computes a step of what tells the end of the rest around a window; true once that is known. */
  approach(window: number): boolean {
    return this.#find(window) !== undefined;
  }

  #find(window: number): RestEnd | null | undefined {
    const number = Math.floor(window / SETTLING);
    const known = this.#known.find(number);
    if (known !== undefined) return known;
    const search = this.#searches.take(number, () => this.#search(number * SETTLING));
    const { done, value } = search.next();
    if (done === true) return this.#known.set(number, value);
    this.#searches.keep(number, search);
    return undefined;
  }

  *#search(first: number): RestSearch {
    const enclosure = new Enclosure(this.#house, this.#interventions, this.#settled.firstOf(first - LEAD));
    for (let window = first - LEAD; window < first; window++) {
      enclosure.follow(this.#settled.firstOf(window + 1), true);
      yield;
    }
    for (let window = first; window < first + SETTLING; window++) {
      while (!this.#settled.approach(window)) yield;
      const isSettled = this.#settled.isSettledLately(window);
      const state = enclosure.met;
      if (!isSettled && state !== undefined) return { window, state };
      enclosure.follow(this.#settled.firstOf(window + 1), isSettled);
      yield;
    }
    return null;
  }
}
