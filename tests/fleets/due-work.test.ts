import { expect, test } from 'vitest';
import { doEach, repeatPass } from '../../src/fleets/due-work.ts';
import type { DueWorkOptions, Pass } from '../../src/fleets/due-work.ts';
import { DatabaseTimeoutError } from '../../src/queries/connection/database-errors.ts';

const FLEETS = ['a', 'b', 'c', 'd', 'e'];
const late = new DatabaseTimeoutError('late');
const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED', syscall: 'connect' });

/** A pass in which some fleets fail; those that were tried, and what became of it. */
async function passOver(failures: Readonly<Record<string, Error>>): Promise<{ tried: string[]; pass: Pass }> {
  const tried: string[] = [];
  const options = { pause: () => Promise.resolve() } as unknown as DueWorkOptions;
  const pass = await doEach(
    options,
    FLEETS.map((orgId) => ({ orgId })),
    ({ orgId }) => {
      tried.push(orgId);
      const error = failures[orgId];
      return error === undefined ? Promise.resolve({ count: 1, dropped: 0 }) : Promise.reject(error);
    },
  );
  return { tried, pass };
}

test('fleets whose work takes too long keep none behind them waiting', async () => {
  const { tried, pass } = await passOver({ a: late, c: late, e: late });
  expect([tried, pass]).toEqual([FLEETS, { changed: ['b', 'd'], errors: [late, late, late] }]);
});

test('a database that hangs is waited for twice in a pass', async () => {
  const { tried, pass } = await passOver({ b: late, c: late, d: late, e: late });
  expect([tried, pass]).toEqual([['a', 'b', 'c'], { changed: ['a'], errors: [late, late] }]);
});

test('a database that is not there is asked no more', async () => {
  const { tried, pass } = await passOver({ b: refused });
  expect([tried, pass]).toEqual([['a', 'b'], { changed: ['a'], errors: [refused] }]);
});

test('the first error of a pass behind which more is done is told at once, and that of the last pass ends the work', async () => {
  const course: string[] = [];
  const passes: Pass[] = [
    { changed: ['a'], errors: [] },
    { changed: ['a'], errors: [late, refused] },
    { changed: ['a'], errors: [late] },
    { changed: [], errors: [refused] },
  ];
  const pass = (): Promise<Pass> => {
    course.push('pass');
    return Promise.resolve(passes.shift() ?? { changed: [], errors: [] });
  };
  const work = repeatPass({
    pass,
    isStopping: () => false,
    tell: () => undefined,
    onError: ({ message }) => course.push(message),
  });
  await expect(work).rejects.toBe(refused);
  expect(course).toEqual(['pass', 'pass', 'late', 'pass', 'pass']);
});
