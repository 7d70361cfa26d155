// What a job of sums takes of a thread, of households whose batteries forget nothing of a long past.
import { afterEach, expect, test, vi } from 'vitest';
import { DAY_MS } from '../../src/domain/api/durations.ts';
import { NO_PRICE_REVISIONS } from '../../src/domain/prices/price-revisions.ts';
import { toCheckpointRow } from '../../src/households/counters.ts';
import { listHouseholdPowers, sumHouseholds } from '../../src/households/household-sums.ts';
import type { HouseholdSumsQuestion } from '../../src/households/household-sums.ts';
import { UNSTEERED } from '../../src/simulation/control/steering.ts';
import { HouseDays } from '../../src/simulation/model/house-days.ts';
import { createHouseholdModel } from '../../src/simulation/model/model.ts';
import { first, households, SLOW_BATTERY } from '../simulation/fleet.ts';

afterEach(() => void vi.restoreAllMocks());

const ANCHOR_DAY = 20_000;
const DAY = ANCHOR_DAY + 400;
const FLEET = households(
  {
    count: 5,
    seed: 8,
    latitude: 48.2,
    longitude: 16.4,
    ...SLOW_BATTERY,
  },
  new Date(ANCHOR_DAY * DAY_MS),
);
const PLAIN = first(FLEET.filter(({ heat_pump: pump }) => pump === null));
const KNOWN = { own: NO_PRICE_REVISIONS, parent: NO_PRICE_REVISIONS };

/** A day of households that no other question knows, so that nothing of them is remembered. */
let orgs = 0;
function questionOf(more: Partial<HouseholdSumsQuestion> = {}): HouseholdSumsQuestion {
  const orgId = `org ${orgs++}`;
  return {
    orgId,
    attributes: JSON.stringify(FLEET),
    checkpoints: '[]',
    prices: { orgId, partnerId: 'p', version: '1', known: KNOWN },
    controls: new Map(),
    span: { first: DAY * 96, end: (DAY + 1) * 96 },
    quarters: 1,
    now: new Date((DAY + 2) * DAY_MS),
    ...more,
  };
}

/** A clock that goes on by so much each time it is looked at. */
function clockOf(stepMs: number): () => number {
  let nowMs = 5_000_000;
  return () => (nowMs += stepMs);
}

test.each([
  [0, 5],
  [200, 5],
  [201, 5],
  [250, 4],
  [999, 2],
  [1_000, 1],
  [40_000, 1],
])('where each household takes %i ms a job does %i of five, and is those', (stepMs, done) => {
  const some = questionOf({ attributes: JSON.stringify(FLEET.slice(0, done)) });
  const sums = sumHouseholds(questionOf(), clockOf(stepMs));
  expect(sums.done).toBe(done);
  expect(sums).toEqual(sumHouseholds(some, clockOf(0)));
  const powers = listHouseholdPowers(questionOf(), clockOf(stepMs));
  expect(powers).toHaveLength(done * 96);
  expect(powers).toEqual(listHouseholdPowers(some, clockOf(0)));
});

test.each([
  ['sums', sumHouseholds],
  ['powers', listHouseholdPowers],
])('%s look back to the checkpoint that is stored of a household, and are the same', (_, answer) => {
  const filled = vi.spyOn(HouseDays.prototype, 'surplusOn');
  const attributes = JSON.stringify([PLAIN]);
  const all = answer(questionOf({ attributes }));
  expect(filled.mock.calls.length).toBeGreaterThanOrEqual(400);
  const { counters } = createHouseholdModel(PLAIN, UNSTEERED);
  const checkpoint = toCheckpointRow(PLAIN, counters.checkpointAt(DAY - 3));
  const later = toCheckpointRow(PLAIN, counters.checkpointAt(DAY + 1));
  filled.mockClear();
  expect(answer(questionOf({ attributes, checkpoints: JSON.stringify([checkpoint]) }))).toEqual(all);
  expect(filled.mock.calls.length).toBeLessThanOrEqual(4);
  expect(answer(questionOf({ attributes, checkpoints: JSON.stringify([later]) }))).toEqual(all);
  expect(answer(questionOf({ attributes, checkpoints: '[null]' }))).toEqual(all);
});
