import { expect, test } from 'vitest';
import { CredentialMemory } from '../../src/shares/credential-memory.ts';

const MANY = 10_000;
const memory = (): CredentialMemory => new CredentialMemory({ monotonicMs: () => 0 });

test('of known credentials 10,000 are remembered, and those that were used longest ago are forgotten', () => {
  const known = memory();
  for (let index = 0; index <= MANY; index += 1) known.remember(`digest ${index}`, 'partner');
  expect([0, 1, MANY].map((index) => known.findPartner(`digest ${index}`))).toEqual([
    undefined,
    'partner',
    'partner',
  ]);
});

test('of unknown credentials 10,000 are remembered, and they push no known one out', () => {
  const unknown = memory();
  unknown.remember('known', 'partner');
  for (let index = 0; index <= MANY; index += 1) unknown.rememberUnknown(`digest ${index}`, 0);
  expect([0, 1, MANY].map((index) => unknown.isUnknown(`digest ${index}`))).toEqual([false, true, true]);
  expect(unknown.findPartner('known')).toBe('partner');
});
