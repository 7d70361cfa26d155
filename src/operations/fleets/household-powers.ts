import { loadControls } from '../../households/household-controls.ts';
import type { HouseholdPage } from '../../queries/fleets/household-pages.ts';
import type { QuarterSpan } from '../../simulation/control/revisions.ts';
import { countPeriods } from '../../simulation/model/period-sums.ts';
import type { Context } from '../context.ts';
import { runHeavyJob, workInNextTurn, workInTurn } from '../heavy-jobs.ts';
import { listHouseholdPages, takeFirst } from '../household-pages.ts';
import type { SummedHouseholds } from '../summed-data.ts';
import { requireFleet } from './fleet-access.ts';
import { openHouseholds } from './fleet-data.ts';

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
 * together or of one. Read and computed in pages like the sums, each in a turn of its own. Throws the problem not_found, or
 * overloaded (503).
 */
export async function listHouseholdPowers(
  context: Context,
  { jobId, ...day }: { readonly jobId: string; readonly from: Date; readonly to: Date },
): Promise<FleetPowers> {
  const fleet = await requireFleet(context.db, context.orgId, jobId);
  const filter = { orgId: fleet.simulation_org_id, group: undefined };
  const { span, households } = await workInTurn(context, false, () =>
    openHouseholds(context, fleet, filter, day),
  );
  if (households === undefined) return { firstQuarter: 0, households: [] };
  const computePage = async (from: number) => {
    const page = await households.readPage(from);
    const powers = await computePowers(context, households, page, span);
    return { ...takeFirst(page, powers.length), powers };
  };
  const all: HouseholdPowers[] = [];
  const pages = listHouseholdPages((from) => workInNextTurn(context, from > 0, () => computePage(from)));
  for await (const { powers } of pages) all.push(...powers);
  return { firstQuarter: span.first, households: all };
}

/** The powers of the first households of a page, in the turn of their partner. */
async function computePowers(
  context: Context,
  { orgId, prices }: SummedHouseholds,
  { households, attributes, checkpoints }: HouseholdPage,
  span: QuarterSpan,
): Promise<HouseholdPowers[]> {
  if (households.length === 0) return [];
  const controls = await loadControls(context.db, prices.partnerId, households);
  const question = { orgId, attributes, checkpoints, prices, controls, span, quarters: 1, now: context.now };
  const powers = await runHeavyJob(context, true, 'listHouseholdPowers', question);
  const periods = countPeriods(span, 1);
  const done = households.slice(0, powers.length / periods);
  return done.map(({ user_id: userId, household_index: index, attributes: place }, at) => ({
    userId,
    index,
    ...place,
    powers: powers.subarray(at * periods, (at + 1) * periods),
  }));
}
