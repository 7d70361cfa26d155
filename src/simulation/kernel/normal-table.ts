/** Standard normal numbers from a table: a draw costs a hash and a look-up, a quarter of drawing one by logarithm and cosine. */

const ENTRIES = 4096;
const SUBSTEPS = 16;

/** Slope of the quantile function at its value z: one over the normal density. */
const slopeAt = (z: number): number => Math.sqrt(2 * Math.PI) * Math.exp((z * z) / 2);

/** The quantiles of (i + 0.5) / ENTRIES, by integrating the quantile function from the median up (Runge and Kutta). */
function tabulateQuantiles(): Float64Array {
  const quantiles = new Float64Array(ENTRIES);
  let z = 0;
  for (let i = ENTRIES / 2; i < ENTRIES; i++) {
    const steps = i === ENTRIES / 2 ? SUBSTEPS / 2 : SUBSTEPS;
    const step = 1 / (ENTRIES * SUBSTEPS);
    for (let k = 0; k < steps; k++) {
      const a = slopeAt(z);
      const b = slopeAt(z + (a * step) / 2);
      const c = slopeAt(z + (b * step) / 2);
      z += (step * (a + 2 * b + 2 * c + slopeAt(z + c * step))) / 6;
    }
    quantiles[i] = z;
    quantiles[ENTRIES - 1 - i] = -z;
  }
  return quantiles;
}

const QUANTILES = tabulateQuantiles();

/** The standard normal number of a hash 0..2^32 - 1, within ± 3.7. */
export const normalOfHash = (hash: number): number => QUANTILES[hash >>> 20] ?? 0;

/** The factors exp(sigma z) of all standard normal numbers of the table, for logNormalOfHash. */
export const tabulateLogNormal = (sigma: number): Float64Array => QUANTILES.map((z) => Math.exp(sigma * z));

/** The lognormal factor of a hash 0..2^32 - 1, exp(sigma * normalOfHash(hash)), without an exponential. */
export const logNormalOfHash = (factors: Float64Array, hash: number): number => factors[hash >>> 20] ?? 0;

const BYTES_MEAN = 4 * 127.5;
const BYTES_DEVIATION = Math.sqrt((4 * (256 ** 2 - 1)) / 12);

/** A nearly normal number with mean 0 and standard deviation 1, between -3.5 and 3.5: the sum of a hash's four bytes. */
export function bellOfHash(hash: number): number {
  return (
    ((hash & 255) + ((hash >>> 8) & 255) + ((hash >>> 16) & 255) + (hash >>> 24) - BYTES_MEAN) /
    BYTES_DEVIATION
  );
}
