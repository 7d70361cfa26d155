// How much of the world's borders is unpacked for one question: what is asked for by code, each at most once in a process.
import { expect, test } from 'vitest';
import { findCountryCodeAt } from '../../../src/simulation/environment/geography.ts';
import { countCalls } from '../../support/call-counts.ts';

test.each([
  ['at sea', 0, -150, null, 0],
  ['in the North Sea', 55.5, 3, null, 0],
  ['in the last country of all', -19, 29.8, 'ZW', 1],
  ['where boxes of five lie over each other', 10.25, 0.75, 'TG', 5],
])('%s (%d, %d) few countries are unpacked', async (_where, latitude, longitude, code, count) => {
  const calls = await countCalls('environment/geography.ts', () => {
    expect(findCountryCodeAt(latitude, longitude)).toBe(code);
    return Promise.resolve();
  });
  expect(calls.get('findCountry') ?? 0).toBe(count);
});
