// Which parts the data of households are computed in, and what happens when their partner's share of the threads is in use.
import { expect, test } from 'vitest';
import { QUARTER_HOURS_PER_DAY } from '../../src/domain/api/durations.ts';
import { Problem } from '../../src/domain/api/problem.ts';
import type { Context } from '../../src/operations/context.ts';
import { HOUSEHOLDS_PER_JOB } from '../../src/operations/household-pages.ts';
import { checkHouseholdDays, streamPeriods } from '../../src/operations/summed-data.ts';
import type { SummedHouseholds } from '../../src/operations/summed-data.ts';
import { toSummedTable } from '../../src/operations/summed-tables.ts';
import type { HouseholdSumsQuestion } from '../../src/households/household-sums.ts';
import { NO_PRICE_REVISIONS } from '../../src/domain/prices/price-revisions.ts';
import { countPeriods, createPeriodSums } from '../../src/simulation/model/period-sums.ts';

const FIRST = 20_000 * QUARTER_HOURS_PER_DAY;
const PRICES = {
  orgId: 'o',
  partnerId: 'p',
  version: '0',
  known: { own: NO_PRICE_REVISIONS, parent: NO_PRICE_REVISIONS },
};

/** Household rows without anything drawn, as many as `count`. */
function householdsOf(count: number): SummedHouseholds {
  const readPage = (from: number): ReturnType<SummedHouseholds['readPage']> => {
    const length = Math.min(HOUSEHOLDS_PER_JOB, count - from);
    const households = Array.from({ length }, (_, i) => ({
      org_id: 'o',
      user_id: `user ${from + i}`,
      household_index: from + i,
      control_version: 0,
      household_created_at: new Date(0),
      attributes: { latitude: 48, longitude: 16 },
    }));
    const isLast = length < HOUSEHOLDS_PER_JOB;
    return Promise.resolve({ households, attributes: JSON.stringify(households), checkpoints: '[]', isLast });
  };
  return { orgId: 'o', count, prices: PRICES, readPage };
}

/**
 * A context whose threads answer sums of nothing, of so many households that are done in time; the turns whose numbers are in `refused`
 * are not given.
 */
function contextOf(refused: (turn: number) => boolean = () => false, inTime = HOUSEHOLDS_PER_JOB) {
  const jobs: HouseholdSumsQuestion[] = [];
  const names: string[] = [];
  let turns = 0;
  const compute = {
    inTurn: (_partner: string, work: () => Promise<unknown>) => {
      turns += 1;
      return refused(turns) ? Promise.reject(new Problem('overloaded', 'Its share is in use.')) : work();
    },
    run: (_partner: string, name: string, question: HouseholdSumsQuestion) => {
      names.push(name);
      if (name === 'writeSums')
        return Promise.resolve({ bytes: new Uint8Array(1), state: { hasRows: true } });
      jobs.push(question);
      const { length } = JSON.parse(question.attributes) as readonly unknown[];
      const sums = createPeriodSums(countPeriods(question.span, question.quarters));
      return Promise.resolve({ ...sums, done: Math.min(inTime, length) });
    },
  };
  const context = { compute, actor: { partnerId: 'p' } } as unknown as Context;
  return { context, jobs, names, turnsTaken: () => turns };
}

async function readAll(
  context: Context,
  count: number,
  days: number,
  resolution: '15MIN' | '1HOUR' | '1DAY' = '15MIN',
): Promise<number> {
  const span = { first: FIRST, end: FIRST + days * QUARTER_HOURS_PER_DAY };
  let periods = 0;
  for await (const part of streamPeriods(context, householdsOf(count), span, resolution))
    periods += countPeriods(part.span, part.quarters);
  return periods;
}

test('a job has 250 households and five days at most, a day first', async () => {
  const { context, jobs } = contextOf();
  expect(await readAll(context, 600, 31)).toBe(31 * 96);
  const sizes = jobs.map(({ attributes }) => (JSON.parse(attributes) as unknown[]).length);
  expect(new Set(sizes)).toEqual(new Set([250, 100]));
  const days = jobs.map(({ span }) => (span.end - span.first) / QUARTER_HOURS_PER_DAY);
  expect(days.filter((_, job) => job % 3 === 0)).toEqual([1, 5, 5, 5, 5, 5, 5]);
});

