/** What the people of a household have in common with all that they own and use (docs/simulation.md#households). */
import { NOISE_CHANNEL, drawNormal } from '../kernel/noise.ts';
import type { Seed } from '../kernel/noise.ts';
import type { Archetype } from './profiles.ts';

/** Larger and richer households have more of everything: what is drawn for one leans on these. */
export interface Traits {
  /** Who lives there, at least 1. */
  readonly persons: number;
  /** Standard normal over the households of a fleet. */
  readonly affluence: number;
}

/** The traits of household `index`. */
export function drawTraits(seed: Seed, index: number, archetype: Archetype): Traits {
  return { persons: archetype.persons, affluence: drawNormal(seed, index, NOISE_CHANNEL.affluence, 0) };
}

/**
 * A standard normal draw of a channel that leans on the affluence: `loading` (-1..1) is their correlation, so that two such
 * draws correlate by the product of their loadings.
 */
export function drawLeaning(
  seed: Seed,
  index: number,
  channel: number,
  { affluence }: Traits,
  loading: number,
): number {
  return loading * affluence + Math.sqrt(1 - loading * loading) * drawNormal(seed, index, channel, 0);
}
