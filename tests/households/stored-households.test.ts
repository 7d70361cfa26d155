// Whose households a process remembers, with the days that their models have computed.
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { findModelledHousehold } from '../../src/households/stored-households.ts';
import { first, households } from '../simulation/fleet.ts';

/** As many as are remembered of all partners together. */
const REMEMBERED = 1_000;
const drawn = first(households({ count: 1 }));

/** Rows of a fleet of a partner, as they are read from the database. */
function rowsOf(count: number) {
  const orgId = randomUUID();
  return Array.from({ length: count }, (_, index) => ({ org_id: orgId, attributes: { ...drawn, index } }));
}

test('of all partners a thousand households are remembered, those asked for last', () => {
  const partner = randomUUID();
  const rows = rowsOf(2 * REMEMBERED);
  const modelOf = (row: (typeof rows)[number]) => findModelledHousehold(row, partner)?.model;
  const known = rows.map(modelOf);
  // From the newest on, so that none that is read anew takes the place of one that was not asked for yet.
  const newestFirst = rows.map((row, at) => ({ row, at })).toReversed();
  const remembered = newestFirst.filter(({ row, at }) => modelOf(row) === known[at]);
  expect(remembered.map(({ at }) => at)).toEqual(remembered.map((_, at) => rows.length - 1 - at));
  expect(remembered.length).toBeGreaterThan(0);
  expect(remembered.length).toBeLessThanOrEqual(REMEMBERED);
});

test('who pages through a large fleet keeps the households of another partner, and their models', () => {
  const [one, other] = [randomUUID(), randomUUID()];
  const rows = rowsOf(2);
  const find = () => rows.map((row) => findModelledHousehold(row, other)?.model);
  const before = find();
  for (const row of rowsOf(2 * REMEMBERED)) findModelledHousehold(row, one);
  const after = find();
  expect(after.every((model, at) => model !== undefined && model === before[at])).toBe(true);
});
