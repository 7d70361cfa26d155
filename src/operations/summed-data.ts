// What households did together, of a fleet or of a user: computed on a thread in small jobs, streamed in order of time.
import { QUARTER_HOURS_PER_DAY } from '../domain/api/durations.ts';
import { Problem, validationProblem } from '../domain/api/problem.ts';
import { loadControls } from '../households/household-controls.ts';
import type { SummedPart } from '../compute/summed-table.ts';
import type { HistoryPrices } from '../households/household-steering.ts';
import type { HouseholdSums } from '../households/household-sums.ts';
import type { HouseholdPage } from '../queries/fleets/household-pages.ts';
import type { QuarterSpan } from '../simulation/control/revisions.ts';
import { countPeriods, createPeriodSums, mergePeriodSums } from '../simulation/model/period-sums.ts';
import type { PeriodSums } from '../simulation/model/period-sums.ts';
import type { Context } from './context.ts';
import { runHeavyJob, workInNextTurn } from './heavy-jobs.ts';
import { listHouseholdPages, takeFirst } from './household-pages.ts';

/** How long a period is, how many days an answer holds at most, some 3,000 periods, and how many are computed at once. */
export const RESOLUTIONS = {
  '15MIN': { quarters: 1, maxDays: 31, daysAtOnce: 5 },
  '1HOUR': { quarters: 4, maxDays: 92, daysAtOnce: 10 },
  '1DAY': { quarters: QUARTER_HOURS_PER_DAY, maxDays: 366, daysAtOnce: 31 },
} as const;

/** Household-days of an answer: a year of a thousand households, a month of ten thousand; some 20 s of one core. */
const MAX_HOUSEHOLD_DAYS = 400_000;

/** Households in pages by index, read again for each part of the answer, so that no answer holds all of them. */
export interface SummedHouseholds {
  /** The simulation organization. */
  readonly orgId: string;
  readonly count: number;
  readonly prices: HistoryPrices;
  readonly readPage: (from: number) => Promise<HouseholdPage>;
}

/**
 * Households were removed while an answer about all of them was being made. One that has begun cannot be completed: its connection
 * breaks, instead of going on with the sums of fewer.
 */
export class HouseholdsRemovedError extends Problem {
  constructor() {
    super('overloaded', 'Households were removed while their sums were being read. Ask again.', {
      headers: { 'Retry-After': '1' },
    });
  }
}

/**
 * 422 range_too_long when so many households and days would be too much for one answer.
 * @throws Problem validation_failed.
 */
export function checkHouseholdDays(count: number, { first, end }: QuarterSpan): void {
  const days = (end - first) / QUARTER_HOURS_PER_DAY;
  if (count * days <= MAX_HOUSEHOLD_DAYS) return;
  const most = Math.floor(MAX_HOUSEHOLD_DAYS / count);
  const detail = `Must be at most ${most} days after from for ${count} households; ask for fewer days at a time, or for one group.`;
  throw validationProblem([{ parameter: 'to', in: 'query', code: 'range_too_long', detail }]);
}

/**
 * The sums of a span in order, part by part: a day first, so that the answer begins soon.
 * @throws HouseholdsRemovedError when there are fewer households than at the beginning.
 */
export async function* streamPeriods(
  context: Context,
  households: SummedHouseholds,
  span: QuarterSpan,
  resolution: keyof typeof RESOLUTIONS,
): AsyncGenerator<SummedPart> {
  const { quarters, daysAtOnce } = RESOLUTIONS[resolution];
  const userIds = new Map<number, string>();
  let days = 1;
  for (let first = span.first; first < span.end;) {
    const end = Math.min(
      span.end,
      (Math.floor(first / QUARTER_HOURS_PER_DAY) + days) * QUARTER_HOURS_PER_DAY,
    );
    const part = { first, end };
    const sums = createPeriodSums(countPeriods(part, quarters));
    let read = 0;
    const sumPage = async (from: number) => {
      const page = await households.readPage(from);
      if (page.households.length === 0) return { ...page, pageSums: undefined };
      const pageSums = await sumHouseholds(context, households, page, part, quarters);
      return { ...takeFirst(page, pageSums.done), pageSums };
    };
    // Each page is read and computed in a turn of its own, so that other requests of the partner come between.
    const pages = listHouseholdPages((from) => {
      const hasBegun = first > span.first || from > 0;
      return workInNextTurn(context, hasBegun, () => sumPage(from));
    });
    for await (const page of pages) {
      if (page.pageSums !== undefined) mergePeriodSums(sums, page.pageSums);
      for (const each of page.households) userIds.set(each.household_index, each.user_id);
      read += page.households.length;
    }
    if (read < households.count) throw new HouseholdsRemovedError();
    yield { sums, span: part, quarters, userIds: pickRanked(userIds, sums), isLast: end === span.end };
    first = end;
    days = daysAtOnce;
  }
}

/** What the first households of a page did, in the turn of their partner. */
async function sumHouseholds(
  context: Context,
  { orgId, prices }: SummedHouseholds,
  { households, attributes, checkpoints }: HouseholdPage,
  span: QuarterSpan,
  quarters: number,
): Promise<HouseholdSums> {
  const controls = await loadControls(context.db, prices.partnerId, households);
  const input = { orgId, attributes, checkpoints, prices, controls, span, quarters, now: context.now };
  return runHeavyJob(context, true, 'sumHouseholds', input);
}

/** The users of the households that drew least and most in some period. */
function pickRanked(userIds: ReadonlyMap<number, string>, sums: PeriodSums): Map<number, string> {
  const ranked = new Map<number, string>();
  for (const index of [...sums.leastIndex, ...sums.mostIndex]) {
    const userId = userIds.get(index);
    if (userId !== undefined) ranked.set(index, userId);
  }
  return ranked;
}

/** Those of no households. */
export async function* noParts(): AsyncGenerator<never> {
  yield* [];
}
