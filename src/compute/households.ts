import type { Household } from '../simulation/household/household.ts';
import { buildMissingHouseholds } from '../simulation/household/missing-households.ts';
import type { HouseholdsQuestion } from '../simulation/household/missing-households.ts';

/** The households that a fleet lacks. Throws a RangeError when the weights do not fit the definition. */
export function buildHouseholdsOfFleet(question: HouseholdsQuestion): {
  readonly households: readonly Household[];
} {
  return { households: buildMissingHouseholds(question) };
}
