/** The tank and the rooms of a house as stores of heat whose electricity costs: what a plan searches and what it does. */
import { feedInPriceOf } from '../control/own-power.ts';
import type { Circumstances } from './circumstances.ts';
import { COLD_TANK_MK } from './hot-water.ts';
import type { HouseSpan } from './house-span.ts';
import { cyclingFactor } from './performance.ts';
import { AIM } from './store-search.ts';
import type { HeatStore } from './store-search.ts';
import { coolRoom, coolTank, given, heatRoom, heatTank } from './thermal-steps.ts';
import type { ThermalHouse } from './thermal-house.ts';

const QUARTERS = 192;

/**
 * Cost of `energy` mWh in a quarter hour with so much own PV to spare: what comes from the grid costs its price, and what
 * panels give costs what it would have earned. EUR/MWh times mWh.
 */
export function costOf(energy: number, spare: number, price: number): number {
  const own = energy < spare ? energy : spare;
  return (energy - own) * price + own * feedInPriceOf(price);
}

/** What tank and rooms have in common: the quarter hour that is looked at, and where its steps lead. */
abstract class Store implements HeatStore {
  readonly home: Int32Array;
  readonly results = { count: 0, next: [0, 0, 0], cost: [0, 0, 0], aim: [0, 0, 0] };
  /** Own PV that is left to the store, mWh. */
  readonly spare = new Float64Array(QUARTERS);
  /** Electricity of the compressor in the last step, mWh. */
  energy = 0;
  cost = 0;
  protected readonly span: HouseSpan;
  protected readonly cop = new Float64Array(QUARTERS);
  protected house: ThermalHouse | undefined;
  /** Of the quarter hour that is looked at. */
  protected at = 0;
  protected now = 0;
  protected after = 0;
  protected floor = 0;
  protected price = 0;
  protected spareNow = 0;
  protected copNow = 1;
  protected lowTarget = 0;
  protected highTarget = 0;
  /** The target of the thermostat, which the house follows at home. */
  protected wanted = 0;

  constructor(span: HouseSpan, home: Int32Array) {
    this.span = span;
    this.home = home;
  }

  /** Looks at quarter hour `i`. */
  enter(i: number): void {
    this.at = i;
    this.now = this.home[i] ?? 0;
    this.after = this.home[i + 1] ?? 0;
    this.price = this.span.prices[i] ?? 0;
    this.spareNow = this.spare[i] ?? 0;
    this.copNow = this.cop[i] ?? 1;
  }

  /** The temperature after quarter hour `i` with an aim, from `now` before it, mK; -1 where that is not allowed. */
  step(i: number, now: number, aim: number): number {
    this.enter(i);
    return this.heat(this.cool(now), this.targetOf(now, aim));
  }

  /** Of aims that lead to the same it keeps that of home at home, else the low one without heat, the high one with all there is. */
  expand(now: number): void {
    const { results } = this;
    const free = this.cool(now);
    let isIdle = false;
    let count = 0;
    const isHome = now === this.now;
    for (let k = 0; k < 3; k++) {
      const aim = k === 2 ? AIM.high : isHome === (k === 0) ? AIM.home : AIM.low;
      const target = this.targetOf(now, aim);
      if (target <= free && isIdle) continue;
      isIdle ||= target <= free;
      const next = this.heat(free, target);
      if (next < 0) continue;
      if (aim === AIM.high && !isHome && this.#isShortOfHome(count - 1, next)) {
        results.aim[count - 1] = aim;
        continue;
      }
      results.next[count] = next;
      results.cost[count] = this.cost;
      results.aim[count] = aim;
      count += 1;
    }
    results.count = count;
  }

  /** Whether result `k`, of home's aim, is the same as `next` at its cost, and not home yet: both have all the heat that there is. */
  #isShortOfHome(k: number, next: number): boolean {
    const { next: nexts, cost, aim } = this.results;
    return aim[k] === AIM.home && next < this.after && nexts[k] === next && cost[k] === this.cost;
  }

  protected targetOf(now: number, aim: number): number {
    if (aim === AIM.low) return this.lowTarget;
    if (aim === AIM.high) return this.highTarget;
    return now === this.now ? this.wanted : this.after;
  }

  /** Temperature without heat, mK. */
  protected abstract cool(now: number): number;
  /** Temperature with heat up to a target where it can be reached, mK, and its cost; -1 where that is not allowed. */
  protected abstract heat(free: number, target: number): number;
}

