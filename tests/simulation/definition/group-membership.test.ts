import { expect, test } from 'vitest';
import fc from 'fast-check';
import {
  distributeExpansion,
  computeGroupShares,
  apportionByLargestRemainder,
  assignHouseholdsToGroups,
} from '../../../src/simulation/definition/group-membership.ts';
import { resolved } from '../fleet.ts';

const counts = (groups: { name: string; count?: number; percentage?: number }[], count?: number) =>
  resolved({ groups, ...(count === undefined ? {} : { count }) }).definition.groups.map(
    ({ name, households }) => [name, households] as const,
  );

test('largest remainder gives the odd seat to the largest fraction and ties to the earlier share', () => {
  expect(apportionByLargestRemainder([1, 1, 1], 10)).toEqual([4, 3, 3]);
  expect(apportionByLargestRemainder([1, 1, 1], 11)).toEqual([4, 4, 3]);
  expect(apportionByLargestRemainder([47, 16, 16, 12, 6, 3], 10)).toEqual([5, 2, 2, 1, 0, 0]);
  expect(apportionByLargestRemainder([0, 0], 5)).toEqual([0, 0]);
});

test('largest remainder gives each share its quota, rounded down or up, and no seat more', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(1e9), { minLength: 1, maxLength: 100 }), fc.nat(10_000), (shares, seats) => {
      const total = shares.reduce((a, b) => a + b, 0);
      fc.pre(total > 0);
      const given = apportionByLargestRemainder(shares, seats);
      expect(given.reduce((a, b) => a + b, 0)).toBe(seats);
      for (const [i, share] of shares.entries())
        expect(Math.abs((given[i] ?? 0) - (share * seats) / total)).toBeLessThan(1.0000001);
    }),
  );
});

test('counts, percentages and equal parts share a fleet', () => {
  expect(counts([])).toEqual([['default', 10]]);
  expect(counts([{ name: 'a' }, { name: 'b' }, { name: 'c' }])).toEqual([
    ['a', 4],
    ['b', 3],
    ['c', 3],
  ]);
  expect(counts([{ name: 'a', count: 3 }, { name: 'b', percentage: 25 }, { name: 'c' }], 20)).toEqual([
    ['a', 3],
    ['b', 5],
    ['c', 12],
  ]);
  expect(
    counts(
      [
        { name: 'a', percentage: 33.3 },
        { name: 'b', percentage: 33.3 },
        { name: 'c', percentage: 33.4 },
      ],
      10,
    ),
  ).toEqual([
    ['a', 3],
    ['b', 3],
    ['c', 4],
  ]);
});

test('what no group asks for is the default group', () => {
  expect(counts([{ name: 'a', percentage: 50 }], 10)).toEqual([
    ['a', 5],
    ['default', 5],
  ]);
  expect(counts([{ name: 'a', count: 2 }], 5)).toEqual([
    ['a', 2],
    ['default', 3],
  ]);
  expect(counts([{ name: 'a', count: 5 }], 5)).toEqual([['a', 5]]);
  // The rest of a thousandth is a household of a thousand, and none of a hundred.
  const thirds = ['a', 'b', 'c'].map((name) => ({ name, percentage: 33.3 }));
  expect(counts(thirds, 100).map(([, count]) => count)).toEqual([34, 33, 33]);
  expect(counts(thirds, 1_000)).toContainEqual(['default', 1]);
});

test('without a count the fleet is as large as its counted groups', () => {
  expect(
    counts([
      { name: 'a', count: 7 },
      { name: 'b', count: 30 },
    ]),
  ).toEqual([
    ['a', 7],
    ['b', 30],
  ]);
  expect(counts([{ name: 'a', count: 7 }, { name: 'b' }])).toEqual([
    ['a', 7],
    ['b', 3],
  ]);
});

test('expansion follows the shares on the new total', () => {
  expect(distributeExpansion([1, 1, 1], [4, 3, 3], 12)).toEqual([0, 1, 1]);
  expect(distributeExpansion([3, 1], [3, 1], 8)).toEqual([3, 1]);
});

test('expansion takes nothing away and adds exactly what was asked', () => {
  const shares = fc
    .array(fc.nat(1000), { minLength: 1, maxLength: 20 })
    .filter((list) => list.some((share) => share > 0));
  fc.assert(
    fc.property(
      shares,
      fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 6 }),
      (list, steps) => {
        let have = list.map(() => 0);
        let total = 0;
        for (const step of steps) {
          total += step;
          const added = distributeExpansion(list, have, total);
          expect(added.every((count) => count >= 0)).toBe(true);
          have = have.map((count, i) => count + (added[i] ?? 0));
          expect(have.reduce((a, b) => a + b, 0)).toBe(total);
        }
      },
    ),
  );
});

test('places are group after group, and expansions only append', () => {
  const { groups } = resolved({ count: 5, groups: [{ name: 'a', count: 2 }, { name: 'b' }] }).definition;
  const before = assignHouseholdsToGroups(groups);
  const after = assignHouseholdsToGroups(groups, [5, 3]);
  expect(before.map(({ groupIndex, member }) => [groupIndex, member])).toEqual([
    [0, 0],
    [0, 1],
    [1, 0],
    [1, 1],
    [1, 2],
  ]);
  expect(after.slice(0, 5)).toEqual(before);
  expect(after.map(({ index }) => index)).toEqual([...Array(13).keys()]);
});

test('quotas are exact: a hundred hundredths fill a fleet', () => {
  const hundredths = Array.from({ length: 100 }, () => ({ percentage: 1 }));
  expect(computeGroupShares(hundredths, 1000)).toEqual({
    shares: [...hundredths.map(() => 1e9), 0],
    exceeded: false,
  });
});
