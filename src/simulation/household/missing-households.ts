import { restoreDensity } from '../definition/stored-definition.ts';
import type { StoredDefinition } from '../definition/stored-definition.ts';
import { buildHouseholds } from './household.ts';
import type { Household } from './household.ts';

/** What the households of a fleet follow from. */
export interface HouseholdsQuestion {
  readonly stored: StoredDefinition;
  /** A byte for each cell of the density; null without one. */
  readonly weights: Uint8Array | null;
  /** Start of the history. */
  readonly anchor: Date;
  /** Households that exist already. */
  readonly from: number;
}

/**
 * The households that a fleet lacks. A density of sixteen million cells takes half a second to prepare. Throws a RangeError
 * when the weights do not fit the definition.
 */
export function buildMissingHouseholds({ stored, weights, anchor, from }: HouseholdsQuestion): Household[] {
  return buildHouseholds(stored.definition, restoreDensity(stored, weights), anchor, stored.expansions, from);
}
