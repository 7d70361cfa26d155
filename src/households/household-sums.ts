import { listUnreadQuarters } from '../domain/notifications/interruptions.ts';
import { addHousehold } from '../simulation/model/add-household.ts';
import type { UnreadQuarters } from '../simulation/model/add-household.ts';
import { countPeriods, createPeriodSums } from '../simulation/model/period-sums.ts';
import type { PeriodSums } from '../simulation/model/period-sums.ts';
import type { QuarterSpan } from '../simulation/control/revisions.ts';
import { internControl, NOTHING_ASKED } from './household-controls.ts';
import type { HouseholdInterruptions } from './asked-control.ts';
import type { VersionedControl } from './household-controls.ts';
import { steeringByPrices } from './household-steering.ts';
import type { HistoryPrices } from './household-steering.ts';
import { findModelledHousehold } from './stored-households.ts';

/** Some households of a fleet over some periods; it can be copied to another thread. */
export interface HouseholdSumsQuestion {
  /** The simulation organization. */
  readonly orgId: string;
  /** What was drawn for the households, as it is stored: the JSON text of a list. */
  readonly attributes: string;
  readonly prices: HistoryPrices;
  /** What was asked of them, by their index; nothing of those that are not here. */
  readonly controls: ReadonlyMap<number, VersionedControl>;
  readonly span: QuarterSpan;
  /** Quarter hours in a period. */
  readonly quarters: number;
  readonly now: Date;
}

/** What they did together in each period that the span touches. Throws a RangeError for a household that is stored in a wrong shape. */
export function sumHouseholds({
  orgId,
  attributes,
  prices,
  controls,
  span,
  quarters,
  now,
}: HouseholdSumsQuestion): PeriodSums {
  const steeringOf = steeringByPrices(prices, ({ index }) =>
    internControl(orgId, index, prices.partnerId, controls.get(index) ?? NOTHING_ASKED),
  );
  const sums = createPeriodSums(countPeriods(span, quarters));
  for (const each of JSON.parse(attributes) as unknown[]) {
    const modelled = findModelledHousehold({ org_id: orgId, attributes: each }, steeringOf);
    if (modelled === undefined) continue;
    const { interruptions } = controls.get(modelled.household.index) ?? NOTHING_ASKED;
    addHousehold(sums, modelled, span, quarters, listUnread(interruptions, now));
  }
  return sums;
}

function listUnread(interruptions: HouseholdInterruptions, now: Date): UnreadQuarters {
  return Object.fromEntries(
    Object.entries(interruptions).map(([type, each]) => [type, listUnreadQuarters(each, now)]),
  );
}
