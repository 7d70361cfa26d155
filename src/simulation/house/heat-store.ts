/** What tank and rooms have in common as stores of heat whose electricity costs: what a plan searches and what it does. */
import { feedInPriceOf } from '../control/own-power.ts';
import type { HouseSpan } from './house-span.ts';
import { AIM } from './store-search.ts';
import type { HeatStore } from './store-search.ts';
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

/** The quarter hour that is looked at, and where its steps lead. */
export abstract class Store implements HeatStore {
  readonly home: Int32Array;
  readonly results = {
    count: 0,
    next: [0, 0, 0, 0],
    cost: [0, 0, 0, 0],
    aim: [0, 0, 0, 0],
    load: [0, 0, 0, 0],
  };
  readonly warmest = new Float64Array(QUARTERS);
  readonly otherLoad = new Float64Array(QUARTERS);
  /** Own PV that is left to the store, mWh. */
  readonly spare = new Float64Array(QUARTERS);
  /** Electricity of the compressor in the last step, mWh. */
  energy = 0;
  cost = 0;
  /** Heat of the compressor in the last step over the least that it gives without cycling. */
  load = 0;
  protected readonly span: HouseSpan;
  protected readonly cop = new Float64Array(QUARTERS);
  protected readonly least = new Float64Array(QUARTERS);
  protected house: ThermalHouse | undefined;
  /** Of the quarter hour that is looked at. */
  protected at = 0;
  protected now = 0;
  protected after = 0;
  protected floor = 0;
  protected price = 0;
  protected spareNow = 0;
  protected copNow = 1;
  protected leastNow = 1;
  /** Below this the aim low heats, up to the second. */
  protected lowTarget = 0;
  protected lowHeated = 0;
  protected highTarget = 0;
  /** The target of the thermostat, which the house follows at home, and what it aims at to come home. */
  protected wanted = 0;
  protected homeTarget = 0;
  /** Warming by the least heat of the compressor, mK, and whether a search may aim at it. */
  protected leastRise = 0;
  protected maySearchLeast = false;

  constructor(span: HouseSpan, home: Int32Array) {
    this.span = span;
    this.home = home;
  }

  findWarmest(from: number, to: number): void {
    let warmest = this.home[to] ?? 0;
    for (let i = to - 1; i >= from; i--) {
      this.warmest[i] = warmest;
      warmest = this.warmestBefore(i, warmest);
    }
  }

  /** Looks at quarter hour `i`. */
  enter(i: number): void {
    this.at = i;
    this.now = this.home[i] ?? 0;
    this.after = this.home[i + 1] ?? 0;
    this.price = this.span.prices[i] ?? 0;
    this.spareNow = this.spare[i] ?? 0;
    this.copNow = this.cop[i] ?? 1;
    this.leastNow = this.least[i] ?? 1;
  }

  /** The temperature after quarter hour `i` with an aim, from `now` before it, mK; -1 where that is not allowed. */
  step(i: number, now: number, aim: number): number {
    this.enter(i);
    const free = this.cool(now);
    return this.heat(free, this.targetOf(now, aim, free));
  }

  /** Of aims that lead to the same it keeps that of home at home, else the low one without heat, the high one with all there is. */
  expand(now: number): void {
    const { results } = this;
    const free = this.cool(now);
    let isIdle = false;
    let count = 0;
    const isHome = now === this.now;
    const aims = this.maySearchLeast ? 4 : 3;
    for (let k = 0; k < aims; k++) {
      const aim = k >= AIM.high ? k : isHome === (k === 0) ? AIM.home : AIM.low;
      const target = this.targetOf(now, aim, free);
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
      results.load[count] = this.load;
      count += 1;
    }
    results.count = count;
  }

  /** Whether result `k`, of home's aim, is the same as `next` at its cost, and not home yet: both have all the heat that there is. */
  #isShortOfHome(k: number, next: number): boolean {
    const { next: nexts, cost, aim } = this.results;
    return aim[k] === AIM.home && next < this.after && nexts[k] === next && cost[k] === this.cost;
  }

  protected targetOf(now: number, aim: number, free: number): number {
    if (aim === AIM.low) return free < this.lowTarget ? this.lowHeated : this.lowTarget;
    if (aim === AIM.high) return this.highTarget;
    if (aim === AIM.least) return Math.min(this.highTarget, free + this.leastRise);
    return now === this.now ? this.wanted : this.homeTarget;
  }

  /** No warmer store has `next` mK or less after quarter hour `i`; mK. */
  protected abstract warmestBefore(i: number, next: number): number;
  /** Temperature without heat, mK. */
  protected abstract cool(now: number): number;
  /** Temperature with heat up to a target where it can be reached, mK, and its cost; -1 where that is not allowed. */
  protected abstract heat(free: number, target: number): number;
}