export class TankStore extends Store {
  #most = 0;

  constructor(span: HouseSpan) {
    super(span, span.home.tank);
  }

  /** Hoists what holds for the quarter hours of a plan; returns the mean heat over electricity. */
  prepare({ house, performance }: Circumstances, from: number, to: number): number {
    this.house = house;
    const { outdoorC, soilC } = this.span.forcing;
    let total = 0;
    for (let i = from; i < to; i++) {
      const cop = performance.tankCop(outdoorC[i] ?? 0, soilC[i] ?? 0);
      this.cop[i] = cop;
      total += cop;
    }
    return total / (to - from);
  }

  /** No temperature of a plan is lower, mK. */
  lowest(from: number, to: number): number {
    let lowest = COLD_TANK_MK;
    for (let i = from; i < to; i++) lowest = Math.min(lowest, this.home[i + 1] ?? lowest);
    return lowest;
  }

  override enter(i: number): void {
    super.enter(i);
    const { tankGoal, mostHeat } = this.span.forcing;
    this.floor = this.after < COLD_TANK_MK ? this.after : COLD_TANK_MK;
    this.lowTarget = this.floor;
    this.highTarget = this.house?.tankTarget ?? 0;
    this.wanted = tankGoal[i] ?? 0;
    this.#most = mostHeat[i] ?? 0;
  }

  protected override cool(now: number): number {
    return this.house === undefined ? 0 : coolTank(this.house, this.span.forcing, this.at, now);
  }

  protected override heat(free: number, target: number): number {
    if (this.house === undefined) return -1;
    const next = heatTank(this.house, free, target, this.#most);
    if (next < this.floor) return -1;
    const { water } = given;
    this.energy = water > 0 ? water / this.copNow : 0;
    this.cost = water > 0 ? costOf(this.energy, this.spareNow, this.price) : 0;
    return next;
  }
}

export class RoomStore extends Store {
  /** Heat of the compressor that the tank leaves, mWh. */
  readonly left = new Float64Array(QUARTERS);
  readonly #least = new Float64Array(QUARTERS);
  #leftNow = 0;
  #heaterHold = 0;
  #leastNow = 1;
  #low = 0;
  #highest = 0;
  #ceiling = 0;
  #boost = 0;
  /** Cost of each mK that it is colder than at home after a quarter hour. */
  #colder = 0;

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
      this.#least[i] = performance.leastHeat(mostHeat[i] ?? 0);
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

  /** Sets what a mK that it is colder than at home costs, so that a colder house saves nothing. */
  priceColdness(cost: number): void {
    this.#colder = cost;
  }

  /** What it costs that the room has `room` mK and not what it would have at home after quarter hour `i`. */
  coldnessCost(i: number, room: number): number {
    return this.#colder * ((this.home[i + 1] ?? 0) - room);
  }

  override enter(i: number): void {
    super.enter(i);
    const wanted = this.span.forcing.roomTarget[i] ?? 0;
    const { after } = this;
    this.floor = after < this.#low ? after : this.#low;
    this.#ceiling = after > this.#highest ? after : this.#highest;
    this.wanted = wanted;
    this.lowTarget = wanted > 0 ? this.floor : 0;
    this.highTarget = wanted > 0 ? Math.min(this.#highest, wanted + this.#boost) : 0;
    this.#leftNow = this.left[i] ?? 0;
    this.#heaterHold = this.span.forcing.heaterHold[i] ?? 0;
    this.#leastNow = this.#least[i] ?? 1;
  }

  protected override targetOf(now: number, aim: number): number {
    // On days on which nobody heats, home is no aim either.
    return this.wanted === 0 ? 0 : super.targetOf(now, aim);
  }

  protected override cool(now: number): number {
    return this.house === undefined ? 0 : coolRoom(this.house, this.span.forcing, this.at, now);
  }

  protected override heat(free: number, target: number): number {
    if (this.house === undefined) return -1;
    const next = heatRoom(this.house, free, target, this.#leftNow, this.#heaterHold);
    if (next < this.floor || next > this.#ceiling) return -1;
    const { heat, backup } = given;
    this.energy = heat > 0 ? heat / (this.copNow * cyclingFactor(heat / this.#leastNow)) : 0;
    this.cost = this.#colder * (this.after - next);
    if (heat > 0) this.cost += costOf(this.energy + backup, this.spareNow, this.price);
    return next;
  }
}
