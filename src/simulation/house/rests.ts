/**
 * A house of which something else is asked all the time comes home for certain in no window. It rests then, from every sixteenth
 * window on: it has no plans until the coldest and the warmest house that there may be have met (docs/simulation.md#schedules).
 */
import { DayCache } from '../kernel/bounded-cache.ts';
import { Enclosure } from './enclosure.ts';
import type { Interventions } from './interventions.ts';
import { SETTLING } from './settled-windows.ts';
import type { SettledWindows } from './settled-windows.ts';
import type { UnsteeredHouse } from './unsteered-house.ts';

/** Windows before a rest from which on the coldest and the warmest house are followed: in summer they meet by what they lose. */
const LEAD = 16;
const KNOWN_RESTS = 4;

/** The window with which plans begin again, and the state with which it begins, packed. */
export interface RestEnd {
  readonly window: number;
  readonly state: number;
}

export class Rests {
  readonly #house: UnsteeredHouse;
  readonly #interventions: Interventions;
  readonly #settled: SettledWindows;
  /** By every sixteenth window. */
  readonly #known = new DayCache<RestEnd | null>(KNOWN_RESTS);

  constructor(house: UnsteeredHouse, interventions: Interventions, settled: SettledWindows) {
    this.#house = house;
    this.#interventions = interventions;
    this.#settled = settled;
  }

  /** The end of the rest of the sixteen windows to which a window belongs; null where they have none. */
  endAround(window: number): RestEnd | null {
    const number = Math.floor(window / SETTLING);
    const known = this.#known.find(number);
    return known === undefined ? this.#known.set(number, this.#find(number * SETTLING)) : known;
  }

  #find(first: number): RestEnd | null {
    const enclosure = new Enclosure(this.#house, this.#interventions, this.#settled.firstOf(first - LEAD));
    enclosure.follow(this.#settled.firstOf(first), true);
    for (let window = first; window < first + SETTLING; window++) {
      const isSettled = this.#settled.isSettledLately(window);
      const state = enclosure.met;
      if (!isSettled && state !== undefined) return { window, state };
      enclosure.follow(this.#settled.firstOf(window + 1), isSettled);
    }
    return null;
  }
}
