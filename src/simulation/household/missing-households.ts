import { restoreDensity } from '../definition/stored-definition.ts';
import type { StoredDefinition } from '../definition/stored-definition.ts';
import { buildHouseholds } from './household.ts';
import type { Household } from './household.ts';

/** What the households of a fleet follow from. */
export interface HouseholdsQuestion {
  readonly stored: StoredDefinition;
  /** Of the density, as they were sent: a byte for each cell, or these compressed; null without one. */
  readonly sentWeights: Uint8Array | null;
  /** Start of the history. */
  readonly anchor: Date;
  /** Households that exist already. */
  readonly from: number;
}

/**
 * The households that a fleet lacks. A density of sixteen million cells takes half a second to prepare. Throws a RangeError
 * when the weights do not fit the definition.
 */
export function buildMissingHouseholds(question: HouseholdsQuestion): Household[] {
  const { stored, sentWeights, anchor, from } = question;
  const density = restoreDensity(stored, sentWeights);
  return buildHouseholds(stored.definition, density, anchor, stored.expansions, from);
}
