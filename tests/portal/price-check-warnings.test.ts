import { expect, test } from 'vitest';
import { createLocalClock } from '../../src/portal/local-days.ts';
import { warnOfLengths } from '../../src/portal/price-check-warnings.ts';
import type { ListedPrice } from '../../src/portal/price-list.ts';

const at = (time: string): string => `2026-11-26T${time}:00.000Z`;
const clock = createLocalClock('UTC');

function warn(uploaded: readonly string[], stored: readonly string[] = []): readonly string[] {
  const prices = uploaded.map((time) => ({
    startsAt: new Date(at(time)),
    price: 1,
    bestBid: [],
    bestAsk: [],
  }));
  return warnOfLengths(
    prices,
    stored.map((time) => ({ timestamp: at(time) }) as ListedPrice),
    clock,
  );
}

test.each([
  ['hours', ['17:00', '18:00'], ['17:00', '18:00']],
  ['whole hours of quarter hours', ['17:00', '17:15', '17:30', '17:45'], ['17:00']],
  ['quarter hours among those that are stored', ['17:15'], ['17:00', '17:15', '17:30', '17:45']],
] as const)('%s are as people mean them', (_, uploaded, stored) => {
  expect(warn(uploaded, stored)).toEqual([]);
});

test('an hour that a stored quarter hour cuts short is told', () => {
  expect(warn(['17:00'], ['17:00', '17:15', '17:30', '17:45'])).toEqual([
    'The price of 26 Nov 17:00 would count for 15 min only: one that is stored begins at 17:15 and stays. Upload each quarter hour of the hour to replace it whole.',
  ]);
});

test('a quarter hour among hours goes on until the next price', () => {
  expect(warn(['18:00', '18:15', '19:00'])).toEqual([
    'The price of 26 Nov 18:15 would count for 45 min, until 19:00: no other begins before.',
  ]);
});

test('more than four are counted', () => {
  const hours = Array.from({ length: 6 }, (_, hour) => `0${hour}:30`);
  expect(warn(hours).slice(4)).toEqual(['2 more prices of this kind.']);
});
