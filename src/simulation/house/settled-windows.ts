/** Windows of a steered house that begin at home for certain (docs/simulation.md#schedules). */
import { CONTROL_MODE } from '../control/control-modes.ts';
import { DayCache } from '../kernel/bounded-cache.ts';
import type { Interventions } from './interventions.ts';
import { windowStart } from './plan-windows.ts';
import type { UnsteeredHouse } from './unsteered-house.ts';

/** So many windows a house may take to come home, for which two weeks suffice in summer; after more it rests. */
export const SETTLING = 16;
const KNOWN_WINDOWS = 64;

/** The windows of a house by their local days. */
export class SettledWindows {
  readonly #house: UnsteeredHouse;
  readonly #interventions: Interventions;
  readonly #zone: string;
  readonly #known = new DayCache<boolean>(KNOWN_WINDOWS);
  /** By quarter hours of interventions: the quarter hour by which the house is home again. */
  readonly #homeByEvent = new Map<number, number>();

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
    const known = this.#known.find(window);
    if (known !== undefined) return known;
    const first = this.firstOf(window);
    const { anchor } = this.#house;
    const event = this.#interventions.lastBefore(first);
    const isSettled =
      first === anchor || event === undefined || event < anchor || this.#homeBy(event) <= first;
    return this.#known.set(window, isSettled);
  }

  /** The quarter hour by which the house is home after an intervention, if there is no other one before. */
  #homeBy(event: number): number {
    const known = this.#homeByEvent.get(event);
    if (known !== undefined) return known;
    const isBoost = this.#interventions.modeAt(event) === CONTROL_MODE.boost;
    const until = isBoost ? Infinity : this.#house.homeAfter(event, this.#interventions.next(event));
    this.#homeByEvent.set(event, until);
    return until;
  }
}
