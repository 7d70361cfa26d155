/** Interruptions as numbers: a device may have a thousand, which are kept for long and copied to threads. */
import { CONDITION_CODES } from './conditions.ts';
import type { Interruption } from './interruptions.ts';

/** Five numbers for each interruption: 40 bytes, and one piece to copy, where it has 100 to 400 as an object. */
export type PackedInterruptions = Float64Array;

const NUMBERS_PER_INTERRUPTION = 5;
/** In place of what it does not have while it holds. */
const NONE = NaN;

/** The interruptions in their order. */
export function packInterruptions(interruptions: readonly Interruption[]): PackedInterruptions {
  const packed = new Float64Array(interruptions.length * NUMBERS_PER_INTERRUPTION);
  for (const [at, each] of interruptions.entries()) {
    const { code, readUntilMs, endedAtMs, unsteeredFrom, unsteeredTo } = each;
    packed.set(
      [CONDITION_CODES.indexOf(code), readUntilMs, endedAtMs ?? NONE, unsteeredFrom, unsteeredTo ?? NONE],
      at * NUMBERS_PER_INTERRUPTION,
    );
  }
  return packed;
}

/** The interruptions that were packed, in their order; none of nothing. */
export function unpackInterruptions(packed: PackedInterruptions | undefined): Interruption[] {
  const interruptions: Interruption[] = [];
  for (let at = 0; at < (packed?.length ?? 0); at += NUMBERS_PER_INTERRUPTION) {
    const numberAt = (place: number): number => packed?.[at + place] ?? NONE;
    const code = CONDITION_CODES[numberAt(0)];
    if (code === undefined) throw new RangeError(`No condition has the number ${numberAt(0)}.`);
    interruptions.push({
      code,
      readUntilMs: numberAt(1),
      endedAtMs: numberOrNull(numberAt(2)),
      unsteeredFrom: numberAt(3),
      unsteeredTo: numberOrNull(numberAt(4)),
    });
  }
  return interruptions;
}

const numberOrNull = (number: number): number | null => (Number.isNaN(number) ? null : number);
