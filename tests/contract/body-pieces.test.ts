import { expect, test } from 'vitest';
import { countBytes, joinPieces } from '../../src/contract/body-pieces.ts';

const pieceOf = (...bytes: readonly number[]): Uint8Array<ArrayBuffer> => Uint8Array.from(bytes);

test('several pieces are joined in their order, and nothing of them is left', () => {
  const pieces = [pieceOf(1, 2), pieceOf(), pieceOf(3)];
  expect(countBytes(pieces)).toBe(3);
  expect(joinPieces(pieces)).toEqual(pieceOf(1, 2, 3));
  expect(countBytes(pieces)).toBe(0);
});

test('one piece is left as it is, and none is no bytes', () => {
  const only = pieceOf(1, 2);
  expect(joinPieces([only])).toBe(only);
  expect(joinPieces([])).toEqual(pieceOf());
});
