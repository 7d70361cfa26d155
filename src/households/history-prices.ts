import type { Db } from '../queries/connection/database.ts';
import { findPriceSources } from '../queries/prices/price-revisions.ts';
import type { PriceSource } from '../queries/prices/price-revisions.ts';
import type { Steering } from '../simulation/control/steering.ts';
import type { Household } from '../simulation/household/household.ts';
import { controlOfHousehold, loadControls } from './household-controls.ts';
import type { ControlledRow } from './household-controls.ts';
import { findHistoryRevisions, NO_HISTORY_REVISIONS } from './history-revisions.ts';
import { steeringByPrices } from './household-steering.ts';
import type { HistoryPrices } from './household-steering.ts';
import { HOUR_MS } from '../domain/api/durations.ts';

/**
 * Prices that the first day of a history depends on: a plan is one of a local day, which has up to 25 hours, and a price is
 * valid for some time behind its beginning. Three days and an hour more than cover these.
 */
const PRICES_BEFORE_HISTORY_MS = 76 * HOUR_MS;

/**
 * The prices that the heat pumps of a simulation organization have followed since `since`, the start of its history, up to
 * `now`.
 */
export async function loadHistoryPrices(
  db: Db,
  orgId: string,
  since: Date,
  now: Date,
): Promise<HistoryPrices> {
  const { own, parent } = await findPriceSources(db, orgId);
  const partnerId = parent?.orgId ?? orgId;
  const fromMs = since.getTime() - PRICES_BEFORE_HISTORY_MS;
  const find = (source: PriceSource) => findHistoryRevisions(db, { source, partnerId, fromMs, now });
  const ofOwn = await find(own);
  const ofParent = parent === null ? NO_HISTORY_REVISIONS : await find(parent);
  return {
    orgId,
    partnerId,
    version: `${ofOwn.version} ${ofParent.version}`,
    known: { own: ofOwn.revisions, parent: ofParent.revisions },
  };
}

/**
 * What has steered the households of some rows of a simulation organization since `since`, the start of its history, up to
 * `now`. The same prices and controls give the same object again, on which the states that are remembered depend.
 */
export async function loadSteering(
  db: Db,
  { orgId, since, now }: { readonly orgId: string; readonly since: Date; readonly now: Date },
  rows: readonly ControlledRow[],
): Promise<(household: Household) => Steering> {
  const prices = await loadHistoryPrices(db, orgId, since, now);
  const controls = await loadControls(db, prices.partnerId, rows);
  return steeringByPrices(prices, controlOfHousehold(controls));
}
