/** How a household departs from its mean load: spikes of single quarter hours, and days (docs/simulation.md#household-load). */
import { NOISE_CHANNEL, drawUniform, hashInStream } from '../kernel/noise.ts';
import type { Seed } from '../kernel/noise.ts';

/** A quarter hour has one of three levels with mean 1 (12 % of them 3.2, 18 % 1.25, the rest low), mixed with a base. */
const BASE = 0.42;
const HIGH = BASE + (1 - BASE) * 3.2;
const MIDDLE = BASE + (1 - BASE) * 1.25;
const LOW = BASE + ((1 - BASE) * (1 - 0.12 * 3.2 - 0.18 * 1.25)) / 0.7;

/** Of the 2^32 hashes those below the first are high, those below the second high or middle. */
const HIGH_BELOW = Math.floor(0.12 * 2 ** 32);
const MIDDLE_BELOW = Math.floor(0.3 * 2 ** 32);

const levelOf = (draw: number): number => (draw < HIGH_BELOW ? HIGH : draw < MIDDLE_BELOW ? MIDDLE : LOW);
/** Levels by the first byte of the hash, NaN where the rest decides: a table spares branches that cannot be predicted. */
const LEVELS = Float64Array.from({ length: 256 }, (_, byte) => {
  const least = levelOf(byte * 2 ** 24);
  return least === levelOf(byte * 2 ** 24 + 2 ** 24 - 1) ? least : NaN;
});

/**
 * Factor of a quarter hour (counted from 1970 in local time), with mean 1; `loadSpikeStream` is the household's stream of
 * NOISE_CHANNEL.loadSpike (hashStream).
 */
export function loadSpikeFactor(loadSpikeStream: number, localQuarterIndex: number): number {
  const draw = hashInStream(loadSpikeStream, localQuarterIndex);
  const level = LEVELS[draw >>> 24] ?? NaN;
  return Number.isNaN(level) ? levelOf(draw) : level;
}

/**
 * Factor of a household's whole local day (days since 1970), uniform in 1 ± `spread`. Days come in pairs of 1 + x and
 * 1 - x, so that the sum of the year stays.
 */
export function dailyLoadFactor(seed: Seed, household: number, localDay: number, spread: number): number {
  const x = (2 * drawUniform(seed, household, NOISE_CHANNEL.dailyLoad, localDay >> 1) - 1) * spread;
  return localDay % 2 === 0 ? 1 + x : 1 - x;
}
