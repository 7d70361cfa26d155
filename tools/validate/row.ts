/** A row of the validation: a figure of the simulator beside what was measured elsewhere. */
export interface Row {
  /** Number of the target, or a name for figures beside them. */
  readonly id: string;
  readonly figure: string;
  readonly truth: string;
  readonly source: string;
  readonly measured: string;
  readonly accept: string;
  readonly verdict: 'met' | 'MISSED' | 'shown';
}
