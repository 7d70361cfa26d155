import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Household } from '../../../src/simulation/household/household.ts';
import { ARCHETYPES } from '../../../src/simulation/household/profiles.ts';
import {
  BLOCKS,
  blockOf,
  BLOCK_STARTS,
  occupancyPercents,
} from '../../../src/simulation/people/occupancy.ts';
import { Whereabouts } from '../../../src/simulation/people/whereabouts.ts';
import { first, households } from '../fleet.ts';

const FIRST_DAY = Date.UTC(2025, 0, 1) / 86_400_000;
const DAYS = 365;
const base = first(households({ count: 1 }));
const fleet: readonly Household[] = Array.from({ length: 400 }, (_, index) => ({
  ...base,
  index,
  country: 'DE',
}));

test('days of absence a year differ by household: none at all is rare, three weeks too', () => {
  const away = fleet.map((household) => {
    const whereabouts = new Whereabouts(household);
    return Array.from({ length: DAYS }, (_, day) => whereabouts.isAway(FIRST_DAY + day)).filter(Boolean)
      .length;
  });
  const sorted = away.sort((a, b) => a - b);
  expect(sorted[200]).toBeGreaterThanOrEqual(6);
  expect(sorted[200]).toBeLessThanOrEqual(12);
  expect(sorted[399]).toBeLessThanOrEqual(30);
});

test('people are away as often as the probability says, in the north most in July, in the south in January', () => {
  for (const [latitude, month] of [
    [50, 6],
    [-35, 0],
  ] as const) {
    const from = Date.UTC(2025, month, 1) / 86_400_000;
    let [days, expected, summer] = [0, 0, 0];
    for (const household of fleet) {
      const whereabouts = new Whereabouts({ ...household, latitude });
      for (let day = 0; day < DAYS; day++) {
        const isAway = whereabouts.isAway(FIRST_DAY + day) ? 1 : 0;
        days += isAway;
        if (FIRST_DAY + day >= from && FIRST_DAY + day < from + 31) summer += isAway;
        expected += whereabouts.probabilityAway(FIRST_DAY + day);
      }
    }
    expect(days / expected).toBeGreaterThan(0.95);
    expect(days / expected).toBeLessThan(1.05);
    expect(summer / days).toBeGreaterThan(0.13);
  }
});

test('somebody is at home in a block as often as the archetype says', () => {
  for (const { name } of ARCHETYPES) {
    const counts = new Array<number>(BLOCKS).fill(0);
    const expected = new Array<number>(BLOCKS).fill(0);
    for (const household of fleet.slice(0, 40)) {
      const whereabouts = new Whereabouts({ ...household, profile: name });
      for (let day = FIRST_DAY; day < FIRST_DAY + 100; day++) {
        const blocks = whereabouts.blocksAtHome(day);
        for (let block = 0; block < BLOCKS; block++) {
          counts[block] = (counts[block] ?? 0) + ((blocks >> block) & 1) / 4000;
          expected[block] = (expected[block] ?? 0) + whereabouts.probabilityAtHome(day, block) / 4000;
        }
      }
    }
    for (const [block, share] of expected.entries())
      expect(Math.abs((counts[block] ?? 0) - share)).toBeLessThan(0.03);
  }
});

test('those who work elsewhere are out on working days', () => {
  const midday = blockOf(4 * 10);
  expect(occupancyPercents('single_working', 'workday')[midday]).toBeLessThan(60);
  expect(occupancyPercents('single_retired', 'workday')[midday]).toBeGreaterThan(70);
  expect(occupancyPercents('single_working', 'sunday')[midday]).toBeGreaterThan(70);
  expect(
    Array.from({ length: 96 }, (_, quarter) => blockOf(quarter)).filter(
      (block, i) => i < (BLOCK_STARTS[block] ?? 0),
    ),
  ).toEqual([]);
});

test('whereabouts do not depend on what was asked before', () => {
  const household = fleet[7] ?? base;
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: FIRST_DAY - 4000, max: FIRST_DAY + 4000 }), { maxLength: 30 }),
      (days) => {
        const used = new Whereabouts(household);
        for (const day of days) {
          const alone = new Whereabouts(household);
          expect([used.isAway(day), used.blocksAtHome(day), used.probabilityAway(day)]).toEqual([
            alone.isAway(day),
            alone.blocksAtHome(day),
            alone.probabilityAway(day),
          ]);
          if (used.isAway(day)) expect(used.blocksAtHome(day)).toBe(0);
        }
      },
    ),
  );
});
