// Whose households a process remembers, with the days that their models have computed.
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { bytesOfModel } from '../../src/households/model-bytes.ts';
import { createHouseholdCache, findModelledHousehold } from '../../src/households/stored-households.ts';
import { UNSTEERED } from '../../src/simulation/control/steering.ts';
import { RESTLESS } from '../simulation/steered.ts';
import { heatedHouseholds } from '../simulation/house/houses.ts';
import { first, households } from '../simulation/fleet.ts';

const REMEMBERED_BYTES = 64 * 1_048_576;
const drawn = first(households({ count: 1 }));
/** As many as are remembered of all partners together. */
const REMEMBERED = Math.floor(REMEMBERED_BYTES / bytesOfModel(drawn, UNSTEERED));

/** Rows of a fleet of a partner, as they are read from the database. */
function rowsOf(count: number) {
  const orgId = randomUUID();
  return Array.from({ length: count }, (_, index) => ({ org_id: orgId, attributes: { ...drawn, index } }));
}

test('of all partners 64 MB of households are remembered, a thousand and more, those asked for last', () => {
  const [partner, cache] = [randomUUID(), createHouseholdCache()];
  const rows = rowsOf(2 * REMEMBERED);
  const modelOf = (row: (typeof rows)[number]) =>
    findModelledHousehold(row, partner, undefined, cache)?.model;
  const known = rows.map(modelOf);
  // From the newest on, so that none that is read anew takes the place of one that was not asked for yet.
  const newestFirst = rows.map((row, at) => ({ row, at })).toReversed();
  const remembered = newestFirst.filter(({ row, at }) => modelOf(row) === known[at]);
  expect(remembered.map(({ at }) => at)).toEqual(remembered.map((_, at) => rows.length - 1 - at));
  expect(remembered.length).toBe(REMEMBERED);
  expect(REMEMBERED).toBeGreaterThan(1_000);
});

test('of households with heat pumps that follow prices fewer are remembered: as many as take the same', () => {
  const [partner, orgId, cache] = [randomUUID(), randomUUID(), createHouseholdCache()];
  const heated = first(heatedHouseholds(48.2, 16.4));
  const most = Math.floor(REMEMBERED_BYTES / bytesOfModel(heated, RESTLESS));
  expect(most).toBeLessThan(REMEMBERED);
  const find = (index: number) =>
    findModelledHousehold({ org_id: orgId, attributes: { ...heated, index } }, partner, () => RESTLESS, cache)
      ?.model;
  const known = Array.from({ length: most + 1 }, (_, index) => find(index));
  for (let index = most; index > 0; index -= 1) expect(find(index)).toBe(known[index]);
  expect(find(0)).not.toBe(known[0]);
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

test('of a household the model under what steers it now is remembered, and none before', () => {
  const [partner, orgId] = [randomUUID(), randomUUID()];
  const heated = first(heatedHouseholds(48.2, 16.4));
  const find = (steering: typeof RESTLESS) =>
    findModelledHousehold({ org_id: orgId, attributes: heated }, partner, () => steering)?.model;
  const before = find(UNSTEERED);
  const now = find(RESTLESS);
  expect(find(RESTLESS)).toBe(now);
  expect(find(UNSTEERED)).not.toBe(before);
});
