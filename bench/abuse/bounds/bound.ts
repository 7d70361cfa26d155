/** What holds callers up, how it is taken out of a copy of the source, and which tests fail without it. */
export interface Bound {
  readonly name: string;
  /** The attacks of the bench that it holds up; none where the bench has no such attack. */
  readonly attacks: readonly string[];
  readonly edits: readonly Edit[];
  readonly proofs: readonly [Proof, ...Proof[]];
}

interface Edit {
  readonly file: string;
  /** Stands in the file once, or often where it is to be replaced everywhere. */
  readonly from: string;
  readonly to: string;
  readonly everywhere?: true;
}

/** A test that fails, in all of its cases that are meant, when its bound is taken out. */
export interface Proof {
  readonly file: string;
  /** A part of the test's title, as it stands in the file. */
  readonly test: string;
  /** A part of the titles of the cases that are meant; all cases where it is left out. */
  readonly only?: string;
  /** A part of what the failing test says, where that is no assertion and no end of its time. */
  readonly says?: string;
}
