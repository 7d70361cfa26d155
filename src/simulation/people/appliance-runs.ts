/** The runs of a household's appliances on a day: how many, when, and what they take. */
import { NOISE_CHANNEL, WORD_VALUES, finishHash, hashStream, mixWord } from '../kernel/noise.ts';
import type { Seed } from '../kernel/noise.ts';
import { APPLIANCES, MINUTES_PER_QUARTER, RUN_ENERGIES } from './appliances.ts';
import { SUMS_PER_APPLIANCE } from './event-curves.ts';
import type { EventCurves } from './event-curves.ts';
import type { OwnedAppliances } from './owned-appliances.ts';
import { BLOCKS, BLOCK_STARTS } from './occupancy.ts';

/** Runs of an appliance differ by a factor uniform in 1 ± this. */
const RUN_SPREAD = 0.2;
const BYTE_MIDDLE = 127.5;

const MAX_STARTS = Uint8Array.from(APPLIANCES, ({ maxStarts }) => maxStarts);

export class ApplianceRuns {
  readonly #stream: number;
  readonly #owned: OwnedAppliances;
  readonly #lateMinutes: number;

  /** `lateMinutes`, 0..15: by how much all starts are later than the quarter hours of the day. */
  constructor(seed: Seed, index: number, owned: OwnedAppliances, lateMinutes: number) {
    this.#stream = hashStream(seed, index, NOISE_CHANNEL.applianceRun);
    this.#owned = owned;
    this.#lateMinutes = lateMinutes;
  }

  /**
   * Adds the runs of a day to `energies`, mWh by quarter hour of the day and beyond its end. `factors` multiply the table's
   * starts in each block.
   */
  addRuns(localDay: number, curves: EventCurves, factors: Float64Array, energies: Float64Array): void {
    const { blockStarts } = curves;
    const { starts, power } = this.#owned;
    const dayHash = mixWord(this.#stream, localDay);
    for (let appliance = 0; appliance < APPLIANCES.length; appliance++) {
      const often = starts[appliance] ?? 0;
      if (often === 0) continue;
      let mean = 0;
      for (let block = 0, at = appliance * BLOCKS; block < BLOCKS; block++, at++) {
        mean += (factors[block] ?? 0) * (blockStarts[at] ?? 0);
      }
      const draw = finishHash(dayHash, appliance << 4) / WORD_VALUES;
      // The probability of no start is at least this; most draws are below it.
      if (draw < 1 - often * mean) continue;
      const count = poissonCount(draw, often * mean, MAX_STARTS[appliance] ?? 1);
      for (let run = 1; run <= count; run++) {
        const hash = finishHash(dayHash, (appliance << 4) | run);
        const minute =
          startMinuteOf(curves, appliance, factors, (hash / WORD_VALUES) * mean) + this.#lateMinutes;
        const level = 1 + (RUN_SPREAD / BYTE_MIDDLE) * ((hash & 255) - BYTE_MIDDLE);
        addRun(appliance, Math.floor(minute), level * (power[appliance] ?? 1), energies);
      }
    }
  }
}

/** Number of events by a uniform draw, Poisson with mean `mean`, but at most `most`. */
function poissonCount(draw: number, mean: number, most: number): number {
  let probability = Math.exp(-mean);
  let below = probability;
  let count = 0;
  while (draw >= below && count < most) {
    count += 1;
    probability *= mean / count;
    below += probability;
  }
  return count;
}

/** Minute of the day at which a run begins: where the starts times the blocks' factors sum up to `target`. */
function startMinuteOf(
  { startSums, blockStarts }: EventCurves,
  appliance: number,
  factors: Float64Array,
  target: number,
): number {
  const at = appliance * SUMS_PER_APPLIANCE;
  let left = target;
  let block = 0;
  for (; block < BLOCKS - 1; block++) {
    const weight = (factors[block] ?? 0) * (blockStarts[appliance * BLOCKS + block] ?? 0);
    if (left < weight) break;
    left -= weight;
  }
  const factor = factors[block] ?? 0;
  const first: number = BLOCK_STARTS[block] ?? 0;
  const last = (BLOCK_STARTS[block + 1] ?? 0) - 1;
  const above = factor > 0 ? left / factor : 0;
  const sum = (startSums[at + first] ?? 0) + above;
  // Within a block starts are spread nearly evenly: the quarter hour is near the one that it would be then.
  const part = above / (blockStarts[appliance * BLOCKS + block] ?? 1);
  let quarter = Math.min(last, first + Math.floor(part * (last + 1 - first)));
  while (quarter < last && (startSums[at + quarter + 1] ?? 0) <= sum) quarter++;
  while (quarter > first && (startSums[at + quarter] ?? 0) > sum) quarter--;
  const from = startSums[at + quarter] ?? 0;
  const width = (startSums[at + quarter + 1] ?? 0) - from;
  const into = width > 0 ? Math.min(0.999, (sum - from) / width) : 0;
  return (quarter + into) * MINUTES_PER_QUARTER;
}

function addRun(appliance: number, minute: number, level: number, energies: Float64Array): void {
  const run = RUN_ENERGIES[appliance];
  if (!run) return;
  const quarter = Math.floor(minute / MINUTES_PER_QUARTER);
  const from = (minute - quarter * MINUTES_PER_QUARTER) * run.quarters;
  for (let j = 0; j < run.quarters; j++) {
    energies[quarter + j] = (energies[quarter + j] ?? 0) + level * (run.byMinute[from + j] ?? 0);
  }
}
