import { listUnreadQuarters } from '../domain/notifications/interruptions.ts';
import { unpackInterruptions } from '../domain/notifications/packed-interruptions.ts';
import { addHousehold } from '../simulation/model/add-household.ts';
import type { UnreadQuarters } from '../simulation/model/add-household.ts';
import { countPeriods, createPeriodSums } from '../simulation/model/period-sums.ts';
import type { PeriodSums } from '../simulation/model/period-sums.ts';
import { MILLI_WH_PER_W } from '../simulation/kernel/energy.ts';
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
export function sumHouseholds(question: HouseholdSumsQuestion): PeriodSums {
  const { span, quarters } = question;
  const sums = createPeriodSums(countPeriods(span, quarters));
  for (const add of listHouseholds(question)) add?.(sums);
  return sums;
}

/**
 * What each of them drew from the grid less what it fed in, in each period that the span touches: mean W, one household behind the
 * other, NaN where nobody knows. Throws a RangeError like sumHouseholds.
 */
export function listHouseholdPowers(question: HouseholdSumsQuestion): Float32Array {
  const { span, quarters } = question;
  const periods = countPeriods(span, quarters);
  const households = listHouseholds(question);
  const powers = new Float32Array(households.length * periods).fill(NaN);
  for (const [at, add] of households.entries()) {
    const own = createPeriodSums(periods);
    add?.(own);
    for (const [period, net] of own.least.entries())
      if (Number.isFinite(net)) powers[at * periods + period] = net / quarters / MILLI_WH_PER_W;
  }
  return powers;
}

/** For each of the households what adds it to sums; undefined for one that no model version computes. */
function listHouseholds({
  orgId,
  attributes,
  prices,
  controls,
  span,
  quarters,
  now,
}: HouseholdSumsQuestion): (((into: PeriodSums) => void) | undefined)[] {
  const steeringOf = steeringByPrices(prices, ({ index }) =>
    internControl(orgId, index, prices.partnerId, controls.get(index) ?? NOTHING_ASKED),
  );
  return (JSON.parse(attributes) as unknown[]).map((each) => {
    const row = { org_id: orgId, attributes: each };
    const modelled = findModelledHousehold(row, prices.partnerId, steeringOf);
    if (modelled === undefined) return undefined;
    const { interruptions } = controls.get(modelled.household.index) ?? NOTHING_ASKED;
    return (into) => addHousehold(into, modelled, span, quarters, listUnread(interruptions, now));
  });
}

function listUnread(interruptions: HouseholdInterruptions, now: Date): UnreadQuarters {
  return Object.fromEntries(
    Object.entries(interruptions).map(([type, each]) => [
      type,
      listUnreadQuarters(unpackInterruptions(each), now),
    ]),
  );
}
