import { setTimeout as sleep } from 'node:timers/promises';

/** Others are committed meanwhile, and what was written reaches the disk. */
const PAUSE_MS = 10;

/**
 * Writes pieces of a large transaction one after the other; `write` says whether there was something to write. Behind each piece but the last
 * others have time to commit: the database writes its log in order, and without pauses their commits would wait for all of it.
 */
export async function writeInPieces<Piece>(
  pieces: readonly Piece[],
  write: (piece: Piece) => Promise<boolean>,
  pause: () => Promise<unknown> = () => sleep(PAUSE_MS),
): Promise<void> {
  for (const [index, piece] of pieces.entries()) {
    const hasWritten = await write(piece);
    if (hasWritten && index < pieces.length - 1) await pause();
  }
}
