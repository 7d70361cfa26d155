import { listUnreadQuarters } from '../domain/notifications/interruptions.ts';
import { unpackInterruptions } from '../domain/notifications/packed-interruptions.ts';
import type { StoredCheckpoint } from '../queries/fleets/checkpoints.ts';
import { addHousehold } from '../simulation/model/add-household.ts';
import type { UnreadQuarters } from '../simulation/model/add-household.ts';
import { countPeriods, createPeriodSums } from '../simulation/model/period-sums.ts';
import type { PeriodSums } from '../simulation/model/period-sums.ts';
import { MILLI_WH_PER_W } from '../simulation/kernel/energy.ts';
import type { QuarterSpan } from '../simulation/control/revisions.ts';
import { fromCheckpointRow } from './counters.ts';
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
  /** The latest checkpoint that is stored of each of them in the same order, or null: the JSON text of a list. */
  readonly checkpoints: string;
  readonly prices: HistoryPrices;
  /** What was asked of them, by their index; nothing of those that are not here. */
  readonly controls: ReadonlyMap<number, VersionedControl>;
  readonly span: QuarterSpan;
  /** Quarter hours in a period. */
  readonly quarters: number;
  readonly now: Date;
}

/** What the first of them did together in each period that the span touches. */
export interface HouseholdSums extends PeriodSums {
  /** How many these are: one at least, and all unless time was over. */
  readonly done: number;
}

/**
 * After so much time a job begins no other household, since others wait for its thread. A battery that is slow for its capacity takes
 * 0.2 to 1.5 s where its past goes back to 1970 and no checkpoint of it is stored before the span.
 */
const JOB_MS = 1_000;

/** Milliseconds of a monotonic clock. */
type ElapsedMs = () => number;
const elapsedInProcessMs: ElapsedMs = () => performance.now();

/** Sums up households until time is over. Throws a RangeError for a household that is stored in a wrong shape. */
export function sumHouseholds(
  question: HouseholdSumsQuestion,
  elapsedMs: ElapsedMs = elapsedInProcessMs,
): HouseholdSums {
  const sums = createPeriodSums(countPeriods(question.span, question.quarters));
  const done = doInTime(listHouseholds(question), elapsedMs, (add) => add?.(sums));
  return { ...sums, done };
}

/**
 * What each of them drew from the grid less what it fed in, in each period that the span touches: mean W, one household behind the
 * other, NaN where nobody knows; of those that were done until time was over, one at least. Throws a RangeError like sumHouseholds.
 */
export function listHouseholdPowers(
  question: HouseholdSumsQuestion,
  elapsedMs: ElapsedMs = elapsedInProcessMs,
): Float32Array {
  const { span, quarters } = question;
  const periods = countPeriods(span, quarters);
  const households = listHouseholds(question);
  const powers = new Float32Array(households.length * periods).fill(NaN);
  const done = doInTime(households, elapsedMs, (add, at) => {
    const own = createPeriodSums(periods);
    add?.(own);
    for (const [period, net] of own.least.entries())
      if (Number.isFinite(net)) powers[at * periods + period] = net / quarters / MILLI_WH_PER_W;
  });
  return done === households.length ? powers : powers.slice(0, done * periods);
}

/** Does households, the first in any case, until time is over. Returns how many. */
function doInTime<Household>(
  households: readonly Household[],
  elapsedMs: ElapsedMs,
  work: (household: Household, at: number) => void,
): number {
  const endMs = elapsedMs() + JOB_MS;
  for (const [at, household] of households.entries()) {
    work(household, at);
    if (elapsedMs() >= endMs) return at + 1;
  }
  return households.length;
}

/** For each of the households what adds it to sums; undefined for one that no model version computes. */
function listHouseholds({
  orgId,
  attributes,
  checkpoints,
  prices,
  controls,
  span,
  quarters,
  now,
}: HouseholdSumsQuestion): (((into: PeriodSums) => void) | undefined)[] {
  const steeringOf = steeringByPrices(prices, ({ index }) =>
    internControl(orgId, index, prices.partnerId, controls.get(index) ?? NOTHING_ASKED),
  );
  const stored = JSON.parse(checkpoints) as readonly (StoredCheckpoint | null)[];
  return (JSON.parse(attributes) as unknown[]).map((each, at) => {
    const row = { org_id: orgId, attributes: each };
    const modelled = findModelledHousehold(row, prices.partnerId, steeringOf);
    if (modelled === undefined) return undefined;
    const checkpoint = stored[at] ?? null;
    if (checkpoint !== null) modelled.model.counters.restore(fromCheckpointRow(checkpoint));
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
