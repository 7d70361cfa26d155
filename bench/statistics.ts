// What the figures of several rounds say together.

/** The value in the middle; the mean of both where there are two. NaN without values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const [below, above] = [sorted[Math.floor(middle)], sorted[Math.ceil(middle)]];
  return below === undefined || above === undefined ? Number.NaN : (below + above) / 2;
}

/** The value that this share of all is not above; NaN without values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** The mean difference of two values of a normal distribution, in standard deviations. */
const MEAN_DIFFERENCE = 2 / Math.sqrt(Math.PI);
/** The standard error of the median over that of the mean. */
const MEDIAN_ERROR = Math.sqrt(Math.PI / 2);
/** Standard errors that chance exceeds in less than one row of a hundred, also with rounds that are disturbed: see tests/bench. */
const BEYOND_CHANCE = 3;

/**
 * By which share the median of the rounds may be wrong, from what successive rounds differ by, so that a machine that slowly
 * becomes another one counts for little (the moving range of control charts). NaN for fewer than three rounds.
 */
export function noiseOf(values: readonly number[]): number {
  if (values.length < 3) return Number.NaN;
  const differences = values.slice(1).map((value, i) => Math.abs(value - (values[i] ?? value)));
  const mean = differences.reduce((sum, each) => sum + each, 0) / differences.length;
  const error = ((mean / MEAN_DIFFERENCE) * MEDIAN_ERROR) / Math.sqrt(values.length);
  return mean === 0 ? 0 : (BEYOND_CHANCE * error) / Math.abs(median(values));
}

export interface Movement {
  /** The median of the rounds' changes, as a share of what was. */
  readonly change: number;
  /** By which share the change may be wrong. */
  readonly noise: number;
  /** Whether the change is more than noise; false also where there are too few rounds to tell. */
  readonly isBeyondNoise: boolean;
}

/** How far the rounds of one version are from those of another that it took turns with. */
export function compareRounds(now: readonly number[], then: readonly number[]): Movement {
  const changes = now.map((value, i) => value / (then[i] ?? Number.NaN) - 1);
  const change = median(changes);
  const noise = Math.hypot(noiseOf(now), noiseOf(then));
  return { change, noise, isBeyondNoise: Math.abs(change) > noise };
}
