/** A figure of the simulator beside its truth, as the validation page shows it. */
export interface Row {
  /** Number of the target (docs/validation.md) and a letter for each of its figures. */
  readonly id: string;
  readonly figure: string;
  readonly truth: string;
  readonly source: string;
  readonly measured: string;
  readonly accept: string;
  readonly verdict: 'met' | 'missed';
}
