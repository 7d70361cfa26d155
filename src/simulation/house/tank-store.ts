/** The hot-water tank as a store of heat whose electricity costs. */
import type { Circumstances } from './circumstances.ts';
import { Store, costOf } from './heat-store.ts';
import { COLD_TANK_MK } from './tank-goals.ts';
import type { HouseSpan } from './house-span.ts';
import { coolTank, given, heatTank, warmestTankBefore } from './thermal-steps.ts';

/** A tank that has fallen to the low temperature is heated by so much more, mK: else it would be heated a little all the time. */
export const TANK_HYSTERESIS_MK = 500;

export class TankStore extends Store {
  #most = 0;

  constructor(span: HouseSpan) {
    super(span, span.home.tank);
  }

  /** Hoists what holds for the quarter hours of a plan; returns the mean heat over electricity. */
  prepare({ house, performance }: Circumstances, from: number, to: number): number {
    this.house = house;
    const { outdoorC, soilC, mostHeat } = this.span.forcing;
    let total = 0;
    for (let i = from; i < to; i++) {
      const cop = performance.tankCop(outdoorC[i] ?? 0, soilC[i] ?? 0);
      this.cop[i] = cop;
      this.least[i] = Math.min(house.coilHeat, performance.leastHeat(mostHeat[i] ?? 0));
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
    this.lowHeated = Math.min(this.floor + TANK_HYSTERESIS_MK, this.highTarget);
    this.wanted = tankGoal[i] ?? 0;
    this.homeTarget = this.after;
    this.#most = mostHeat[i] ?? 0;
  }

  protected override cool(now: number): number {
    return this.house === undefined ? 0 : coolTank(this.house, this.span.forcing, this.at, now);
  }

  protected override warmestBefore(i: number, next: number): number {
    return this.house === undefined ? Infinity : warmestTankBefore(this.house, this.span.forcing, i, next);
  }

  protected override heat(free: number, target: number): number {
    if (this.house === undefined) return -1;
    const next = heatTank(this.house, free, target, this.#most);
    if (next < this.floor) return -1;
    const { water } = given;
    this.load = water / this.leastNow;
    this.energy = water > 0 ? water / this.copNow : 0;
    this.cost = water > 0 ? costOf(this.energy, this.spareNow, this.price) : 0;
    return next;
  }
}
