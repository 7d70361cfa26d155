import { expect, test } from 'vitest';
import { ByteCache } from '../../../src/simulation/kernel/byte-cache.ts';

const KIB = 1_024;
/** What an entry of 9 KiB costs is 10 KiB. */
const BYTES = 9 * KIB;
const keys = (cache: ByteCache<string>, ...all: readonly string[]): readonly string[] =>
  all.filter((key) => cache.find(key) !== undefined);

test('what was asked for longest goes first, and no more bytes are kept than permitted', () => {
  const cache = new ByteCache<string>({ maxBytes: 30 * KIB, maxBytesOfPartner: 30 * KIB });
  for (const key of ['a', 'b', 'c']) cache.set(key, key, 'partner', BYTES);
  expect(cache.find('a')).toBe('a');
  cache.set('d', 'd', 'partner', BYTES);
  expect(keys(cache, 'a', 'b', 'c', 'd')).toEqual(['a', 'c', 'd']);
  expect(cache.bytes).toBe(30 * KIB);
});

test('a partner takes the place of its own entries, not of those of others', () => {
  const cache = new ByteCache<string>({ maxBytes: 40 * KIB, maxBytesOfPartner: 20 * KIB });
  cache.set('other', 'other', 'b', BYTES);
  for (let i = 0; i < 10; i++) cache.set(`a${i}`, 'a', 'a', BYTES);
  expect(keys(cache, 'other', 'a7', 'a8', 'a9')).toEqual(['other', 'a8', 'a9']);
  expect(cache.bytes).toBe(30 * KIB);
});

test('an entry that is too large is not kept, nor is the one before it', () => {
  const cache = new ByteCache<string>({ maxBytes: 40 * KIB, maxBytesOfPartner: 20 * KIB });
  cache.set('a', 'small', 'a', BYTES);
  cache.set('a', 'large', 'a', 20 * KIB);
  expect(cache.find('a')).toBeUndefined();
  expect(cache.bytes).toBe(0);
});

test('a new value takes the place of the one before', () => {
  const cache = new ByteCache<string>({ maxBytes: 40 * KIB, maxBytesOfPartner: 40 * KIB });
  for (let i = 0; i < 10; i++) cache.set('a', String(i), 'a', BYTES);
  expect(cache.find('a')).toBe('9');
  expect(cache.bytes).toBe(10 * KIB);
});
