import { expect, test } from 'vitest';
import { MODEL_VERSION } from '../../../src/simulation/household/household.ts';
import { SEEDS, fleetHash } from '../../../tools/validate/invariants.ts';

// What a released version computes never changes. When the equations do, MODEL_VERSION rises, and the new version's
// hashes are added beside.
const GOLDEN: Readonly<Record<number, readonly string[]>> = {
  2: [
    '611e95af2a8d8038493ac4b71d7a8d14c829823040a76d81915a7fcfe7b42743',
    '45445e061686b25a8536b7b12371e973eadf5a216a168d48ae407dfe47bda124',
    'd7eda5a3e9480e48be855ab9639ba90028eeb004d5f7fb34b1e8c3640e0a96ab',
    'e070d9cf49cf4d66862ae36b82b24db1338bc09e98e48d8ff2aafe408945a032',
  ],
};

test('this version of the model computes what it always did, and each seed something else', () => {
  const hashes = SEEDS.map(fleetHash);
  expect(hashes).toEqual(GOLDEN[MODEL_VERSION]);
  expect(new Set(hashes).size).toBe(SEEDS.length);
});
