/** Statistics of series of numbers. */

export function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
export const mean = (values: readonly number[]): number => sum(values) / values.length;

export function deviation(values: readonly number[]): number {
  const middle = mean(values);
  return Math.sqrt(mean(values.map((value) => (value - middle) ** 2)));
}

/** The value below which a part 0..1 of the values lies, interpolated. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = part * (sorted.length - 1);
  const low = sorted[Math.floor(at)] ?? NaN;
  return low + ((sorted[Math.ceil(at)] ?? NaN) - low) * (at - Math.floor(at));
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export function correlation(a: readonly number[], b: readonly number[]): number {
  const [meanA, meanB] = [mean(a), mean(b)];
  const covariance = mean(a.map((value, i) => (value - meanA) * ((b[i] ?? 0) - meanB)));
  return covariance / (deviation(a) * deviation(b));
}

/** Correlation of a series with itself, `lag` later. */
export const autocorrelation = (values: readonly number[], lag: number): number =>
  correlation(values.slice(0, values.length - lag), values.slice(lag));

/** The values of the days of a year less their mean and its first two harmonics. */
export function deseasonalised(values: readonly number[]): number[] {
  const rest = [...values];
  const size = values.length;
  const middle = mean(values);
  for (const i of rest.keys()) rest[i] = (rest[i] ?? 0) - middle;
  for (const harmonic of [1, 2]) {
    for (const wave of [Math.cos, Math.sin]) {
      const basis = values.map((_, i) => wave((2 * Math.PI * harmonic * i) / size));
      const part = (2 / size) * sum(values.map((value, i) => value * (basis[i] ?? 0)));
      for (const i of rest.keys()) rest[i] = (rest[i] ?? 0) - part * (basis[i] ?? 0);
    }
  }
  return rest;
}
