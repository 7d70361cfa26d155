import { beforeEach, describe, expect, test } from 'vitest';
import { CredentialMemory } from '../../src/shares/credential-memory.ts';

const MANY = 10_000;
const FOUND = { partnerId: 'partner', endsWith: ['user', 'application', null], leftMs: Infinity };
const memory = (): CredentialMemory => new CredentialMemory({ monotonicMs: () => 0 });

test('of known credentials 10,000 are remembered, and those that were used longest ago are forgotten', () => {
  const known = memory();
  for (let index = 0; index <= MANY; index += 1) known.remember(`digest ${index}`, FOUND);
  expect([0, 1, MANY].map((index) => known.findPartner(`digest ${index}`))).toEqual([
    undefined,
    'partner',
    'partner',
  ]);
});

test('a partner with more credentials than its part forgets its own, and no other partner’s', () => {
  const known = memory();
  for (const index of [0, 1]) known.remember(`quiet ${index}`, { ...FOUND, partnerId: 'quiet' });
  for (let index = 0; index < 2 * MANY; index += 1) known.remember(`digest ${index}`, FOUND);
  const find = (...digests: readonly string[]) => digests.map((digest) => known.findPartner(digest));
  expect(find('quiet 0', 'quiet 1', `digest ${MANY + 1}`, `digest ${MANY + 2}`)).toEqual([
    'quiet',
    'quiet',
    undefined,
    'partner',
  ]);
  // The one that was asked for last stays before those that were not.
  known.remember('digest new', FOUND);
  expect(find(`digest ${MANY + 2}`, `digest ${MANY + 3}`)).toEqual(['partner', undefined]);
});

test('of unknown credentials 10,000 are remembered, and they push no known one out', () => {
  const unknown = memory();
  unknown.remember('known', FOUND);
  for (let index = 0; index <= MANY; index += 1) unknown.rememberUnknown(`digest ${index}`, 0);
  expect([0, 1, MANY].map((index) => unknown.isUnknown(`digest ${index}`))).toEqual([false, true, true]);
  expect(unknown.findPartner('known')).toBe('partner');
});

test('of ends 10,000 are remembered: what a look-up found before the first of more counts again', () => {
  let nowMs = 0;
  const known = new CredentialMemory({ monotonicMs: () => nowMs });
  nowMs = 1;
  for (let index = 0; index <= MANY; index += 1) known.end(`digest ${index}`);
  const isProven = (index: number): boolean => {
    known.remember(`digest ${index}`, FOUND, 0);
    return known.findProvenPartner(`digest ${index}`) !== undefined;
  };
  expect([MANY, 1, 0].map(isProven)).toEqual([false, false, true]);
});

describe('the turn of its partner', () => {
  let nowMs: number;
  let known: CredentialMemory;
  beforeEach(() => {
    nowMs = 1_000;
    known = new CredentialMemory({ monotonicMs: () => nowMs });
  });
  const find = () => [known.findProvenPartner('a'), known.findPartner('a')];
  const HAS = ['partner', 'partner'];
  const HAS_NOT = [undefined, 'partner'];

  test('is a credential’s for a minute from the beginning of the look-up that found it', () => {
    known.remember('a', FOUND, 400);
    nowMs = 60_399;
    expect(find()).toEqual(HAS);
    nowMs = 60_400;
    expect(find()).toEqual(HAS_NOT);
    known.remember('a', FOUND);
    nowMs += 59_999;
    expect(find()).toEqual(HAS);
  });

  test('does not end with what the credential ended with before it was found anew', () => {
    known.remember('a', FOUND);
    known.remember('a', { ...FOUND, endsWith: ['another'] });
    known.endAllOf('user');
    expect(find()).toEqual(HAS);
    known.endAllOf('another');
    expect(find()).toEqual(HAS_NOT);
  });

  test('ends with the credential, if that is sooner', () => {
    known.remember('a', { ...FOUND, leftMs: 500 });
    nowMs = 1_499;
    expect(find()).toEqual(HAS);
    nowMs = 1_500;
    expect(find()).toEqual(HAS_NOT);
    known.remember('a', { ...FOUND, leftMs: 0 });
    expect(find()).toEqual(HAS_NOT);
  });

  test.each<[string, () => void]>([
    ['the credential', () => known.end('a')],
    ['its user', () => known.endAllOf('user')],
    ['its application', () => known.endAllOf('application')],
  ])('ends when the process is told of an end of %s, also for a look-up that began before', (_, tell) => {
    const startedMs = nowMs;
    known.remember('a', FOUND);
    known.remember('b', { ...FOUND, endsWith: ['other'] });
    nowMs += 1;
    tell();
    expect(find()).toEqual(HAS_NOT);
    known.remember('a', FOUND, startedMs);
    expect(find()).toEqual(HAS_NOT);
    expect(known.findProvenPartner('b')).toBe('partner');
    // One that is found later is right.
    known.remember('a', FOUND);
    expect(find()).toEqual(HAS);
  });
});
