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
  addRuns(localDay: number, { startSums }: EventCurves, factors: Float64Array, energies: Float64Array): void {
    const { starts, power } = this.#owned;
    const dayHash = mixWord(this.#stream, localDay);
    for (let appliance = 0; appliance < APPLIANCES.length; appliance++) {
      const often = starts[appliance] ?? 0;
      if (often === 0) continue;
      const at = appliance * SUMS_PER_APPLIANCE;
      let mean = 0;
      for (let block = 0; block < BLOCKS; block++) {
        mean += (factors[block] ?? 0) * weightOf(startSums, at, block);
      }
      const count = poissonCount(
        finishHash(dayHash, appliance << 4) / WORD_VALUES,
        often * mean,
        MAX_STARTS[appliance] ?? 1,
      );
      for (let run = 1; run <= count; run++) {
        const hash = finishHash(dayHash, (appliance << 4) | run);
        const minute = startMinuteOf(startSums, at, factors, (hash / WORD_VALUES) * mean) + this.#lateMinutes;
        const level = 1 + (RUN_SPREAD / BYTE_MIDDLE) * ((hash & 255) - BYTE_MIDDLE);
        addRun(appliance, Math.floor(minute), level * (power[appliance] ?? 1), energies);
      }
    }
  }
}

/** Mean starts in a block; `at` is where the sums of the appliance begin. */
function weightOf(startSums: Float32Array, at: number, block: number): number {
  const from = startSums[at + (BLOCK_STARTS[block] ?? 0)] ?? 0;
  return (startSums[at + (BLOCK_STARTS[block + 1] ?? 0)] ?? 0) - from;
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
function startMinuteOf(startSums: Float32Array, at: number, factors: Float64Array, target: number): number {
  let left = target;
  let block = 0;
  for (; block < BLOCKS - 1; block++) {
    const weight = (factors[block] ?? 0) * weightOf(startSums, at, block);
    if (left < weight) break;
    left -= weight;
  }
  let low: number = BLOCK_STARTS[block] ?? 0;
  let high = (BLOCK_STARTS[block + 1] ?? 0) - 1;
  const factor = factors[block] ?? 0;
  const sum = (startSums[at + low] ?? 0) + (factor > 0 ? left / factor : 0);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((startSums[at + middle] ?? 0) <= sum) low = middle;
    else high = middle - 1;
  }
  const from = startSums[at + low] ?? 0;
  const width = (startSums[at + low + 1] ?? 0) - from;
  const into = width > 0 ? Math.min(0.999, (sum - from) / width) : 0;
  return (low + into) * MINUTES_PER_QUARTER;
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
