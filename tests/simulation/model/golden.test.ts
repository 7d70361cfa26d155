import { expect, test } from 'vitest';
import { MODEL_VERSION } from '../../../src/simulation/household/household.ts';
import { SEEDS, fleetHash } from '../../../tools/validate/invariants.ts';

// What a released version computes never changes. When the equations do, MODEL_VERSION rises, and the new version's
// hashes are added beside.
const GOLDEN: Readonly<Record<number, readonly string[]>> = {
  2: [
    'a3ef3ba45bc8f06dbcfccd7cfa2c3af8e90df529a46cf1e95dd035b979384526',
    'f245e17ddc05fbd32aba79fb93ee7fcf0c221270d373aafc398ac3f1d2b0da72',
    '89a3098f928cd8af83911ba4e31ab5f98f21df58ccf7c8ef1f8b434bfd2719be',
    '1c11fa5e72d0f9a518467d891f3899d39ea8aeed35032c3c38389a00a0388107',
  ],
};

test('this version of the model computes what it always did, and each seed something else', () => {
  const hashes = SEEDS.map(fleetHash);
  expect(hashes).toEqual(GOLDEN[MODEL_VERSION]);
  expect(new Set(hashes).size).toBe(SEEDS.length);
});
