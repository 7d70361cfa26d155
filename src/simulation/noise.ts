/**
 * Counter-based noise: every random value is a hash of (seed, entity, channel, bucket), so any value is
 * reachable without drawing those before it (idea: Random123, Salmon et al., SC11).
 */

/** Bound once: under a test runner's context each use of a global is a slow lookup. */
const { PI, cos, floor, imul, log, sqrt } = Math;

/** Both 32-bit halves of a seed of up to 53 bits; seeds 42 and 42 + 2^32 are different streams. */
export interface Seed {
  readonly hi: number;
  readonly lo: number;
}

/** One number per independent use of the hash; never renumber within a released model version. */
export const CHANNEL = {
  archetype: 1,
  variation: 2,
  timeShift: 3,
  evOwnership: 4,
  evBattery: 5,
  evCharger: 6,
  evTarget: 7,
  evSoc: 8,
  heatPump: 9,
  heatNeed: 10,
  heatSource: 11,
  heatEmitter: 12,
  pvRating: 13,
  batteryCapacity: 14,
  chargePower: 15,
  dischargePower: 16,
  soc: 17,
  tilt: 18,
  azimuth: 19,
  azimuthSide: 20,
  efficiency: 21,
  cell: 22,
  jitterLat: 23,
  jitterLon: 24,
  firstName: 25,
  lastName: 26,
  model: 27,
  dayFactor: 40,
  burst: 41,
  drive: 42,
  depart: 43,
  arrive: 44,
  trip: 45,
  session: 46,
  hotWater: 47,
  cycle: 48,
  week: 49,
  synoptic: 60,
  meso: 61,
  fast: 62,
  warmth: 63,
  faultHappens: 80,
  faultStart: 81,
  faultLength: 82,
} as const;

const WORD = 4_294_967_296;

/** Splits a seed 0..2^53-1 into its two 32-bit words. */
export function splitSeed(seed: number): Seed {
  return { hi: floor(seed / WORD) >>> 0, lo: seed >>> 0 };
}

/** One round of MurmurHash3 (x86, 32 bit; Austin Appleby, public domain). */
function round(state: number, word: number): number {
  const scrambled = imul(word, 0xcc9e2d51);
  const mixed = state ^ imul((scrambled << 15) | (scrambled >>> 17), 0x1b873593);
  return (imul((mixed << 13) | (mixed >>> 19), 5) + 0xe6546b64) | 0;
}

/** What the buckets of one (entity, channel) share; the rest of the hash is half the work. */
export function stream(seed: Seed, entity: number, channel: number): number {
  return round(round(round(seed.lo | 0, seed.hi), entity), channel);
}

/** 32 hashed bits of a bucket of a stream; arguments count modulo 2^32. */
export function hashIn(streamState: number, bucket: number, extra = 0): number {
  let state = round(round(streamState, bucket), extra) ^ 24;
  state = imul(state ^ (state >>> 16), 0x85ebca6b);
  state = imul(state ^ (state >>> 13), 0xc2b2ae35);
  return (state ^ (state >>> 16)) >>> 0;
}

/** 32 hashed bits of the counter (entity, channel, bucket, extra). */
export function hash(seed: Seed, entity: number, channel: number, bucket: number, extra = 0): number {
  return hashIn(stream(seed, entity, channel), bucket, extra);
}

/** Uniform in [0, 1). */
export function uniform(seed: Seed, entity: number, channel: number, bucket = 0, extra = 0): number {
  return hash(seed, entity, channel, bucket, extra) / WORD;
}

/** Uniform integer in min..max, both included. */
export function uniformInteger(
  seed: Seed,
  entity: number,
  channel: number,
  min: number,
  max: number,
): number {
  return min + floor((hash(seed, entity, channel, 0) * (max - min + 1)) / WORD);
}

/** Standard normal by Box and Muller from two hashes of one counter. */
export function normal(seed: Seed, entity: number, channel: number, bucket: number): number {
  const radius = sqrt(-2 * log(1 - uniform(seed, entity, channel, bucket, 1)));
  return radius * cos(2 * PI * uniform(seed, entity, channel, bucket, 2));
}

/**
 * Position in a list of integer shares: the hash picks index i with probability shares[i] / sum.
 * Works on integers only, so that every engine chooses alike.
 */
export function pick(shares: readonly number[], hashed: number): number {
  const total = shares.reduce((sum, share) => sum + share, 0);
  let rest = Number((BigInt(hashed) * BigInt(total)) / BigInt(WORD));
  for (const [index, share] of shares.entries()) {
    if (rest < share) return index;
    rest -= share;
  }
  return shares.length - 1;
}

const smooth = (x: number): number => x * x * (3 - 2 * x);

/** Value noise on a lattice of three dimensions: in [0, 1], mean 0.5, continuous. */
export type Noise3 = (x: number, y: number, z: number) => number;

/** Noise of a channel. The eight corners of the cell asked for last are kept, since questions come in order of time. */
export function noise3(seed: Seed, channel: number): Noise3 {
  const corners = new Float64Array(8);
  let xi = NaN;
  let yi = NaN;
  let zi = NaN;
  const fill = (from: number) => {
    const near = stream(seed, xi, channel);
    const far = stream(seed, xi + 1, channel);
    for (let corner = from; corner < 8; corner++) {
      const bits = hashIn(corner & 1 ? far : near, yi + ((corner >> 1) & 1), zi + (corner >> 2));
      corners[corner] = bits / WORD;
    }
  };
  return (x, y, z) => {
    const cellX = floor(x);
    const cellY = floor(y);
    const cellZ = floor(z);
    if (cellX !== xi || cellY !== yi || cellZ !== zi) {
      const follows = cellX === xi && cellY === yi && cellZ === zi + 1;
      xi = cellX;
      yi = cellY;
      zi = cellZ;
      if (follows) corners.copyWithin(0, 4);
      fill(follows ? 4 : 0);
    }
    const u = smooth(x - xi);
    const v = smooth(y - yi);
    const w = smooth(z - zi);
    const edge = (corner: number) => mix(corners[corner] ?? 0, corners[corner + 1] ?? 0, u);
    return mix(mix(edge(0), edge(2), v), mix(edge(4), edge(6), v), w);
  };
}

const mix = (from: number, to: number, part: number): number => from + (to - from) * part;
