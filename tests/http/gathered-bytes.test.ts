import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { countBytes, joinPieces } from '../../src/contract/body-pieces.ts';
import type { BodyPieces } from '../../src/contract/body-pieces.ts';
import { GatheredBytes } from '../../src/http/gathered-bytes.ts';

afterEach(() => vi.restoreAllMocks());

/** As Node.js gives the chunks of bodies: each in memory of its own. */
const ownBytes = (length: number): Buffer => Buffer.from(new Uint8Array(randomBytes(length)).buffer);

const MOST = 10_000_000;

function gather(chunks: readonly Buffer[], most = MOST): BodyPieces {
  const bytes = new GatheredBytes(most);
  for (const chunk of chunks) expect(bytes.add(chunk)).toBe(true);
  return bytes.take();
}

const lengthsOf = (pieces: BodyPieces): readonly number[] => pieces.map(({ length }) => length);

describe.each(['known', 'unknown'])('with a length that is %s', (kind) => {
  test('chunks of any lengths are one behind the other, in as much memory as they need', () => {
    const lengths = fc.array(fc.oneof(fc.nat(100), fc.nat(20_000), fc.nat(200_000)), { maxLength: 20 });
    fc.assert(
      fc.property(lengths, (each) => {
        const chunks = each.map((length) => ownBytes(length + 1));
        const all = Buffer.concat(chunks);
        const pieces = gather(chunks, kind === 'known' ? all.length : MOST);
        expect(pieces.map(({ buffer }) => buffer.byteLength)).toEqual(lengthsOf(pieces));
        expect(countBytes(pieces)).toBe(all.length);
        expect(Buffer.from(joinPieces(pieces)).equals(all)).toBe(true);
      }),
    );
  });
});

test('a long chunk is a piece, of which nothing is copied', () => {
  const chunks = [ownBytes(70_000), ownBytes(16_384), ownBytes(65_536)];
  const memories = chunks.map(({ buffer }) => buffer);
  const pieces = gather(chunks);
  expect(pieces.map(({ buffer }) => memories.indexOf(buffer))).toEqual([0, 1, 2]);
});

test('short chunks are gathered in pieces of 64 KiB at most, and nothing of them is left', () => {
  const chunks = Array.from({ length: 100 }, () => ownBytes(2_000));
  expect(lengthsOf(gather(chunks))).toEqual([64_000, 64_000, 64_000, 8_000]);
  // But for those with which a piece begins.
  expect(chunks.slice(1, 32).every(({ length }) => length === 0)).toBe(true);
});

test('a body of one short chunk is that chunk', () => {
  const only = ownBytes(100);
  expect(gather([only])[0]?.buffer).toBe(only.buffer);
});

test('a chunk in memory that others share leaves that alone', () => {
  const shared = ownBytes(100_000);
  const parts = [10, 50, 20_050].map((from, n) => shared.subarray(from, from + (n < 2 ? 10 : 20_000)));
  const all = Buffer.concat(parts);
  expect(Buffer.from(joinPieces(gather(parts))).equals(all)).toBe(true);
  expect(shared.length).toBe(100_000);
});

test('what was gathered of a body that is given up is freed', () => {
  const chunks = [ownBytes(70_000), ownBytes(10), ownBytes(10)];
  const bytes = new GatheredBytes(MOST);
  for (const chunk of chunks) bytes.add(chunk);
  bytes.free();
  expect(chunks.map(({ length }) => length)).toEqual([0, 0, 0]);
});

test('of a chunk beyond the most that there may be nothing is added', () => {
  const bytes = new GatheredBytes(150_000);
  const chunks = [ownBytes(70_000), ownBytes(70_000), ownBytes(10_001)];
  const added = Buffer.concat(chunks.slice(0, 2));
  expect(chunks.map((chunk) => bytes.add(chunk))).toEqual([true, true, false]);
  expect(Buffer.from(joinPieces(bytes.take())).equals(added)).toBe(true);
});

describe('the memory of short chunks', () => {
  /** How much was taken for so many chunks of a length, one after the other. */
  function roomsFor(most: number, count: number, length: number): readonly number[] {
    const rooms = vi.spyOn(Buffer, 'allocUnsafeSlow').mockClear();
    const bytes = new GatheredBytes(most);
    for (let added = 0; added < count; added += 1) bytes.add(ownBytes(length));
    return rooms.mock.calls.map(([size]) => size);
  }

  test('grows twofold up to 64 KiB', () => {
    expect(roomsFor(1_000_000, 10, 10_000)).toEqual([20_000, 40_000, 65_536, 60_000, 20_000, 40_000]);
  });

  test('is never more than the body may have', () => {
    expect(roomsFor(33_000, 4, 8_000)).toEqual([16_000, 32_000]);
    expect(roomsFor(25_000, 3, 8_000)).toEqual([16_000, 25_000]);
  });

  test('is 1 KiB for those of a byte', () => {
    expect(roomsFor(1_000_000, 1_000, 1)).toEqual([1_024]);
  });
});
