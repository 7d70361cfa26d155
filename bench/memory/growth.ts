// Whether memory grows, from samples that are taken at equal distances.
import { median } from '../statistics.ts';

/** In megabytes. */
export interface MemorySample {
  /** On the heap and outside of it, after a garbage collection. */
  readonly inUseMb: number;
  readonly residentMb: number;
}

/** The medians of the first and of the last quarter of the samples that count. */
export interface Growth {
  readonly first: MemorySample;
  readonly last: MemorySample;
}

/** Caches fill and code is compiled in this share of the samples. */
const WARMING = 0.2;
/** Fewer samples that count tell nothing. */
const LEAST = 8;
const MOST_GROWTH: MemorySample = { inUseMb: 4, residentMb: 32 };

/** Undefined when there are too few samples to tell. */
export function measureGrowth(samples: readonly MemorySample[]): Growth | undefined {
  const counted = samples.slice(Math.ceil(samples.length * WARMING));
  if (counted.length < LEAST) return undefined;
  const quarter = Math.floor(counted.length / 4);
  return { first: medianOf(counted.slice(0, quarter)), last: medianOf(counted.slice(-quarter)) };
}

function isFlat({ first, last }: Growth): boolean {
  return (
    last.inUseMb - first.inUseMb <= MOST_GROWTH.inUseMb &&
    last.residentMb - first.residentMb <= MOST_GROWTH.residentMb
  );
}

/** Of the process that has measured: 0 when memory is flat, 1 when it grows, 2 when nobody can tell. */
export function exitCodeOf(growth: Growth | undefined): 0 | 1 | 2 {
  if (growth === undefined) return 2;
  return isFlat(growth) ? 0 : 1;
}

export function describeGrowth(growth: Growth | undefined): string {
  if (growth === undefined)
    return `Too few samples to tell: ${LEAST} must be left after the first fifth. Measure longer, or more often.`;
  const { first, last } = growth;
  const line = (name: string, from: number, to: number, most: number): string =>
    `${name.padEnd(10)} ${from.toFixed(1)} MB in the first quarter, ${to.toFixed(1)} MB in the last (goal: at most ${most} MB more)`;
  return [
    line('in use', first.inUseMb, last.inUseMb, MOST_GROWTH.inUseMb),
    line('resident', first.residentMb, last.residentMb, MOST_GROWTH.residentMb),
    isFlat(growth) ? 'flat' : 'GROWS',
  ].join('\n');
}

function medianOf(samples: readonly MemorySample[]): MemorySample {
  return {
    inUseMb: median(samples.map(({ inUseMb }) => inUseMb)),
    residentMb: median(samples.map(({ residentMb }) => residentMb)),
  };
}
