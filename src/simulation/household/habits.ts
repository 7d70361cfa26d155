/** How the people of a household depart from their archetype for good. */
import { NOISE_CHANNEL, drawUniform } from '../kernel/noise.ts';
import type { Seed } from '../kernel/noise.ts';

export interface Habits {
  /** Share of the household's own energy that runs day and night. */
  readonly base_share: number;
  /** -0.9 to 0.9: how much more than usual is used at night, at the expense of the day. */
  readonly lateness: number;
}

/** Both ends of the drawn base share; their mean is that of all archetypes (assumption). */
const BASE_SHARE = { min: 0.19, max: 0.31 } as const;
const MAX_LATENESS = 0.9;
/** Where children go to bed and get up for school, the hours of homes differ less (assumption). */
const MAX_LATENESS_OF_FAMILIES = 0.36;
const FAMILIES = new Set(['family_one_child', 'family_two_children', 'large_family']);

const round = (value: number): number => Math.round(value * 1e4) / 1e4;

/** The habits of household `index` of an archetype (name): both uniform, so that the mean over a fleet is the archetype's. */
export function drawHabits(seed: Seed, index: number, profile: string): Habits {
  const base = drawUniform(seed, index, NOISE_CHANNEL.baseShare);
  const late = 2 * drawUniform(seed, index, NOISE_CHANNEL.nightShare) - 1;
  return {
    base_share: round(BASE_SHARE.min + (BASE_SHARE.max - BASE_SHARE.min) * base),
    lateness: round((FAMILIES.has(profile) ? MAX_LATENESS_OF_FAMILIES : MAX_LATENESS) * late),
  };
}
