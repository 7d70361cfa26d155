import { expect, test } from 'vitest';
import { MODEL_VERSION } from '../../../src/simulation/household/household.ts';
import { SEEDS, fleetHash } from '../../../tools/validate/invariants.ts';

// What a released version computes never changes. When the equations do, MODEL_VERSION rises, and the new version's
// hashes are added beside.
const GOLDEN: Readonly<Record<number, readonly string[]>> = {
  2: [
    '55b8cdc43a31e28c5b28bef2627f04b0e7688d189cb320d661bbdfedf44ff791',
    '95ebbeb8232c660decd3c39fde0526a925444f8bb9eb29ba9d5d8fd92dfd301c',
    'a388323b5849799fd2b4e89339a202a1b1d2773719e1710597b67b93a6a01544',
    '2a7c950bfaab17260d266d7af17d652a1469f5b76086238c85834ab660afa846',
  ],
};

test('this version of the model computes what it always did, and each seed something else', () => {
  const hashes = SEEDS.map(fleetHash);
  expect(hashes).toEqual(GOLDEN[MODEL_VERSION]);
  expect(new Set(hashes).size).toBe(SEEDS.length);
});
