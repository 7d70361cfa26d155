import { setTimeout } from 'node:timers/promises';

/** What a batch should take: it holds its locks for as long, and must stay below 50 ms on a slow server too. */
const TARGET_MS = 15;
/** The size of the first batch, and the smallest. */
const FIRST_SIZE = 100;
const LEAST_SIZE = 10;

/** Removes at most `limit` rows; resolves to how many it has, or to `limit` when more may be left. */
export type RemoveBatch = (limit: number) => Promise<number>;

export interface BatchOptions {
  /** Rows of a batch at most. */
  readonly most: number;
  /** Milliseconds after which no further batch begins; as long as it takes unless it is set. */
  readonly mostMs?: number;
  /** Milliseconds of a clock that never goes back. */
  readonly monotonicMs: () => number;
  readonly isStopped: () => boolean;
}

/**
 * Removes rows batch by batch until one is not full: `removeBatch` gets the most rows that it may remove and resolves to how many
 * it has, or to that number when more may be left. The sizes follow the time that batches take, and as long as one took, or should take, nothing is done after it: removing takes
 * half of the time, more only while batches are still too large. Resolves to whether more may be left, since its time is over or it was stopped.
 */
export async function removeInBatches(
  removeBatch: RemoveBatch,
  { most, mostMs = Infinity, monotonicMs, isStopped }: BatchOptions,
): Promise<boolean> {
  const begunAt = monotonicMs();
  let size = Math.min(FIRST_SIZE, most);
  while (!isStopped()) {
    const startedAt = monotonicMs();
    const removed = await removeBatch(size);
    const endedAt = monotonicMs();
    if (removed < size) return false;
    if (endedAt - begunAt >= mostMs) return true;
    const tookMs = endedAt - startedAt;
    if (tookMs > TARGET_MS) size = Math.max(Math.min(LEAST_SIZE, most), Math.floor(size / 2));
    else if (tookMs < TARGET_MS / 2) size = Math.min(size * 2, most);
    await setTimeout(Math.min(tookMs, TARGET_MS));
  }
  return true;
}
