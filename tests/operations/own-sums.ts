import { onTestFinished, vi } from 'vitest';
import type { ComputePool } from '../../src/compute/pool.ts';
import { listHouseholdPowers, sumHouseholds } from '../../src/households/household-sums.ts';
import type { HouseholdSumsQuestion } from '../../src/households/household-sums.ts';

const SUMS = { sumHouseholds, listHouseholdPowers };

/**
 * Computes sums and powers of households in this thread until the test ends, as if each of them took so long. What is returned gets the
 * questions of all such jobs.
 */
export function computeSumsHere(compute: ComputePool, householdMs: number): HouseholdSumsQuestion[] {
  const questions: HouseholdSumsQuestion[] = [];
  const run = compute.run.bind(compute);
  onTestFinished(() => void vi.restoreAllMocks());
  vi.spyOn(compute, 'run').mockImplementation((partnerId, name, input) => {
    if (!(name in SUMS)) return run(partnerId, name, input);
    const question = input as HouseholdSumsQuestion;
    questions.push(question);
    let nowMs = 0;
    const answer = SUMS[name as keyof typeof SUMS](question, () => (nowMs += householdMs));
    return Promise.resolve(answer);
  });
  return questions;
}

/** The indexes of the households that a job was asked for. */
export function indexesOf({ attributes }: HouseholdSumsQuestion): number[] {
  return (JSON.parse(attributes) as { readonly index: number }[]).map(({ index }) => index);
}
