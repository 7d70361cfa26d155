// `make bench ARGS=memory`: memory that grows is told from memory that does not.
import { expect, test } from 'vitest';
import { join } from 'node:path';
import { describeGrowth, exitCodeOf, measureGrowth } from '../../bench/memory/growth.ts';
import { ROOT } from '../../bench/version.ts';
import { run } from '../process/partner.ts';

const samples = (inUse: (at: number) => number, resident: (at: number) => number) =>
  Array.from({ length: 60 }, (_, at) => ({ inUseMb: inUse(at), residentMb: resident(at) }));
const noise = (at: number): number => (at % 5) / 2;

test('memory that settles after the first minutes is flat', () => {
  const growth = measureGrowth(
    samples(
      (at) => (at < 10 ? 20 + at : 30) + noise(at),
      (at) => 150 + noise(at),
    ),
  );
  expect(exitCodeOf(growth)).toBe(0);
  expect(describeGrowth(growth)).toMatch(/\nflat$/);
});

test.each([
  ['in use', (at: number) => 30 + at / 5, () => 150],
  ['resident', () => 30, (at: number) => 150 + at],
])('memory %s that grows with the requests does not pass', (_what, inUse, resident) => {
  const growth = measureGrowth(
    samples(
      (at) => inUse(at) + noise(at),
      (at) => resident(at) + noise(at),
    ),
  );
  expect(exitCodeOf(growth)).toBe(1);
  expect(describeGrowth(growth)).toMatch(/\nGROWS$/);
});

test('too few samples tell nothing', () => {
  const growth = measureGrowth(
    samples(
      () => 30,
      () => 150,
    ).slice(0, 9),
  );
  expect(exitCodeOf(growth)).toBe(2);
  expect(describeGrowth(growth)).toContain('Too few samples');
});

test('arguments are checked before anything is started', async () => {
  const bench = (args: readonly string[]) =>
    run(process.execPath, [join(ROOT, 'bench/main.ts'), 'memory', ...args]);
  expect((await bench(['--minutes', '0'])).log).toContain('--minutes takes a number above 0: 0.');
  expect(await bench(['--help'])).toMatchObject({ code: 0, output: expect.stringContaining('--every') });
});
