// What became of a row since another version, both measured by turns.
import { compareRounds } from './statistics.ts';
import type { Movement } from './statistics.ts';
import { concludeRow } from './row.ts';
import type { MeasuredRow, Row, Samples } from './row.ts';

export interface Change {
  readonly row: MeasuredRow;
  /** The other version's median; null where it has no such row. */
  readonly then: number | null;
  readonly movement: Movement | null;
  readonly verdict: 'better' | 'worse' | 'within noise' | 'not there then' | 'too few rounds';
}

/** Compares the rounds of a row with the rounds of another version, or with none when it could not be measured there. */
export function compareRow(
  group: string,
  row: Row,
  now: readonly Samples[],
  then: readonly Samples[] | undefined,
): Change {
  const present = concludeRow(group, row, now);
  if (then?.every((round) => row.name in round) !== true)
    return { row: present, then: null, movement: null, verdict: 'not there then' };
  const past = concludeRow(group, row, then);
  const movement = compareRounds(toMeasured(present), toMeasured(past));
  return {
    row: present,
    then: past.figures.measured?.median ?? null,
    movement,
    verdict: toVerdict(row, movement),
  };
}

function toVerdict({ better }: Row, { change, noise, isBeyondNoise }: Movement): Change['verdict'] {
  if (Number.isNaN(noise)) return 'too few rounds';
  if (!isBeyondNoise) return 'within noise';
  return change > 0 === (better === 'more') ? 'better' : 'worse';
}

function toMeasured({ samples }: MeasuredRow): number[] {
  return samples.map(({ measured }) => measured);
}
