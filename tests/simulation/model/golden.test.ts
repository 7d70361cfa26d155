import { expect, test } from 'vitest';
import { MODEL_VERSION } from '../../../src/simulation/household/household.ts';
import { SEEDS, fleetHash } from '../../../tools/validate/invariants.ts';

// What a released version computes never changes. When the equations do, MODEL_VERSION rises, and the new version's
// hashes are added beside.
const GOLDEN: Readonly<Record<number, readonly string[]>> = {
  2: [
    'c8e242b7aeb0618b033f65293c3e8a6581143be8d953cf6411a2e54bf3418871',
    '9d5d1ca968e02ef1babe4d5c23df227afc4358e81c219a3483eeedfbb76e4d94',
    '9b3e60b9c16cf945a94590669ade28f99603ab092b43f9fb8e92f7e0c7f0f2ae',
    '24b29995fc7b0902676dd77cee214765082df14373b24148a1717e332bcfa9ac',
  ],
};

test('this version of the model computes what it always did, and each seed something else', () => {
  const hashes = SEEDS.map(fleetHash);
  expect(hashes).toEqual(GOLDEN[MODEL_VERSION]);
  expect(new Set(hashes).size).toBe(SEEDS.length);
});
