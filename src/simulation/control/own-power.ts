/** What own power is worth that would else be fed into the grid (docs/simulation.md#own-power). */

/** Part of the price at which power is bought that a household earns for what it feeds in (assumption). */
const FEED_IN_SHARE = 0.5;

/** What a quarter hour's own power would earn, EUR/MWh: half of its price, and nothing where power has a negative price. */
export const feedInPriceOf = (price: number): number => FEED_IN_SHARE * Math.max(0, price);
