/** Which indoor temperature a house aims at: comfort and night set-back (docs/simulation.md#house). */
import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import type { Building } from '../household/building.ts';
import { NOISE_CHANNEL, drawUniform } from '../kernel/noise.ts';
import type { Seed } from '../kernel/noise.ts';
import { allocateInt32Array } from '../kernel/typed-arrays.ts';

/** A target that no house is below, so that nothing heats. */
export const NO_HEAT_MK = 0;

/** A night set-back ends by a slow rise between 4:30 and 7:30, so that the day begins warm without a burst, K/h. */
const RISE_K_PER_H = 0.25;
const EARLIEST_END_H = 4.5;
const LATEST_END_H = 7.5;
const EARLIEST_START_H = 21;
const LATEST_START_H = 23.5;

/** Temperature that the people want in each local quarter hour, mK. */
export function comfortTargets(seed: Seed, index: number, building: Building): Int32Array {
  const comfort = Math.round(building.comfort_c * 1000);
  const targets = allocateInt32Array(QUARTER_HOURS_PER_DAY).fill(comfort);
  const setback = building.night_setback_k;
  if (setback === 0) return targets;
  const between = (from: number, to: number, extra: number): number =>
    from + (to - from) * drawUniform(seed, index, NOISE_CHANNEL.setbackEnd, 0, extra);
  const end = between(EARLIEST_END_H, LATEST_END_H, 0);
  const start = between(EARLIEST_START_H, LATEST_START_H, 1);
  for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
    const hour = (i + 1) / 4;
    if (hour > end && hour <= start) continue;
    const left = hour > start ? end + 24 - hour : end - hour;
    targets[i] = comfort - Math.round(1000 * Math.min(setback, RISE_K_PER_H * left));
  }
  return targets;
}
