import { expect, test } from 'vitest';
import { MODEL_VERSION } from '../../../src/simulation/household/household.ts';
import { SEEDS, fleetHash } from '../../../tools/validate/invariants.ts';

// What a released version computes never changes. When the equations do, MODEL_VERSION rises, and the new version's
// hashes are added beside.
const GOLDEN: Readonly<Record<number, readonly string[]>> = {
  2: [
    'b13f433143d2aa1bf4fcaf3726e3c8e9f82aba4627dcd4da53c72b1f5dbcc000',
    '26a4d16b315f8faf3720608eeeb712b79aa0b0ba6bbb7293038eb6bc4b5dde2e',
    'd7eda5a3e9480e48be855ab9639ba90028eeb004d5f7fb34b1e8c3640e0a96ab',
    '0fee6b4c970db7a97f35d7748e2f5d6c52200f1cfc1ded691ad4b127ae45fec6',
  ],
};

test('this version of the model computes what it always did, and each seed something else', () => {
  const hashes = SEEDS.map(fleetHash);
  expect(hashes).toEqual(GOLDEN[MODEL_VERSION]);
  expect(new Set(hashes).size).toBe(SEEDS.length);
});
