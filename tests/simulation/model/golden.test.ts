import { expect, test } from 'vitest';
import { MODEL_VERSION } from '../../../src/simulation/household/household.ts';
import { SEEDS, fleetHash } from '../../../tools/fidelity/invariants.ts';

// What a released version computes never changes. When the equations do, MODEL_VERSION rises, and the new version's
// hashes are added beside.
const GOLDEN: Readonly<Record<number, readonly string[]>> = {
  1: [
    '35aa2a246413222cc7a101280d1b1c85a3e219ddb8d7799f19689e49fb5d1bbb',
    'fca948a676d0d96c0b826c55588aace3ad62edf9e5c4c938a202ed4cbef1c927',
    '4214ec38a56d3ddd48df65456ea3ff85baee9090b01705f7679ecb1f6090d62c',
    'b5d0043d0e2027aac9b1d1d07eabe0fc145e25e6d7e5f749f08291a2ebcd388d',
  ],
};

test('this version of the model computes what it always did, and each seed something else', () => {
  const hashes = SEEDS.map(fleetHash);
  expect(hashes).toEqual(GOLDEN[MODEL_VERSION]);
  expect(new Set(hashes).size).toBe(SEEDS.length);
});
