/** What holds attacks up, and how it is taken out of a copy of the source. */
export interface Bound {
  readonly name: string;
  /** The attacks that it holds up. */
  readonly attacks: readonly string[];
  readonly edits: readonly Edit[];
}

interface Edit {
  readonly file: string;
  /** Stands in the file once, or often where it is to be replaced everywhere. */
  readonly from: string;
  readonly to: string;
  readonly everywhere?: true;
}
