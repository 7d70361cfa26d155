/** The rooms of a house as a store of heat whose electricity costs. */
import type { Circumstances } from './circumstances.ts';
import { Store, costOf } from './heat-store.ts';
import type { HouseSpan } from './house-span.ts';
import { cyclingFactor } from './performance.ts';
import { coolRoom, given, heatRoom, warmestRoomBefore } from './thermal-steps.ts';

/**
 * What it costs that a house is colder over what that saves, so that none is .3 K colder in the mean of a year; and what it is
 * worth that it is warmer over what that takes: who has one price all day pays for no warmth that nobody asked for.
 */
export const COLDNESS = 1.1;
export const WARMTH = 0.95;
/**
 * Below so much of a plan's mean price rooms may be heated at the least of the compressor: else it would stop in between where
 * all that it can give is too much.
 */
export const CHEAP = 0.8;

export class RoomStore extends Store {
  /** Heat of the compressor that the tank leaves, mWh. */
  readonly left = new Float64Array(this.spare.length);
  #leftNow = 0;
  #heaterHold = 0;
  #low = 0;
  #highest = 0;
  #ceiling = 0;
  #boost = 0;
  /** Cost of each mK that it is colder than at home after a quarter hour, and worth of each that it is warmer. */
  #colder = 0;
  #warmer = 0;
  /** Where electricity costs less it is cheap. */
  #cheapBelow = 0;

  constructor(span: HouseSpan) {
    super(span, span.home.room);
  }

  /** Hoists what holds for the quarter hours of a plan; returns the mean heat over electricity. */
  prepare({ house, performance, preferences }: Circumstances, from: number, to: number): number {
    this.house = house;
    this.#low = house.comfort - Math.round(1000 * preferences.setback_k);
    this.#boost = Math.round(1000 * preferences.boost_k);
    this.#highest = house.comfort + this.#boost;
    const { outdoorC, soilC, mostHeat } = this.span.forcing;
    let total = 0;
    for (let i = from; i < to; i++) {
      const cop = performance.roomCop(outdoorC[i] ?? 0, soilC[i] ?? 0, 1);
      this.cop[i] = cop;
      this.least[i] = performance.leastHeat(mostHeat[i] ?? 0);
      total += cop;
    }
    return total / (to - from);
  }

  /** No temperature of a plan is lower, mK. */
  lowest(from: number, to: number): number {
    let lowest = this.#low;
    for (let i = from; i < to; i++) lowest = Math.min(lowest, this.home[i + 1] ?? lowest);
    return lowest;
  }

  /** Sets the mean price of a plan. */
  priceHeat(meanPrice: number): void {
    this.#cheapBelow = CHEAP * meanPrice;
  }

  /** Sets what a mK that it is colder than at home saves in a quarter hour, so that a colder house saves nothing. */
  priceColdness(saved: number): void {
    this.#colder = COLDNESS * saved;
    this.#warmer = WARMTH * saved;
  }

  /** What it costs that the room has `room` mK and not what it would have at home after quarter hour `i`. */
  coldnessCost(i: number, room: number): number {
    return this.#costOfColder((this.home[i + 1] ?? 0) - room);
  }

  #costOfColder(mk: number): number {
    return mk * (mk > 0 ? this.#colder : this.#warmer);
  }

  override enter(i: number): void {
    super.enter(i);
    const wanted = this.span.forcing.roomTarget[i] ?? 0;
    const { after } = this;
    this.floor = after < this.#low ? after : this.#low;
    this.#ceiling = after > this.#highest ? after : this.#highest;
    this.wanted = wanted;
    // On days on which nobody heats, home is no aim either.
    this.homeTarget = wanted > 0 ? after : 0;
    this.lowTarget = wanted > 0 ? this.floor : 0;
    this.lowHeated = this.lowTarget;
    this.leastRise = wanted > 0 ? this.leastNow * (this.house?.roomRise ?? 0) : 0;
    this.maySearchLeast = wanted > 0 && (this.spareNow > 0 || this.price < this.#cheapBelow);
    this.highTarget = wanted > 0 ? Math.min(this.#highest, wanted + this.#boost) : 0;
    this.#leftNow = this.left[i] ?? 0;
    this.#heaterHold = this.span.forcing.heaterHold[i] ?? 0;
  }

  protected override cool(now: number): number {
    return this.house === undefined ? 0 : coolRoom(this.house, this.span.forcing, this.at, now);
  }

  protected override warmestBefore(i: number, next: number): number {
    return this.house === undefined ? Infinity : warmestRoomBefore(this.house, this.span.forcing, i, next);
  }

  protected override heat(free: number, target: number): number {
    if (this.house === undefined) return -1;
    const next = heatRoom(this.house, free, target, this.#leftNow, this.#heaterHold);
    if (next < this.floor || next > this.#ceiling) return -1;
    const { heat, backup } = given;
    this.load = heat / this.leastNow;
    this.energy = heat > 0 ? heat / (this.copNow * cyclingFactor(this.load)) : 0;
    this.cost = this.#costOfColder(this.after - next);
    if (heat > 0) this.cost += costOf(this.energy + backup, this.spareNow, this.price);
    return next;
  }
}
