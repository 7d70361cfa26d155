import { freeBytes } from './free-bytes.ts';

/**
 * The bytes of a body in the pieces in which they came, so that a long one is moved to a thread as it is. Each piece has memory to
 * itself.
 */
export type BodyPieces = readonly Uint8Array<ArrayBuffer>[];

/** How many bytes they are in all. */
export function countBytes(pieces: BodyPieces): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}

/** All of them in one, which is the piece itself where there is one; of several nothing is left. */
export function joinPieces(pieces: BodyPieces): Uint8Array<ArrayBuffer> {
  const [first = new Uint8Array(0), ...others] = pieces;
  if (others.length === 0) return first;
  const joined = new Uint8Array(countBytes(pieces));
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.length;
    freeBytes(piece);
  }
  return joined;
}
