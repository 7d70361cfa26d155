import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { GatheredBytes } from '../../src/http/gathered-bytes.ts';

afterEach(() => vi.restoreAllMocks());

/** As Node.js gives the chunks of bodies: each in memory of its own. */
const ownBytes = (length: number): Buffer => Buffer.from(new Uint8Array(randomBytes(length)).buffer);

describe.each(['known', 'unknown'])('with a length that is %s', (kind) => {
  const begin = (chunks: readonly Buffer[]): GatheredBytes =>
    new GatheredBytes(kind === 'known' ? Buffer.concat(chunks).length : 10_000_000);

  test('chunks of any lengths are one behind the other, in as much memory as they need', () => {
    const lengths = fc.array(fc.oneof(fc.nat(100), fc.nat(200_000)), { maxLength: 12 });
    fc.assert(
      fc.property(lengths, (each) => {
        const chunks = each.map((length) => ownBytes(length + 1));
        const all = Buffer.concat(chunks);
        const bytes = begin(chunks);
        for (const chunk of chunks) bytes.add(chunk);
        const taken = bytes.take();
        expect(taken.equals(all)).toBe(true);
        expect(taken.buffer.byteLength).toBe(all.length);
      }),
    );
  });

  test('nothing of a chunk is left, but where it is alone', () => {
    const chunks = [ownBytes(70_000), ownBytes(70_000), ownBytes(70_000)];
    const bytes = begin(chunks);
    for (const chunk of chunks) bytes.add(chunk);
    expect(chunks.map(({ length }) => length)).toEqual([0, 0, 0]);

    const only = ownBytes(70_000);
    const alone = begin([only]);
    alone.add(only);
    expect(alone.take().buffer).toBe(only.buffer);
    expect(only.length).toBe(70_000);
  });
});

test('a chunk in memory that others share leaves that alone', () => {
  const shared = ownBytes(100);
  const bytes = new GatheredBytes(1_000);
  for (const from of [10, 50]) bytes.add(shared.subarray(from, from + 10));
  expect(shared.length).toBe(100);
  expect(bytes.take().equals(Buffer.concat([shared.subarray(10, 20), shared.subarray(50, 60)]))).toBe(true);
});

test('what was gathered of a body that is given up is freed', () => {
  const rooms = vi.spyOn(Buffer, 'allocUnsafeSlow');
  const bytes = new GatheredBytes(1_000_000);
  const chunk = ownBytes(70_000);
  bytes.add(chunk);
  bytes.add(ownBytes(70_000));
  bytes.free();
  expect(rooms.mock.results.map(({ value }) => (value as Buffer).length)).toEqual([0]);

  const alone = ownBytes(70_000);
  const begun = new GatheredBytes(1_000_000);
  begun.add(alone);
  begun.free();
  expect(alone.length).toBe(0);
});

test('of a chunk beyond the most that there may be nothing is added', () => {
  const bytes = new GatheredBytes(150_000);
  const chunks = [ownBytes(70_000), ownBytes(70_000), ownBytes(10_001)];
  const added = Buffer.concat(chunks.slice(0, 2));
  expect(chunks.map((chunk) => bytes.add(chunk))).toEqual([true, true, false]);
  expect(bytes.take().equals(added)).toBe(true);
});

describe('the memory of a body', () => {
  /** How much was taken for so many chunks of a length, one after the other. */
  function roomsFor(most: number, count: number, length: number): readonly number[] {
    const rooms = vi.spyOn(Buffer, 'allocUnsafeSlow').mockClear();
    const bytes = new GatheredBytes(most);
    for (let added = 0; added < count; added += 1) bytes.add(ownBytes(length));
    return rooms.mock.calls.map(([size]) => size);
  }

  test('grows twofold, so that each byte is moved twice in all', () => {
    expect(roomsFor(1_000_000, 100, 10_000)).toEqual([
      20_000, 40_000, 80_000, 160_000, 320_000, 640_000, 1_000_000,
    ]);
  });

  test('is never more than the body may have', () => {
    expect(roomsFor(150_000, 2, 70_000)).toEqual([140_000]);
    expect(roomsFor(150_000, 3, 50_000)).toEqual([100_000, 150_000]);
  });

  test('is 1 KiB for short chunks', () => {
    expect(roomsFor(1_000_000, 2, 1)).toEqual([1_024]);
  });
});
