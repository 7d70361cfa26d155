// A bound is taken out of a copy of the source, and its tests are run there: they have to fail, and to say why.
import type { Bound, Proof } from '../../bench/abuse/bounds/bound.ts';
import { takeOut } from '../../bench/abuse/unbounded.ts';
import { means, runTests } from './run-tests.ts';
import type { RunOptions, TestRun } from './run-tests.ts';

/**
 * `red`: every case of the test fails by an assertion, or waits in vain. `green`: one of them does not notice that the bound is gone.
 * `broken`: it fails for another reason, which proves nothing. `absent`: there is no such test. `stale`: the bound is not found
 * in the source.
 */
export type Verdict = 'red' | 'green' | 'broken' | 'absent' | 'stale';

/** What became of one test of a bound. */
export interface Outcome {
  readonly bound: string;
  readonly proof: Proof;
  readonly verdict: Verdict;
  /** Of the cases of the test those that failed. */
  readonly failed: number;
  readonly cases: number;
  /** What the first case that failed says, or the first that did not: its title. */
  readonly says: string;
  /** Of the whole trial. */
  readonly seconds: number;
}

/**
 * What a test says that noticed something: an assertion, a property that does not hold, the end of its time, a request that we take and
 * a validator that others wrote does not, an answer that the document does not allow.
 */
const NOTICED =
  /^AssertionError|^Error: Property failed|^TestTimeoutError|^Error: promise (resolved|rejected)|^Error: \w+: (we take what |body of status )/;

/** Takes the bound out, runs its tests, and puts it back. */
export async function tryBound(bound: Bound, options: RunOptions): Promise<readonly Outcome[]> {
  const { name, edits, proofs } = bound;
  const startedAt = performance.now();
  let putBack: () => void;
  try {
    putBack = takeOut(options.folder, edits);
  } catch (error) {
    return failAll(bound, 'stale', error, 0);
  }
  try {
    const run = await runTests(proofs, options);
    const seconds = (performance.now() - startedAt) / 1000;
    return proofs.map((proof) => ({ bound: name, proof, ...rateRun(proof, run), seconds }));
  } catch (error) {
    // The runner itself came to grief, or did not end.
    return failAll(bound, 'broken', error, (performance.now() - startedAt) / 1000);
  } finally {
    putBack();
  }
}

function failAll(
  { name, proofs }: Bound,
  verdict: Verdict,
  error: unknown,
  seconds: number,
): readonly Outcome[] {
  const [says = ''] = (error as Error).message.split('\n');
  return proofs.map((proof) => ({ bound: name, proof, verdict, failed: 0, cases: 0, says, seconds }));
}

/** The proofs whose tests fail, or are not there, although nothing was taken out: without this a failure proves nothing. */
export async function findUnsound(
  proofs: readonly Proof[],
  options: RunOptions,
): Promise<ReadonlyMap<Proof, string>> {
  const run = await runTests(proofs, options);
  const unsound = new Map<Proof, string>();
  for (const proof of proofs) {
    const cases = run.cases.filter((each) => means(proof, each));
    const failed = cases.find(({ isPassed }) => !isPassed);
    const broken = run.brokenFiles.get(proof.file);
    if (failed !== undefined) unsound.set(proof, failed.says);
    else if (broken !== undefined) unsound.set(proof, broken);
    else if (cases.length === 0) unsound.set(proof, 'There is no such test.');
  }
  return unsound;
}

function rateRun(proof: Proof, run: TestRun): Pick<Outcome, 'verdict' | 'failed' | 'cases' | 'says'> {
  const cases = run.cases.filter((each) => means(proof, each));
  const failed = cases.filter(({ isPassed }) => !isPassed);
  const counts = { failed: failed.length, cases: cases.length };
  const brokenFile = run.brokenFiles.get(proof.file);
  if (brokenFile !== undefined) return { verdict: 'broken', ...counts, says: brokenFile };
  if (cases.length === 0) return { verdict: 'absent', ...counts, says: 'There is no such test.' };
  const passed = cases.find(({ isPassed }) => isPassed);
  if (passed !== undefined) return { verdict: 'green', ...counts, says: passed.title };
  const strange = failed.find(({ says }) => !isExpected(proof, says));
  return strange === undefined
    ? { verdict: 'red', ...counts, says: failed[0]?.says ?? '' }
    : { verdict: 'broken', ...counts, says: strange.says };
}

function isExpected({ says }: Proof, said: string): boolean {
  return NOTICED.test(said) || (says !== undefined && said.includes(says));
}
