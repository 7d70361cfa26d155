import { expect, test } from 'vitest';
import { MODEL_VERSION } from '../../../src/simulation/household/household.ts';
import { SEEDS, fleetHash } from '../../../tools/validate/invariants.ts';

// What a released version computes never changes. When the equations do, MODEL_VERSION rises, and the new version's
// hashes are added beside.
const GOLDEN: Readonly<Record<number, readonly string[]>> = {
  2: [
    'c46fc7880c929cfed32fbd6a54a26235342b21aa896314bca48b202c0adf152f',
    '86fdda0dd1991198168ebeeb15f51241157da547b9a490a9890396348164dc24',
    'b82d06e97da737a8988525059519a5274f0e0964e1365fe477563a5c88cdce79',
    '4b8cd8b9e7fe9e572aa6e90837810979c1ed3d60d59478e274b916bd2342450b',
  ],
};

test('this version of the model computes what it always did, and each seed something else', () => {
  const hashes = SEEDS.map(fleetHash);
  expect(hashes).toEqual(GOLDEN[MODEL_VERSION]);
  expect(new Set(hashes).size).toBe(SEEDS.length);
});
