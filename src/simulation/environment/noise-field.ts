/** Noise over the earth's surface that neighbours share, at one place, drawn anew for each day or hour. */
import {
  WORD_VALUES,
  finishScrambled,
  hashInStream,
  hashStream,
  mixWord,
  scrambleWord,
} from '../kernel/noise.ts';
import type { Seed } from '../kernel/noise.ts';
import { allocateFloat64Array, allocateInt32Array } from '../kernel/typed-arrays.ts';
import { EARTH_RADIUS_KM } from './climate-terms.ts';

const RADIANS = Math.PI / 180;
const KM_PER_DEGREE = EARTH_RADIUS_KM * RADIANS;
/** With this bit turned a hash less half of all its values is a signed number. */
const SIGN_BIT = 0x80000000;
/** What brings a uniform number to variance 1. */
const UNIFORM_SCALE = Math.sqrt(12) / WORD_VALUES;
/** A point stands this far from the borders of its cell, in parts of it, so that no row of points is to be seen. */
const MARGIN = 0.1;
/** At least the cells of the longest row of the finest field. */
const CELLS_PER_ROW = 2 ** 13;

const oneValue = new Float64Array(1);

/** How fine a field is: the distance of its points and how far each is felt, km. */
export interface FieldScale {
  readonly spacingKm: number;
  readonly reachKm: number;
}

/**
 * A field of mean 0 and variance 1 everywhere: rows of cells around the earth hold a point each, with a uniform draw for
 * each bucket, and a place feels the points within reach by a smooth kernel. Points and weights are found once.
 */
export class NoiseField {
  readonly #hashes: Int32Array;
  readonly #weights: Float64Array;
  /** What half a step of the draws adds up to: they are whole numbers, one more of them below 0 than above. */
  readonly #middle: number;

  /** The field of a channel (NOISE_CHANNEL) at a place in degrees. */
  constructor(seed: Seed, channel: number, scale: FieldScale, latitude: number, longitude: number) {
    const found = findPoints(hashStream(seed, 0, channel), scale, latitude, longitude);
    const { count, hashes, weights } = found;
    const factor = UNIFORM_SCALE / Math.sqrt(found.squares);
    this.#hashes = allocateInt32Array(count);
    this.#weights = allocateFloat64Array(count);
    let sum = 0;
    for (let i = 0; i < count; i++) {
      const weight = (weights[i] ?? 0) * factor;
      this.#hashes[i] = hashes[i] ?? 0;
      this.#weights[i] = weight;
      sum += weight;
    }
    this.#middle = sum / 2;
  }

  /** The value of a bucket, a whole number. */
  at(bucket: number): number {
    this.fill(bucket, 1, oneValue);
    return oneValue[0] ?? 0;
  }

  /** Writes the values of `count` buckets from the `first` on into `values`. */
  fill(first: number, count: number, values: Float64Array): void {
    const hashes = this.#hashes;
    const weights = this.#weights;
    for (let k = 0; k < count; k++) {
      const word = scrambleWord(first + k);
      let sum = this.#middle;
      for (let i = 0; i < hashes.length; i++) {
        sum += (weights[i] ?? 0) * (finishScrambled(hashes[i] ?? 0, word) ^ SIGN_BIT);
      }
      values[k] = sum;
    }
  }
}

/** Weights of two independent values of variance 1 between which one stands, such that it has variance 1 too. */
export class BlendWeights {
  readonly from: Float64Array;
  readonly to: Float64Array;

  /** For each of `steps` between the two, from the `first` part of a step on; times `scale`. */
  constructor(steps: number, first: number, scale: number) {
    this.from = new Float64Array(steps);
    this.to = new Float64Array(steps);
    for (let step = 0; step < steps; step++) {
      const part = (step + first) / steps;
      const length = Math.sqrt((1 - part) ** 2 + part ** 2);
      this.from[step] = (scale * (1 - part)) / length;
      this.to[step] = (scale * part) / length;
    }
  }
}

/** Points that a place feels, written over by the next search: hashes and weights, and the sum of their squares. */
const MAX_POINTS = 256;
const points = {
  count: 0,
  squares: 0,
  hashes: new Int32Array(MAX_POINTS),
  weights: new Float64Array(MAX_POINTS),
};

/** The points that a place in degrees feels, in `points`. */
function findPoints(stream: number, scale: FieldScale, latitude: number, longitude: number): typeof points {
  const rowDegrees = scale.spacingKm / KM_PER_DEGREE;
  const reachDegrees = scale.reachKm / KM_PER_DEGREE;
  const lastRow = Math.min(
    Math.ceil(180 / rowDegrees) - 1,
    Math.floor((latitude + reachDegrees + 90) / rowDegrees),
  );
  points.count = 0;
  points.squares = 0;
  for (
    let row = Math.max(0, Math.floor((latitude - reachDegrees + 90) / rowDegrees));
    row <= lastRow;
    row++
  ) {
    findPointsOfRow(stream, scale, row, latitude, longitude);
  }
  return points;
}

