// Two versions by turns.
import type { Samples } from './row.ts';
import type { OpenGroup } from './version.ts';

export interface Turns {
  readonly now: readonly Samples[];
  /** Undefined where the other version could not be measured to the end. */
  readonly then: readonly Samples[] | undefined;
}

/**
 * Measures a group of both versions, each the first in every other round, and closes that of the other version. When a round of
 * the other version fails it drops out, and `onDropOut` is told why; a round of this version that fails rejects.
 */
export async function takeTurns(
  rounds: number,
  now: OpenGroup,
  past: OpenGroup | undefined,
  onDropOut: (error: unknown) => void,
): Promise<Turns> {
  const found: Samples[] = [];
  let then: Samples[] | undefined = past === undefined ? undefined : [];
  const askPast = async (): Promise<void> => {
    if (past === undefined || then === undefined) return;
    try {
      then.push(await past.round());
    } catch (error) {
      then = undefined;
      onDropOut(error);
    }
  };
  try {
    for (let round = 0; round < rounds; round += 1) {
      if (round % 2 === 1) await askPast();
      found.push(await now.round());
      if (round % 2 === 0) await askPast();
    }
  } finally {
    await past?.close();
  }
  return { now: found, then };
}
