/**
 * Charging at the least cost (docs/simulation.md#charging-by-price): the energy that is needed is taken from the cheapest
 * quarter hours that are left. How much a quarter hour gives is then a function of the energy needed that rises with it, and
 * never faster: of two cars the fuller one stays the fuller, so that their charge needs no history.
 */
import { feedInPriceOf } from '../control/own-power.ts';

/** What quarter hours in order of time offer; energies arrive in the battery, mWh, costs are in EUR/MWh. */
export interface ChargeOffers {
  /** Quarter hours in use. */
  count: number;
  /** Own power that nobody else needs, and what it would earn. */
  readonly own: Int32Array;
  readonly ownCost: Float64Array;
  /** What the charger takes from the grid beside it, and its price. */
  readonly grid: Int32Array;
  readonly gridCost: Float64Array;
}

/** Room for the offers of so many quarter hours. */
export function createChargeOffers(quarters: number): ChargeOffers {
  return {
    count: 0,
    own: new Int32Array(quarters),
    ownCost: new Float64Array(quarters),
    grid: new Int32Array(quarters),
    gridCost: new Float64Array(quarters),
  };
}

/** Dearer than any price: a quarter hour without a price is used when those with one do not suffice, own power of it first. */
const UNKNOWN_OWN_COST = 1e9;
const UNKNOWN_COST = 2e9;

/**
 * Sets what the quarter hour `i` offers at a price in EUR/MWh (null: unknown) to a charger that brings `step` mWh, of which
 * `own` mWh can be own power.
 */
export function setOffer(
  offers: ChargeOffers,
  i: number,
  price: number | null,
  own: number,
  step: number,
): void {
  const ownCost = price === null ? UNKNOWN_OWN_COST : feedInPriceOf(price);
  const gridCost = price ?? UNKNOWN_COST;
  // Own power is used before the grid's, also where that is the cheaper: then both have one cost together.
  const areOne = own > 0 && gridCost < ownCost;
  offers.own[i] = areOne ? 0 : own;
  offers.ownCost[i] = ownCost;
  offers.grid[i] = areOne ? step : step - own;
  offers.gridCost[i] = areOne ? (gridCost * (step - own) + ownCost * own) / step : gridCost;
}

/** How much a quarter hour gives: what is needed beyond `aheadOfOwn`, up to `own`; what is needed beyond `aheadOfGrid`, up to `grid`. mWh. */
export interface ChargeRule {
  readonly aheadOfOwn: number;
  readonly own: number;
  readonly aheadOfGrid: number;
  readonly grid: number;
}

/** Charges at once. */
export const chargesAtOnce = (step: number): ChargeRule => ({
  aheadOfOwn: 0,
  own: 0,
  aheadOfGrid: 0,
  grid: step,
});

/** The rule of the quarter hour `i`: what later ones offer for less comes before it; of equal ones the earlier comes first. */
export function ruleOf(offers: ChargeOffers, i: number): ChargeRule {
  const own = offers.own[i] ?? 0;
  const grid = offers.grid[i] ?? 0;
  const aheadOfOwn = own > 0 ? cheaperAfter(offers, i, offers.ownCost[i] ?? 0) : 0;
  const aheadOfGrid = own + cheaperAfter(offers, i, offers.gridCost[i] ?? 0);
  return { aheadOfOwn, own, aheadOfGrid, grid };
}

function cheaperAfter(
  { count, own, ownCost, grid, gridCost }: ChargeOffers,
  i: number,
  cost: number,
): number {
  let sum = 0;
  for (let j = i + 1; j < count; j++) {
    if ((ownCost[j] ?? 0) < cost) sum += own[j] ?? 0;
    if ((gridCost[j] ?? 0) < cost) sum += grid[j] ?? 0;
  }
  return sum;
}

/** What a quarter hour gives when `need` mWh are missing. */
export function chargeOf({ aheadOfOwn, own, aheadOfGrid, grid }: ChargeRule, need: number): number {
  if (need <= 0) return 0;
  return Math.min(own, Math.max(0, need - aheadOfOwn)) + Math.min(grid, Math.max(0, need - aheadOfGrid));
}
