/** Which indoor temperature a house aims at: comfort, night set-back, and what people make of them (docs/simulation.md#house). */
import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import type { Building } from '../household/building.ts';
import { NOISE_CHANNEL, WORD_VALUES, drawUniform, hashInStream, hashStream } from '../kernel/noise.ts';
import type { Seed } from '../kernel/noise.ts';
import { allocateInt32Array } from '../kernel/typed-arrays.ts';
import type { DaySegment } from '../time/local-day.ts';

/** A target that no house is below, so that nothing heats. */
export const NO_HEAT_MK = 0;

/** A night set-back ends by a slow rise between 4:30 and 7:30, so that the day begins warm without a burst, K/h. */
const RISE_K_PER_H = 0.5;
const EARLIEST_END_H = 5;
const LATEST_END_H = 9;
const EARLIEST_START_H = 20.5;
const LATEST_START_H = 24;

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

/** People turn valves, shut doors and sit by the window: a target wanders that far to either side, mK (assumption). */
const WANDER_MK = 500;
/** It is drawn every four hours, and changes evenly in between. */
const DRAWN_QUARTERS = 16;
const DRAWS_A_DAY = QUARTER_HOURS_PER_DAY / DRAWN_QUARTERS;

/** How the targets of a house wander, the same for the same time whatever the house does. */
export class TargetWander {
  readonly #stream: number;

  constructor(seed: Seed, index: number) {
    this.#stream = hashStream(seed, index, NOISE_CHANNEL.targetWander);
  }

  /** Adds it to the targets of a day segment, mK. */
  addTo(targets: Int32Array, { from, to, localDay, localQuarter }: DaySegment): void {
    for (let i = from; i < to;) {
      const quarter = localQuarter + i - from;
      const draw = Math.floor(quarter / DRAWN_QUARTERS);
      const before = this.#drawn(localDay * DRAWS_A_DAY + draw);
      const slope = (this.#drawn(localDay * DRAWS_A_DAY + draw + 1) - before) / DRAWN_QUARTERS;
      const end = Math.min(to, i + (draw + 1) * DRAWN_QUARTERS - quarter);
      const base = before - slope * (draw * DRAWN_QUARTERS - quarter + i);
      for (; i < end; i++) targets[i] = (targets[i] ?? 0) + Math.round(base + slope * i);
    }
  }

  #drawn(at: number): number {
    return WANDER_MK * ((2 * hashInStream(this.#stream, at)) / WORD_VALUES - 1);
  }
}
