/** Several who sum the counters of one household at once, each up to another day, of which the others need nothing. */
import { afterEach, expect, test, vi } from 'vitest';
import { UNSTEERED } from '../../../src/simulation/control/steering.ts';
import { HouseDays } from '../../../src/simulation/model/house-days.ts';
import { createHouseholdModel } from '../../../src/simulation/model/model.ts';
import { first, households, SLOW_BATTERY } from '../fleet.ts';

afterEach(() => void vi.restoreAllMocks());

const ANCHOR_DAY = 18_000;
/** Its battery forgets nothing of what was before. */
const HOUSEHOLD = first(
  households(
    {
      count: 1,
      ...SLOW_BATTERY,
    },
    new Date(ANCHOR_DAY * 86_400_000),
  ),
);

test('none looks back for what it knew, though the others have pushed out what is remembered', () => {
  const targets = Array.from({ length: 8 }, (_, i) => ANCHOR_DAY + 150 * (i + 1));
  const { counters } = createHouseholdModel(HOUSEHOLD, UNSTEERED);
  // Milestones, from which each of them begins.
  counters.checkpointAt(targets[7] ?? NaN);
  const fill = vi.spyOn(HouseDays.prototype, 'fill');
  const open = new Map(targets.map((day) => [day, counters.startAdvancingTo(day)]));
  const days: number[] = [];
  while (open.size > 0) {
    for (const [day, walk] of open) {
      fill.mockClear();
      if (walk(1) !== undefined) open.delete(day);
      days.push(fill.mock.calls.length);
    }
  }
  expect(days.length).toBeGreaterThan(100);
  expect(Math.max(...days)).toBe(1);
});
