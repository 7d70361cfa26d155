import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GatheredBytes } from '../../src/http/gathered-bytes.ts';

/** As Node.js gives the chunks of bodies: each in memory of its own. */
const ownBytes = (length: number): Buffer => Buffer.from(new Uint8Array(randomBytes(length)).buffer);

describe.each(['known', 'unknown'])('with a length that is %s', (kind) => {
  const begin = (chunks: readonly Buffer[]): GatheredBytes =>
    new GatheredBytes(kind === 'known' ? Buffer.concat(chunks).length : undefined);

  test('chunks of any lengths are one behind the other, in as much memory as they need', () => {
    const lengths = fc.array(fc.oneof(fc.nat(100), fc.nat(200_000)), { maxLength: 12 });
    fc.assert(
      fc.property(lengths, (each) => {
        const chunks = each.map((length) => ownBytes(length + 1));
        const all = Buffer.concat(chunks);
        const bytes = begin(chunks);
        for (const chunk of chunks) bytes.add(chunk);
        expect(bytes.length).toBe(all.length);
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
  const bytes = new GatheredBytes();
  for (const from of [10, 50]) bytes.add(shared.subarray(from, from + 10));
  expect(shared.length).toBe(100);
  expect(bytes.take().equals(Buffer.concat([shared.subarray(10, 20), shared.subarray(50, 60)]))).toBe(true);
});

test('what was gathered of a body that is given up is freed', () => {
  const bytes = new GatheredBytes(1_000_000);
  const chunk = ownBytes(70_000);
  bytes.add(chunk);
  bytes.free();
  expect(chunk.length).toBe(0);
});
