/** A figure of the validation: what is measured in the simulator against what was measured in the world. */
export interface Row {
  /** Number of the target, with a letter where a target has several figures; no two rows have the same. */
  readonly id: string;
  readonly figure: string;
  readonly truth: string;
  readonly source: string;
  readonly measured: string;
  readonly accept: string;
  /** `shown`: nothing is asked of it, it stands beside others. */
  readonly verdict: 'met' | 'missed' | 'shown';
}

/** A row that is met when a number lies in a range, both ends included. */
export function rowWithin(
  known: Omit<Row, 'measured' | 'accept' | 'verdict'>,
  value: number,
  [from, to]: readonly [number, number],
  digits = 2,
): Row {
  const isMet = value >= from && value <= to;
  return {
    ...known,
    measured: value.toFixed(digits),
    accept: from === to ? String(from) : `${from} to ${to}`,
    verdict: isMet ? 'met' : 'missed',
  };
}
