import { findCoveredSpan } from '../../households/covered-span.ts';
import { loadHistoryPrices } from '../../households/history-prices.ts';
import { loadControls } from '../../households/household-controls.ts';
import { readHouseholdPage } from '../../queries/fleets/household-pages.ts';
import type { Context } from '../context.ts';
import { runHeavyJob } from '../heavy-jobs.ts';
import { HOUSEHOLDS_PER_JOB, listHouseholdPages } from '../household-pages.ts';
import { requireFleet } from './fleet-access.ts';
import { countMembers } from './fleet-data.ts';

/** A household by its user, where it stands, and its mean power from the grid in each quarter hour, W; NaN where nobody knows. */
export interface HouseholdPowers {
  readonly userId: string;
  readonly index: number;
  readonly latitude: number;
  readonly longitude: number;
  readonly powers: Float32Array;
}

/** What each household of a fleet drew, and the quarter hour since 1970 with which the powers begin. */
export interface FleetPowers {
  readonly firstQuarter: number;
  readonly households: readonly HouseholdPowers[];
}

/**
 * What each household of a fleet drew in the quarter hours of a day that are over, for the map of its page: the API tells of all
 * together or of one. Computed in jobs like the sums, each in a turn of its own. Throws the problem not_found, or overloaded (503).
 */
export async function listHouseholdPowers(
  context: Context,
  { jobId, ...day }: { readonly jobId: string; readonly from: Date; readonly to: Date },
): Promise<FleetPowers> {
  const { db, now } = context;
  const fleet = await requireFleet(db, context.orgId, jobId);
  const filter = { orgId: fleet.simulation_org_id, group: undefined };
  const { count, endIndex } = await countMembers(context, fleet, filter);
  const span = count === 0 ? undefined : findCoveredSpan(fleet.history_from, day, fleet.stopped_at ?? now);
  if (span === undefined) return { firstQuarter: 0, households: [] };
  const prices = await loadHistoryPrices(db, filter.orgId, fleet.history_from, now);
  const all: HouseholdPowers[] = [];
  const pages = listHouseholdPages((from) =>
    readHouseholdPage(db, filter, { from, end: endIndex, limit: HOUSEHOLDS_PER_JOB }),
  );
  for await (const page of pages) {
    const controls = await loadControls(db, prices.partnerId, page.households);
    const { attributes } = page;
    const question = { orgId: filter.orgId, attributes, prices, controls, span, quarters: 1, now };
    const powers = await runHeavyJob(context, false, 'listHouseholdPowers', question);
    const periods = powers.length / page.households.length;
    for (const [
      at,
      { user_id: userId, household_index: index, attributes: place },
    ] of page.households.entries())
      all.push({ userId, index, ...place, powers: powers.subarray(at * periods, (at + 1) * periods) });
  }
  return { firstQuarter: span.first, households: all };
}
