import { expect, test } from 'vitest';
import { ByteCache } from '../../../src/domain/caches/byte-cache.ts';
import { countAllCalls } from '../../support/call-counts.ts';

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

test('of all partners together the one that was asked for longest ago goes, whosever it is', () => {
  const cache = new ByteCache<string>({ maxBytes: 30 * KIB, maxBytesOfPartner: 20 * KIB });
  for (const partner of ['a', 'b', 'c']) cache.set(partner, partner, partner, BYTES);
  expect(cache.find('a')).toBe('a');
  cache.set('d', 'd', 'c', BYTES);
  expect(keys(cache, 'a', 'b', 'c', 'd')).toEqual(['a', 'c', 'd']);
  expect(cache.bytes).toBe(30 * KIB);
});

test('an entry costs no more than a few steps beside ten thousand older ones of another partner', async () => {
  const cache = new ByteCache<string>({ maxBytes: 40_000 * KIB, maxBytesOfPartner: 20_000 * KIB });
  const setOwn = (from: number, end: number): void => {
    for (let i = from; i < end; i++) cache.set(`own ${i}`, 'own', 'a', 999 * KIB);
  };
  for (let i = 0; i < 10_000; i++) cache.set(`other ${i}`, 'other', 'b', 0);
  setOwn(0, 20);
  // Each takes the place of another one of its partner.
  const calls = await countAllCalls('/domain/caches/', () => {
    setOwn(20, 120);
    return Promise.resolve();
  });
  expect(cache.bytes).toBe(30_000 * KIB);
  expect(keys(cache, 'other 0', 'own 99', 'own 100', 'own 119')).toEqual(['other 0', 'own 100', 'own 119']);
  expect(calls).toBeGreaterThan(100);
  expect(calls).toBeLessThan(100 * 50);
});
