/**
 * Value noise: random values at the points of a lattice, smoothly interpolated between them, so that near points have
 * near values. Values lie in [0, 1] with mean 0.5. (Classes, since calls of their methods are inlined, which those of
 * closures are not.)
 */
import { finishHash, hashSeed, hashStream, mixWord } from './noise.ts';
import type { Seed } from './noise.ts';
import { allocateFloat64Array, allocateInt32Array } from './typed-arrays.ts';

/** Brings a hash into [0, 1). */
const TO_UNIT = 1 / 2 ** 32;

const smoothstep = (x: number): number => x * x * (3 - 2 * x);

const interpolate = (from: number, to: number, part: number): number => from + (to - from) * part;

/**
 * Noise of a channel (NOISE_CHANNEL) over three coordinates with lattice points at whole numbers, continuous. The eight
 * corners of the last cell are kept, since questions come in order of time.
 */
export class ValueNoise3d {
  /** By index: bit 0 is the step in x, bit 1 in y, bit 2 in z. */
  readonly #corners = allocateFloat64Array(8);
  readonly #cell = allocateFloat64Array(3).fill(NaN);
  readonly #seedHash: number;
  readonly #channel: number;

  constructor(seed: Seed, channel: number) {
    this.#seedHash = hashSeed(seed);
    this.#channel = channel;
  }

  /** The value at a point. */
  at(x: number, y: number, z: number): number {
    const xi = Math.floor(x);
    const yi = Math.floor(y);
    const zi = Math.floor(z);
    const cell = this.#cell;
    if (cell[0] !== xi || cell[1] !== yi || cell[2] !== zi) this.#moveTo(xi, yi, zi);
    const corners = this.#corners;
    const u = smoothstep(x - xi);
    const v = smoothstep(y - yi);
    const low = interpolate(
      interpolate(corners[0] ?? 0, corners[1] ?? 0, u),
      interpolate(corners[2] ?? 0, corners[3] ?? 0, u),
      v,
    );
    const high = interpolate(
      interpolate(corners[4] ?? 0, corners[5] ?? 0, u),
      interpolate(corners[6] ?? 0, corners[7] ?? 0, u),
      v,
    );
    return interpolate(low, high, smoothstep(z - zi));
  }

  /** Computes the corners of a cell that the last one does not have. */
  #moveTo(xi: number, yi: number, zi: number): void {
    const cell = this.#cell;
    const corners = this.#corners;
    const known = cell[1] === yi ? this.#shiftCorners(xi, zi) : 0;
    cell[0] = xi;
    cell[1] = yi;
    cell[2] = zi;
    // One call in a loop is inlined, eight calls are not.
    for (let stepX = 0; stepX < 2; stepX++) {
      if (((known >> stepX) & 0b0101_0101) === 0b0101_0101) continue;
      const hashOfX = mixWord(mixWord(this.#seedHash, xi + stepX), this.#channel);
      for (let stepY = 0; stepY < 2; stepY++) {
        const hashOfXy = mixWord(hashOfX, yi + stepY);
        for (let corner = stepX + 2 * stepY; corner < 8; corner += 4) {
          if (((known >> corner) & 1) === 0) {
            corners[corner] = finishHash(hashOfXy, zi + (corner >> 2)) * TO_UNIT;
          }
        }
      }
    }
  }

  /**
   * Moves the corners that the last cell shares with the new one, when it is the next in z or the one before in x,
   * where time and drifting clouds lead. Returns a bit for each corner that is known.
   */
  #shiftCorners(xi: number, zi: number): number {
    const corners = this.#corners;
    if (this.#cell[0] === xi && this.#cell[2] === zi - 1) {
      for (let i = 0; i < 4; i++) corners[i] = corners[i + 4] ?? 0;
      return 0b0000_1111;
    }
    if (this.#cell[0] === xi + 1 && this.#cell[2] === zi) {
      for (let i = 0; i < 8; i += 2) corners[i + 1] = corners[i] ?? 0;
      return 0b1010_1010;
    }
    return 0;
  }
}

/** The noise of a channel at a fixed x and y over whole numbers z, such as quarter hours at a place. */
export class ValueNoiseOverTime {
  /** Hashes of the four lattice points around (x, y), but for z. */
  readonly #hashes = allocateInt32Array(4);
  readonly #values = allocateFloat64Array(4);
  readonly #u: number;
  readonly #v: number;

  constructor(seed: Seed, channel: number, x: number, y: number) {
    const yi = Math.floor(y);
    for (let i = 0; i < 4; i++) {
      this.#hashes[i] = mixWord(hashStream(seed, Math.floor(x) + (i & 1), channel), yi + (i >> 1));
    }
    this.#u = smoothstep(x - Math.floor(x));
    this.#v = smoothstep(y - yi);
  }

  /** The value at a whole number z. */
  at(z: number): number {
    const hashes = this.#hashes;
    const values = this.#values;
    for (let i = 0; i < 4; i++) values[i] = finishHash(hashes[i] ?? 0, z);
    const low = interpolate(values[0] ?? 0, values[1] ?? 0, this.#u);
    const high = interpolate(values[2] ?? 0, values[3] ?? 0, this.#u);
    return interpolate(low, high, this.#v) * TO_UNIT;
  }
}