function findPointsOfRow(
  stream: number,
  { spacingKm, reachKm }: FieldScale,
  row: number,
  latitude: number,
  longitude: number,
): void {
  const rowDegrees = spacingKm / KM_PER_DEGREE;
  const middle = Math.min(89.9, Math.max(-89.9, (row + 0.5) * rowDegrees - 90));
  const columns = Math.max(3, Math.round((360 * Math.cos(middle * RADIANS)) / rowDegrees));
  const cosHere = Math.cos(latitude * RADIANS);
  const sinHere = Math.sin(latitude * RADIANS);
  // Near a pole a row is felt all around.
  const narrowest = Math.min(Math.cos(Math.min(90, Math.abs(middle) + rowDegrees) * RADIANS), cosHere);
  const half = narrowest <= 0 ? columns : ((reachKm / KM_PER_DEGREE / narrowest) * columns) / 360 + 1;
  const isWhole = 2 * half + 1 >= columns;
  const centre = ((longitude + 180) / 360) * columns;
  const last = isWhole ? columns - 1 : Math.floor(centre + half);
  const limit = (reachKm / EARTH_RADIUS_KM) ** 2;
  for (let column = isWhole ? 0 : Math.floor(centre - half); column <= last; column++) {
    const wrapped = ((column % columns) + columns) % columns;
    const cell = row * CELLS_PER_ROW + wrapped;
    const u = MARGIN + (1 - 2 * MARGIN) * (hashInStream(stream, cell, 1) / WORD_VALUES);
    const v = MARGIN + (1 - 2 * MARGIN) * (hashInStream(stream, cell, 2) / WORD_VALUES);
    const phi = Math.min(90, (row + u) * rowDegrees - 90) * RADIANS;
    const sinPoint = Math.sin(phi);
    const turn = (((wrapped + v) / columns) * 360 - 180 - longitude) * RADIANS;
    const cosine = sinHere * sinPoint + cosHere * Math.sqrt(1 - sinPoint * sinPoint) * Math.cos(turn);
    const near = 1 - (2 - 2 * cosine) / limit;
    if (near <= 0 || points.count === MAX_POINTS) continue;
    const weight = near * near;
    points.hashes[points.count] = mixWord(stream, cell);
    points.weights[points.count] = weight;
    points.squares += weight * weight;
    points.count++;
  }
}

/** At least the longest response; a power of two. */
const KEPT_DAYS = 16;

/** Noise of days that remember: the sum of what the last days brought, each by the weight of its age. */
export class RememberedNoise {
  readonly #fields: readonly NoiseField[];
  readonly #shares: readonly number[];
  readonly #response: Float64Array;
  /** What the days that were asked for last brought, by their number modulo KEPT_DAYS. */
  readonly #days = allocateFloat64Array(KEPT_DAYS).fill(NaN);
  readonly #values = allocateFloat64Array(KEPT_DAYS);

  /** `shares` of the fields, squares summing to 1; `response` to a day's value after so many days. */
  constructor(fields: readonly NoiseField[], shares: readonly number[], response: Float64Array) {
    this.#fields = fields;
    this.#shares = shares;
    this.#response = response;
  }

  /** The noise of a day (days since 1970): mean 0, variance 1. */
  at(day: number): number {
    const response = this.#response;
    let sum = 0;
    for (let age = 0; age < response.length; age++) sum += (response[age] ?? 0) * this.#broughtBy(day - age);
    return sum;
  }

  #broughtBy(day: number): number {
    const slot = day & (KEPT_DAYS - 1);
    if (this.#days[slot] !== day) {
      let value = 0;
      for (let i = 0; i < this.#fields.length; i++) {
        value += (this.#shares[i] ?? 0) * (this.#fields[i]?.at(day) ?? 0);
      }
      this.#values[slot] = value;
      this.#days[slot] = day;
    }
    return this.#values[slot] ?? 0;
  }
}

/**
 * Response of an autoregression of second order to one day's value, by age, scaled to variance 1: `first` and `second` are
 * its autocorrelations after one and two days.
 */
export function autoregressiveResponse(first: number, second: number, terms: number): Float64Array {
  const rest = 1 - first * first;
  const one = (first * (1 - second)) / rest;
  const two = (second - first * first) / rest;
  const response = allocateFloat64Array(terms);
  let squares = 0;
  for (let age = 0; age < terms; age++) {
    const value =
      age === 0 ? 1 : one * (response[age - 1] ?? 0) + two * (age > 1 ? (response[age - 2] ?? 0) : 0);
    response[age] = value;
    squares += value * value;
  }
  const scale = 1 / Math.sqrt(squares);
  for (let age = 0; age < terms; age++) response[age] = (response[age] ?? 0) * scale;
  return response;
}
