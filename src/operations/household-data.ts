import type { SummedPart } from '../compute/summed-table.ts';
import type { Handler } from '../contract/handlers.ts';
import { parseInstantRange } from '../domain/api/instant-range.ts';
import { findCoveredSpan } from '../households/covered-span.ts';
import { loadHistoryPrices } from '../households/history-prices.ts';
import { findStoredHousehold } from '../households/stored-households.ts';
import { toSummedMetadata } from '../presenters/summed-data.ts';
import { findHouseholdOfUser } from '../queries/fleets/household-pages.ts';
import type { HouseholdOfUser } from '../queries/fleets/household-pages.ts';
import type { Household } from '../simulation/household/household.ts';
import type { QuarterSpan } from '../simulation/control/revisions.ts';
import type { Context } from './context.ts';
import { RESOLUTIONS, streamPeriods } from './summed-data.ts';
import { toSummedTable } from './summed-tables.ts';
import { checkUserExists } from './users.ts';

/**
 * `GET …/users/{user_id}/data`: what a whole household did. 404 unless the caller may see the user; a user whom no fleet simulates
 * has none. 422 for a range that is none or too long.
 */
export const getHouseholdData: Handler<Context, 'getHouseholdData'> = async (
  context,
  { path, query, answerType },
) => {
  await checkUserExists(context, path);
  const { resolution = '15MIN' } = query;
  const range = parseInstantRange(['from', query.from], ['to', query.to], RESOLUTIONS[resolution].maxDays);
  const row = await findHouseholdOfUser(context.db, context.orgId, path.user_id);
  const { orgId, actor } = context;
  const household =
    row && findStoredHousehold({ org_id: orgId, attributes: row.attributes }, actor.partnerId);
  const span =
    household && findCoveredSpan(new Date(household.anchor_ms), range, row.stopped_at ?? context.now);
  const metadata = {
    user_id: path.user_id,
    time_zone: household?.time_zone ?? null,
    ...toSummedMetadata(resolution, span),
  };
  const parts = readParts(context, row, household, span, resolution);
  return {
    status: 200,
    body: await toSummedTable(context, { of: 'household', type: answerType, metadata }, parts),
  };
};

async function* readParts(
  context: Context,
  row: HouseholdOfUser | undefined,
  household: Household | undefined,
  span: QuarterSpan | undefined,
  resolution: keyof typeof RESOLUTIONS,
): AsyncGenerator<SummedPart> {
  if (row === undefined || household === undefined || span === undefined) return;
  const { db, orgId, now } = context;
  const page = {
    households: [
      {
        org_id: orgId,
        user_id: row.user_id,
        household_index: household.index,
        control_version: row.control_version,
        household_created_at: row.household_created_at,
        attributes: household,
      },
    ],
    attributes: JSON.stringify([row.attributes]),
    checkpoints: JSON.stringify([row.checkpoint]),
    isLast: true,
  };
  const households = {
    orgId,
    count: 1,
    prices: await loadHistoryPrices(db, orgId, new Date(household.anchor_ms), now),
    readPage: () => Promise.resolve(page),
  };
  yield* streamPeriods(context, households, span, resolution);
}