test.each([
  ['1HOUR', [1, 10, 10, 10]],
  ['1DAY', [1, 30]],
] as const)('at %s a job has more days', async (resolution, expected) => {
  const { context, jobs } = contextOf();
  await readAll(context, 1, 31, resolution);
  expect(jobs.map(({ span }) => (span.end - span.first) / QUARTER_HOURS_PER_DAY)).toEqual(expected);
});

test('a job that did not come to all of its households is followed by one with the next ones, in a turn of its own', async () => {
  const { context, jobs, turnsTaken } = contextOf(undefined, 120);
  expect(await readAll(context, 500, 1)).toBe(96);
  const firsts = jobs.map(
    ({ attributes }) =>
      (JSON.parse(attributes) as { readonly household_index: number }[])[0]?.household_index,
  );
  expect(firsts).toEqual([0, 120, 240, 360, 480]);
  expect(turnsTaken()).toBe(5);
});

test('each job takes a turn of its partner', async () => {
  const { context, jobs, turnsTaken } = contextOf();
  await readAll(context, 600, 11);
  expect([jobs.length, turnsTaken()]).toEqual([9, 9]);
});

test('an answer of which nothing is computed is refused with its first turn', async () => {
  const { context } = contextOf((turn) => turn === 1);
  await expect(readAll(context, 600, 11)).rejects.toMatchObject({ code: 'overloaded' });
});

test.each([
  ['an answer that has begun', 4],
  ['the first part, once some of it is computed,', 2],
])('%s gets back in line when a turn is not given, thirty times', async (_, first) => {
  const { context, jobs } = contextOf((turn) => turn >= first && turn < first + 30);
  expect(await readAll(context, 600, 2)).toBe(192);
  expect(jobs).toHaveLength(6);
  const { context: other } = contextOf((turn) => turn >= first && turn < first + 31);
  await expect(readAll(other, 600, 2)).rejects.toMatchObject({ code: 'overloaded' });
});

test('nothing more is computed for a reader who has left', async () => {
  const { context, jobs } = contextOf();
  const gone = new AbortController();
  const inTurns: Context = {
    ...context,
    whileWanted: async (wait) => {
      gone.signal.throwIfAborted();
      const result = await wait(gone.signal);
      if (jobs.length === 3) gone.abort(new Error('The reader has left.'));
      return result;
    },
  };
  await expect(readAll(inTurns, 600, 11)).rejects.toThrow('The reader has left.');
  expect(jobs).toHaveLength(3);
});

async function readTable(context: Context, households: number, days: number): Promise<number> {
  const span = { first: FIRST, end: FIRST + days * QUARTER_HOURS_PER_DAY };
  const table = { of: 'fleet', type: 'application/json', metadata: {} } as const;
  const parts = streamPeriods(context, householdsOf(households), span, '15MIN');
  const { parts: written } = await toSummedTable(context, table, parts);
  let count = 0;
  for await (const { length } of written) count += length;
  return count;
}

test('each part of a table is written by a thread, in a turn of its own', async () => {
  const { context, names, turnsTaken } = contextOf();
  expect(await readTable(context, 300, 2)).toBe(2);
  expect(names).toEqual(['sumHouseholds', 'sumHouseholds', 'writeSums', ...names.slice(0, 3)]);
  expect(turnsTaken()).toBe(6);
});

test.each([3, 6])('a table whose sums are there gets back in line to be written (turn %i)', async (first) => {
  const { context, turnsTaken } = contextOf((turn) => turn >= first && turn < first + 4);
  expect(await readTable(context, 300, 2)).toBe(2);
  expect(turnsTaken()).toBe(10);
});

test('so many households and days are one answer, and no more', () => {
  const days = (count: number) => ({ first: FIRST, end: FIRST + count * QUARTER_HOURS_PER_DAY });
  expect(() => checkHouseholdDays(1_000, days(366))).not.toThrow();
  expect(() => checkHouseholdDays(10_000, days(40))).not.toThrow();
  expect(() => checkHouseholdDays(10_000, days(41))).toThrow(
    expect.objectContaining({
      errors: [
        {
          parameter: 'to',
          in: 'query',
          code: 'range_too_long',
          detail:
            'Must be at most 40 days after from for 10000 households; ask for fewer days at a time, or for one group.',
        },
      ],
    }),
  );
});
