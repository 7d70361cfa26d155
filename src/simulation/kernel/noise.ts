/**
 * Counter-based random numbers: every value is a hash of (seed, entity, channel, bucket), so that any value is
 * reachable without drawing those before it (the idea of Random123: Salmon et al., "Parallel random numbers: as easy as
 * 1, 2, 3", SC11). An entity is a household's index, a channel the purpose (NOISE_CHANNEL), a bucket a day or quarter hour.
 */

/** Both 32-bit words of a seed of up to 53 bits; 42 and 42 + 2^32 are different seeds. */
export interface Seed {
  readonly hi: number;
  readonly lo: number;
}

/** One number for each independent use of the hash. Never renumber within a released model version: values change. */
export const NOISE_CHANNEL = {
  archetype: 1,
  variation: 2,
  timeShift: 3,
  evOwnership: 4,
  evCharger: 6,
  evTarget: 7,
  evSoc: 8,
  heatPump: 9,
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
  affluence: 28,
  dailyLoad: 40,
  airMass: 64,
  fronts: 65,
  showers: 66,
  dailyRange: 67,
  passingClouds: 68,
  singleClouds: 69,
  hourlyAir: 70,
  faultHappens: 80,
  faultStart: 81,
  faultLength: 82,
  annualConsumption: 100,
  baseShare: 101,
  nightShare: 102,
  applianceOwned: 103,
  applianceStarts: 104,
  appliancePower: 105,
  applianceRun: 106,
  occupancy: 107,
  blockLevel: 108,
  slowFactor: 109,
  slowFactorPhase: 110,
  dayMood: 111,
  quarterLevel: 112,
  journey: 113,
  dayAway: 114,
  restlessness: 115,
  vehicleEnergy: 120,
  vehicleSize: 121,
  drivingHabit: 122,
  commuteDistance: 123,
  tour: 124,
  plugIn: 125,
  floorArea: 140,
  heatLoss: 141,
  buildingAge: 142,
  heatCapacity: 143,
  comfort: 144,
  nightSetback: 145,
  heatPumpSize: 146,
  heatPumpEfficiency: 147,
  heatPumpMinimum: 148,
  heatPumpFlow: 149,
  tankVolume: 150,
  tankTarget: 151,
  tankLoss: 152,
  tankHeating: 153,
  hotWaterNeed: 154,
  hotWaterDraw: 155,
  compressorRun: 156,
  setbackEnd: 157,
  inverterRating: 158,
  targetWander: 159,
  tankHeatingDay: 160,
} as const;

/** Number of values of a 32-bit word. */
export const WORD_VALUES = 2 ** 32;

/** Splits a seed 0..2^53 - 1 into its two 32-bit words. */
export function splitSeed(seed: number): Seed {
  return { hi: Math.floor(seed / WORD_VALUES) >>> 0, lo: seed >>> 0 };
}

/** The part of mixWord that is the same for all states. */
export function scrambleWord(word: number): number {
  const scrambled = Math.imul(word, 0xcc9e2d51);
  return Math.imul((scrambled << 15) | (scrambled >>> 17), 0x1b873593);
}

/** Takes a 32-bit word into the state of a hash: one round of MurmurHash3 (x86, 32 bit; Austin Appleby, public domain). */
export function mixWord(state: number, word: number): number {
  const mixed = state ^ scrambleWord(word);
  return (Math.imul((mixed << 13) | (mixed >>> 19), 5) + 0xe6546b64) | 0;
}

/** The state of a hash after both words of the seed. */
export const hashSeed = (seed: Seed): number => mixWord(seed.lo | 0, seed.hi);

/**
 * State of the hash that all buckets of one (entity, channel) share, for hashInStream: what is left is half the work.
 */
export function hashStream(seed: Seed, entity: number, channel: number): number {
  return mixWord(mixWord(hashSeed(seed), entity), channel);
}

/**
 * The hash 0..2^32 - 1 of a bucket in a stream (see hashStream); `extra` tells draws of one bucket apart. Arguments count
 * modulo 2^32.
 */
export function hashInStream(streamState: number, bucket: number, extra = 0): number {
  return finishHash(mixWord(streamState, bucket), extra);
}

/** Takes the last word into a hash and mixes all its bits: MurmurHash3's finalizer, 0..2^32 - 1. */
export function finishHash(before: number, word: number): number {
  return finishScrambled(before, scrambleWord(word)) >>> 0;
}

/** finishHash of a word that is scrambled already (scrambleWord), as a signed number, -2^31..2^31 - 1. */
export function finishScrambled(before: number, scrambled: number): number {
  const mixed = before ^ scrambled;
  let state = (Math.imul((mixed << 13) | (mixed >>> 19), 5) + 0xe6546b64) ^ 24;
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
  return state ^ (state >>> 16);
}

/** The hash 0..2^32 - 1 of (seed, entity, channel, bucket, extra). */
export function hashCounter(seed: Seed, entity: number, channel: number, bucket: number, extra = 0): number {
  return hashInStream(hashStream(seed, entity, channel), bucket, extra);
}

/** A uniform random number in [0, 1), the same for the same arguments. */
export function drawUniform(seed: Seed, entity: number, channel: number, bucket = 0, extra = 0): number {
  return hashCounter(seed, entity, channel, bucket, extra) / WORD_VALUES;
}

/** A uniform random integer in min..max, both included, the same for the same arguments. */
export function drawUniformInteger(
  seed: Seed,
  entity: number,
  channel: number,
  min: number,
  max: number,
): number {
  return min + Math.floor((hashCounter(seed, entity, channel, 0) * (max - min + 1)) / WORD_VALUES);
}

/** A standard normal random number (Box and Muller, from two hashes of one bucket), the same for the same arguments. */
export function drawNormal(seed: Seed, entity: number, channel: number, bucket: number): number {
  const radius = Math.sqrt(-2 * Math.log(1 - drawUniform(seed, entity, channel, bucket, 1)));
  return radius * Math.cos(2 * Math.PI * drawUniform(seed, entity, channel, bucket, 2));
}

const LARGEST_EXACT_TOTAL = 2 ** 21;

/**
 * Zero-based index chosen by a hash (0..2^32 - 1), index i with probability shares[i] / sum. `shares` are integers of
 * at least 0, not all 0. Computes with integers only, so that every JavaScript engine chooses alike.
 */
export function pickIndexByShares(shares: readonly number[], hashed: number): number {
  const total = shares.reduce((sum, share) => sum + share, 0);
  // Products below 2^53 are exact without big integers.
  let rest =
    total <= LARGEST_EXACT_TOTAL
      ? Math.floor((hashed * total) / WORD_VALUES)
      : Number((BigInt(hashed) * BigInt(total)) / BigInt(WORD_VALUES));
  for (const [index, share] of shares.entries()) {
    if (rest < share) return index;
    rest -= share;
  }
  return shares.length - 1;
}
