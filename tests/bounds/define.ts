// How the bounds of this folder are written down: short, since there are many.
import type { Bound, Proof } from '../../bench/abuse/bounds/bound.ts';

type Edit = Bound['edits'][number];

/** A bound that no attack of the bench meets. */
export function bound(name: string, edits: readonly Edit[], ...proofs: Bound['proofs']): Bound {
  return { name, attacks: [], edits, proofs };
}

/** In the file the one text becomes the other. */
export function replace(file: string, from: string, to: string): Edit {
  return { file, from, to };
}

/** The tests of a file by a part of their title, and by a part of the titles of the cases that are meant. */
export function testsOf(file: string): (test: string, only?: string) => Proof {
  return (test, only) => (only === undefined ? { file, test } : { file, test, only });
}
