/**
 * How clear the days of a place are: a logistic curve of a standard normal number, between the darkest and the clearest
 * sky, whose mean and standard deviation are those asked for.
 */

/** Nodes of the quadrature over the normal number, their distance and weights. */
const NODES = 25;
const NODE_STEP = 0.32;
const node = (i: number): number => (i - (NODES - 1) / 2) * NODE_STEP;
const NODE_WEIGHTS = Float64Array.from(
  { length: NODES },
  (_, i) => (NODE_STEP * Math.exp(-(node(i) ** 2) / 2)) / Math.sqrt(2 * Math.PI),
);

/** Means of the table up to the half (the other half mirrors it), and spreads in parts of the most a mean allows. */
const MEANS = 20;
const MEAN_STEP = 0.025;
const SPREADS = 18;
const SPREAD_STEP = 0.05;
/** Slopes that are tried for each mean. */
const SLOPE_STEP = 0.15;
const SLOPES = 60;

/** e to the power of -slope g at the nodes, for each slope one after the other: all means share them. */
function slopePowers(): Float64Array {
  const powers = new Float64Array((SLOPES + 1) * NODES);
  for (let i = 0; i < powers.length; i++) {
    powers[i] = Math.exp(-Math.floor(i / NODES) * SLOPE_STEP * node(i % NODES));
  }
  return powers;
}

/** Mean and standard deviation of the logistic curve of shift + slope g, and how fast the mean rises with the shift. */
interface Moments {
  mean: number;
  deviation: number;
  rise: number;
}

/** Writes the moments of a shift and of the slope whose powers begin at `first`. */
function setMoments(moments: Moments, shift: number, powers: Float64Array, first: number): void {
  const power = Math.exp(-shift);
  let mean = 0;
  let square = 0;
  for (let i = 0; i < NODES; i++) {
    const value = 1 / (1 + power * (powers[first + i] ?? 0));
    const weight = NODE_WEIGHTS[i] ?? 0;
    mean += weight * value;
    square += weight * value * value;
  }
  moments.mean = mean;
  moments.deviation = Math.sqrt(Math.max(0, square - mean * mean));
  moments.rise = mean - square;
}

/** Shift and slope by mean (rows) and spread. */
class CurveTable {
  readonly #shifts = new Float64Array((MEANS + 1) * (SPREADS + 1));
  readonly #slopes = new Float64Array((MEANS + 1) * (SPREADS + 1));

  constructor() {
    const powers = slopePowers();
    for (let row = 1; row <= MEANS; row++) this.#fillRow(row, row * MEAN_STEP, powers);
    // Days without any light have the curve of the darkest row.
    for (let i = 0; i <= SPREADS; i++) {
      this.#shifts[i] = this.#shifts[SPREADS + 1 + i] ?? 0;
      this.#slopes[i] = this.#slopes[SPREADS + 1 + i] ?? 0;
    }
  }

  #fillRow(row: number, mean: number, powers: Float64Array): void {
    const moments: Moments = { mean: 0, deviation: 0, rise: 0 };
    const first = row * (SPREADS + 1);
    const widest = Math.sqrt(mean * (1 - mean));
    let [shift, reached] = [Math.log(mean / (1 - mean)), 0];
    let filled = 0;
    for (let i = 0; i <= SLOPES && filled <= SPREADS; i++) {
      const slope = i * SLOPE_STEP;
      const [lastShift, lastReached] = [shift, reached];
      for (let round = 0; round < 3; round++) {
        setMoments(moments, shift, powers, i * NODES);
        shift -= (moments.mean - mean) / Math.max(1e-6, moments.rise);
      }
      setMoments(moments, shift, powers, i * NODES);
      reached = moments.deviation / widest;
      for (; filled <= SPREADS && filled * SPREAD_STEP <= reached + 1e-9; filled++) {
        const part = i === 0 ? 1 : (filled * SPREAD_STEP - lastReached) / (reached - lastReached);
        this.#shifts[first + filled] = lastShift + (shift - lastShift) * part;
        this.#slopes[first + filled] = slope - SLOPE_STEP * (1 - part);
      }
    }
    for (; filled <= SPREADS; filled++) {
      this.#shifts[first + filled] = shift;
      this.#slopes[first + filled] = SLOPES * SLOPE_STEP;
    }
  }

  /** The curve's value for a normal number `g`, such that it has this mean 0..1 and standard deviation. */
  valueOf(mean: number, deviation: number, g: number): number {
    const isMirrored = mean > 0.5;
    const low = isMirrored ? 1 - mean : mean;
    const row = Math.min(MEANS - 1, low / MEAN_STEP);
    const column = Math.min(
      SPREADS - 1e-6,
      deviation / SPREAD_STEP / Math.sqrt(Math.max(1e-6, low * (1 - low))),
    );
    const [i, j] = [Math.floor(row), Math.floor(column)];
    const [u, v] = [Math.min(1, low / MEAN_STEP - i), column - j];
    const at = i * (SPREADS + 1) + j;
    const shift = bilinear(this.#shifts, at, u, v);
    const slope = bilinear(this.#slopes, at, u, v);
    return 1 / (1 + Math.exp((isMirrored ? shift : -shift) - slope * g));
  }
}

function bilinear(table: Float64Array, at: number, u: number, v: number): number {
  const near = (table[at] ?? 0) * (1 - v) + (table[at + 1] ?? 0) * v;
  const far = (table[at + SPREADS + 1] ?? 0) * (1 - v) + (table[at + SPREADS + 2] ?? 0) * v;
  return near + (far - near) * u;
}

/** Computed when the first day is asked for. */
let curves: CurveTable | undefined;

/** Sky of the darkest day, in parts of the light at the top of the atmosphere. */
const DARKEST = 0.04;
/** The clearest day is that much clearer than the clear sky, or at least so much clearer than the mean. */
const CLEAREST = 1.03;
const LEAST_MARGIN = 0.12;
const MOST_BY_MARGIN = 0.8;

/**
 * Irradiation of a day over that at the top of the atmosphere: `mean` and `deviation` are those of its season, `clear` that
 * of a cloudless day, `sky` a standard normal number, 0 on a usual day.
 */
export function dailyClearness(mean: number, deviation: number, clear: number, sky: number): number {
  const highest = Math.max(CLEAREST * clear, Math.min(MOST_BY_MARGIN, mean + LEAST_MARGIN));
  const span = highest - DARKEST;
  const share = Math.min(0.97, Math.max(0.03, (mean - DARKEST) / span));
  curves ??= new CurveTable();
  return DARKEST + span * curves.valueOf(share, deviation / span, sky);
}
