import { NOISE_CHANNEL, drawUniform } from '../kernel/noise.ts';
import type { Seed } from '../kernel/noise.ts';

/**
 * Factor of a household's whole local day (days since 1970), uniform in 1 ± `spread`. Days come in pairs of 1 + x and
 * 1 - x, so that the sum of the year stays.
 */
export function variationOfDay(seed: Seed, household: number, localDay: number, spread: number): number {
  const x = (2 * drawUniform(seed, household, NOISE_CHANNEL.dailyLoad, localDay >> 1) - 1) * spread;
  return localDay % 2 === 0 ? 1 + x : 1 - x;
}
