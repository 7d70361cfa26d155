// A group of rows that are measured together, in a process of its own.
import type { Row, Samples } from './row.ts';

export interface Group {
  /** The part that it belongs to, and behind a slash which of its groups it is. */
  readonly name: string;
  /** Below `bench/`. Nothing else of the bench is imported where the group is measured. */
  readonly file: string;
  readonly rows: readonly Row[];
  readonly rounds: number;
  /** What the rows are measured beside, for the heading. */
  readonly about: string;
  readonly measure: Measure;
}

/**
 * Prepares, warms up and yields nothing; then yields the samples of a round each time that it is asked. It ends when it is told
 * to return, and then removes what it has made.
 */
export type Measure = (how: MeasureOptions) => AsyncGenerator<Samples, never>;

export interface MeasureOptions {
  /** The service alone: peers and limits are the same for both versions of a comparison. */
  readonly isCompared: boolean;
}
