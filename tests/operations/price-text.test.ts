// Where the text of a form for prices is read, and which line an entry comes from.
import { expect, test } from 'vitest';
import { runJob } from '../../src/compute/jobs.ts';
import type { JobInput, JobName } from '../../src/compute/jobs.ts';
import type { Context } from '../../src/operations/context.ts';
import { readPriceLines } from '../../src/operations/price-text.ts';

/** A context with threads that count, and note whose jobs they do. */
function contextOf(jobs: string[]): Context {
  const run = (partnerId: string, name: JobName, input: JobInput<JobName>) => {
    jobs.push(`${name} of ${partnerId}`);
    return runJob({ name, input });
  };
  const compute = {
    run,
    inTurn: (partnerId: string, work: () => Promise<unknown>) => {
      jobs.push(`turn of ${partnerId}`);
      return work();
    },
  };
  return { compute, actor: { partnerId: 'p' } } as unknown as Context;
}

const line = '2031-01-01 00:00,1\n';

test.each([
  ['in the event loop, where it is short', 3_000, false, []],
  [
    'on a thread in the turn of the partner, where it is long',
    4_000,
    false,
    ['turn of p', 'readPriceText of p'],
  ],
  ['on a thread in the turn that its form has', 4_000, true, ['readPriceText of p']],
])('a text is read %s', async (_, lines, hasTurn, expected) => {
  const jobs: string[] = [];
  const { count } = await readPriceLines(contextOf(jobs), hasTurn, line.repeat(lines), 'UTC');
  expect([count, jobs]).toEqual([lines, expected]);
});

test.each([1, 5_000])(
  'each of %i entries has its line, and what is behind the last has none',
  async (entries) => {
    const rows = Array.from({ length: entries }, (_, n) => `2031-01-01 00:00;${n}`);
    const { lineOf, body } = await readPriceLines(
      contextOf([]),
      false,
      `\uFEFFtimestamp;price\n\n${rows.join('\n')}`,
      'UTC',
    );
    expect(rows.map((_, n) => lineOf(n))).toEqual(rows.map((text, n) => ({ text, number: n + 3 })));
    expect(lineOf(entries)).toBeUndefined();
    expect(lineOf(Number.NaN)).toBeUndefined();
    expect((JSON.parse(new TextDecoder().decode(body)) as { data: unknown[] }).data).toHaveLength(entries);
  },
);
