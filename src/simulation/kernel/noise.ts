/**
 * Counter-based noise: every random value is a hash of (seed, entity, channel, bucket), so any value is
 * reachable without drawing those before it (idea: Random123, Salmon et al., SC11).
 */

/** Both 32-bit halves of a seed of up to 53 bits; seeds 42 and 42 + 2^32 are different streams. */
export interface Seed {
  readonly hi: number;
  readonly lo: number;
}

/** One number per independent use of the hash; never renumber within a released model version. */
export const NOISE_CHANNEL = {
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
  densityCell: 22,
  jitterLat: 23,
  jitterLon: 24,
  firstName: 25,
  lastName: 26,
  model: 27,
  dailyLoad: 40,
  loadSpike: 41,
  drive: 42,
  depart: 43,
  arrive: 44,
  trip: 45,
  session: 46,
  hotWater: 47,
  heatPumpCycle: 48,
  drivingWeek: 49,
  synopticCloud: 60,
  mesoscaleCloud: 61,
  localCloud: 62,
  temperatureAnomaly: 63,
  faultHappens: 80,
  faultStart: 81,
  faultLength: 82,
} as const;

const WORD = 4_294_967_296;

/** Splits a seed 0..2^53-1 into its two 32-bit words. */
export function splitSeed(seed: number): Seed {
  return { hi: Math.floor(seed / WORD) >>> 0, lo: seed >>> 0 };
}

/** One round of MurmurHash3 (x86, 32 bit; Austin Appleby, public domain). */
function mixWord(state: number, word: number): number {
  const scrambled = Math.imul(word, 0xcc9e2d51);
  const mixed = state ^ Math.imul((scrambled << 15) | (scrambled >>> 17), 0x1b873593);
  return (Math.imul((mixed << 13) | (mixed >>> 19), 5) + 0xe6546b64) | 0;
}

const hashSeed = (seed: Seed): number => mixWord(seed.lo | 0, seed.hi);

/** What the buckets of one (entity, channel) share; the rest of the hash is half the work. */
export function hashStream(seed: Seed, entity: number, channel: number): number {
  return mixWord(mixWord(hashSeed(seed), entity), channel);
}

/** 32 hashed bits of a bucket of a stream; arguments count modulo 2^32. */
export function hashInStream(streamState: number, bucket: number, extra = 0): number {
  return finishHash(mixWord(streamState, bucket), extra);
}

/** The last word of a hash, and the mixing of all its bits. */
function finishHash(before: number, word: number): number {
  let state = mixWord(before, word) ^ 24;
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
  return (state ^ (state >>> 16)) >>> 0;
}

/** 32 hashed bits of the counter (entity, channel, bucket, extra). */
export function hashCounter(seed: Seed, entity: number, channel: number, bucket: number, extra = 0): number {
  return hashInStream(hashStream(seed, entity, channel), bucket, extra);
}

/** Uniform in [0, 1). */
export function drawUniform(seed: Seed, entity: number, channel: number, bucket = 0, extra = 0): number {
  return hashCounter(seed, entity, channel, bucket, extra) / WORD;
}

/** Uniform integer in min..max, both included. */
export function drawUniformInteger(
  seed: Seed,
  entity: number,
  channel: number,
  min: number,
  max: number,
): number {
  return min + Math.floor((hashCounter(seed, entity, channel, 0) * (max - min + 1)) / WORD);
}

/** Standard normal by Box and Muller from two hashes of one counter. */
export function drawNormal(seed: Seed, entity: number, channel: number, bucket: number): number {
  const radius = Math.sqrt(-2 * Math.log(1 - drawUniform(seed, entity, channel, bucket, 1)));
  return radius * Math.cos(2 * Math.PI * drawUniform(seed, entity, channel, bucket, 2));
}

/**
 * Position in a list of integer shares: the hash picks index i with probability shares[i] / sum.
 * Works on integers only, so that every engine chooses alike.
 */
export function pickIndexByShares(shares: readonly number[], hashed: number): number {
  const total = shares.reduce((sum, share) => sum + share, 0);
  let rest = Number((BigInt(hashed) * BigInt(total)) / BigInt(WORD));
  for (const [index, share] of shares.entries()) {
    if (rest < share) return index;
    rest -= share;
  }
  return shares.length - 1;
}

const smoothstep = (x: number): number => x * x * (3 - 2 * x);

/**
 * Value noise of a channel on a lattice of three dimensions: in [0, 1], mean 0.5, continuous. The eight corners of
 * the cell asked for last are kept, since questions come in order of time. (Classes, since calls of their methods
 * are inlined, which those of closures are not.)
 */
export class ValueNoise3d {
  readonly #corners = new Float64Array(8);
  readonly #cell = new Float64Array(3).fill(NaN);
  /** What all streams of the seed share. */
  readonly #root: number;
  readonly #channel: number;

  constructor(seed: Seed, channel: number) {
    this.#root = hashSeed(seed);
    this.#channel = channel;
  }

  at(x: number, y: number, z: number): number {
    const xi = Math.floor(x);
    const yi = Math.floor(y);
    const zi = Math.floor(z);
    const cell = this.#cell;
    if (cell[0] !== xi || cell[1] !== yi || cell[2] !== zi) this.#move(xi, yi, zi);
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

  #move(xi: number, yi: number, zi: number): void {
    const cell = this.#cell;
    const corners = this.#corners;
    const known = cell[1] === yi ? this.#known(xi, zi) : 0;
    cell[0] = xi;
    cell[1] = yi;
    cell[2] = zi;
    // One call in a loop is inlined, eight calls are not.
    for (let east = 0; east < 2; east++) {
      if (((known >> east) & 0b0101_0101) === 0b0101_0101) continue;
      const meridian = mixWord(mixWord(this.#root, xi + east), this.#channel);
      for (let north = 0; north < 2; north++) {
        const column = mixWord(meridian, yi + north);
        for (let corner = east + 2 * north; corner < 8; corner += 4) {
          if (((known >> corner) & 1) === 0) corners[corner] = finishHash(column, zi + (corner >> 2)) / WORD;
        }
      }
    }
  }

  /** Moves what the last cell shares with its neighbour up or west, where time and drift lead; a bit for each corner. */
  #known(xi: number, zi: number): number {
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

const interpolate = (from: number, to: number, part: number): number => from + (to - from) * part;

const hashes = new Float64Array(4);

/** The same noise where only time moves on: values at whole z, for a fixed x and y. */
export class ValueNoiseOverTime {
  /** Hashes of the four sides, but for the time. */
  readonly #sides = new Int32Array(4);
  readonly #u: number;
  readonly #v: number;

  constructor(seed: Seed, channel: number, x: number, y: number) {
    const yi = Math.floor(y);
    for (let side = 0; side < 4; side++) {
      this.#sides[side] = mixWord(hashStream(seed, Math.floor(x) + (side & 1), channel), yi + (side >> 1));
    }
    this.#u = smoothstep(x - Math.floor(x));
    this.#v = smoothstep(y - yi);
  }

  at(z: number): number {
    const sides = this.#sides;
    const bits = hashes;
    for (let side = 0; side < 4; side++) bits[side] = finishHash(sides[side] ?? 0, z);
    const low = interpolate(bits[0] ?? 0, bits[1] ?? 0, this.#u);
    const high = interpolate(bits[2] ?? 0, bits[3] ?? 0, this.#u);
    return interpolate(low, high, this.#v) / WORD;
  }
}
