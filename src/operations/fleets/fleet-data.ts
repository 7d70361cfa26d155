import type { Handler } from '../../contract/handlers.ts';
import { parseInstantRange } from '../../domain/api/instant-range.ts';
import type { InstantRange } from '../../domain/api/instant-range.ts';
import { findCoveredSpan } from '../../households/covered-span.ts';
import { loadHistoryPrices } from '../../households/history-prices.ts';
import { toSummedMetadata } from '../../presenters/summed-data.ts';
import type { Fleet } from '../../queries/fleets/fleets.ts';
import { countHouseholds, readHouseholdPage } from '../../queries/fleets/household-pages.ts';
import type { CountedHouseholds, HouseholdFilter } from '../../queries/fleets/household-pages.ts';
import type { QuarterSpan } from '../../simulation/control/revisions.ts';
import type { Context } from '../context.ts';
import { workInTurn } from '../heavy-jobs.ts';
import { CHANGES_PER_JOB, HOUSEHOLDS_PER_JOB } from '../household-pages.ts';
import {
  checkHouseholdDays,
  HouseholdsRemovedError,
  noParts,
  RESOLUTIONS,
  streamPeriods,
} from '../summed-data.ts';
import type { SummedHouseholds } from '../summed-data.ts';
import { toSummedTable } from '../summed-tables.ts';
import { requireFleet } from './fleet-access.ts';

/**
 * `GET …/fleets/{job_id}/data`: what the households of a fleet, or of one of its groups, did together. 404 without the fleet,
 * 422 for a range that is none, too long, or too much for the fleet's households.
 */
export const getFleetData: Handler<Context, 'getFleetData'> = async (context, request) => {
  for (let tries = 1; ; tries++) {
    try {
      return await answer(context, request);
    } catch (error) {
      if (!(error instanceof HouseholdsRemovedError) || tries === MOST_TRIES) throw error;
    }
  }
};

/** Who removes households again and again while the first sums are made is told to ask later. */
const MOST_TRIES = 3;

const answer: typeof getFleetData = async (context, { path, query, answerType }) => {
  const fleet = await requireFleet(context.db, context.orgId, path.job_id);
  const { resolution = '15MIN', group } = query;
  const range = parseInstantRange(['from', query.from], ['to', query.to], RESOLUTIONS[resolution].maxDays);
  const filter = { orgId: fleet.simulation_org_id, group };
  const { count, span, households } = await workInTurn(context, false, () =>
    openHouseholds(context, fleet, filter, range),
  );
  const metadata = {
    job_id: fleet.id,
    group: group ?? null,
    households: count,
    ...toSummedMetadata(resolution, span),
  };
  const parts = households === undefined ? noParts() : streamPeriods(context, households, span, resolution);
  return {
    status: 200,
    body: await toSummedTable(context, { of: 'fleet', type: answerType, metadata }, parts),
  };
};

/** Of a cleaned fleet there are none, also while they are being removed. */
function countMembers(
  { db }: Context,
  { status }: Fleet,
  filter: HouseholdFilter,
): Promise<CountedHouseholds> | CountedHouseholds {
  return status === 'cleaned' || status === 'purging'
    ? { count: 0, endIndex: 0 }
    : countHouseholds(db, filter);
}

interface NoHouseholds {
  readonly count: number;
  readonly span: undefined;
  readonly households: undefined;
}

interface OpenHouseholds {
  readonly count: number;
  readonly span: QuarterSpan;
  readonly households: SummedHouseholds;
}

/**
 * The households of an answer, and what of its range they have. To be read in a turn: those who wait for theirs, or are refused, have
 * cost the database nothing.
 */
export async function openHouseholds(
  context: Context,
  fleet: Fleet,
  filter: HouseholdFilter,
  range: InstantRange,
): Promise<NoHouseholds | OpenHouseholds> {
  const { db, now } = context;
  const { simulation_org_id: orgId, history_from: since, stopped_at: stoppedAt } = fleet;
  const { count, endIndex } = await countMembers(context, fleet, filter);
  const span = count === 0 ? undefined : findCoveredSpan(since, range, stoppedAt ?? now);
  if (span === undefined) return { count, span, households: undefined };
  checkHouseholdDays(count, span);
  const prices = await loadHistoryPrices(db, orgId, since, now);
  // Households that an expansion adds meanwhile are not of this answer.
  const readPage = (from: number) =>
    readHouseholdPage(db, filter, {
      from,
      end: endIndex,
      limit: HOUSEHOLDS_PER_JOB,
      changes: CHANGES_PER_JOB,
    });
  return { count, span, households: { orgId, count, prices, readPage } };
}
