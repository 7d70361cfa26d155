import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { isPricePast, parsePriceEntries } from '../../../src/domain/prices/prices.ts';
import { nextQuarterHour } from '../../../src/domain/api/quarter-hours.ts';
import { createZoneOffsetLookup, listInstantsOfWallTime } from '../../../src/domain/prices/zone-offsets.ts';

const zones = [
  'UTC',
  'Europe/Vienna',
  'America/St_Johns',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Africa/Casablanca',
];
const offsets = (zone: string) => {
  const offsetAt = createZoneOffsetLookup(zone);
  if (offsetAt === undefined) throw new Error(`${zone} is unknown here.`);
  return offsetAt;
};

describe('a wall time', () => {
  test('of an instant leads back to it, in any zone', () => {
    const range = { min: Date.UTC(1985, 0), max: Date.UTC(2037, 0) };
    fc.assert(
      fc.property(fc.constantFrom(...zones), fc.integer(range), (zone, instant) => {
        const offsetAt = offsets(zone);
        expect(listInstantsOfWallTime(instant + offsetAt(instant), offsetAt)).toContain(instant);
      }),
    );
  });

  test('in a gap is no instant, in a fold two, even of half an hour', () => {
    const lordHowe = offsets('Australia/Lord_Howe');
    expect(listInstantsOfWallTime(Date.UTC(2026, 9, 4, 2, 15), lordHowe)).toEqual([]);
    expect(listInstantsOfWallTime(Date.UTC(2026, 3, 5, 1, 45), lordHowe).toSorted()).toEqual([
      Date.UTC(2026, 3, 4, 14, 45),
      Date.UTC(2026, 3, 4, 15, 15),
    ]);
    // Samoa left out 30 December 2011 when it crossed the date line.
    expect(listInstantsOfWallTime(Date.UTC(2011, 11, 30, 12), offsets('Pacific/Apia'))).toEqual([]);
  });
});

test('a delivery quarter is over when the next one begins', () => {
  const startsAt = new Date('2026-06-15T12:00:00Z');
  expect(isPricePast(startsAt, new Date('2026-06-15T12:14:59.999Z'))).toBe(false);
  expect(isPricePast(startsAt, new Date('2026-06-15T12:15:00Z'))).toBe(true);
  expect(nextQuarterHour(new Date('2026-06-15T12:15:00Z'))).toEqual(new Date('2026-06-15T12:30:00Z'));
});

describe('the entries of an upload', () => {
  const entry = (timestamp: string) => ({ timestamp, price: 50 });

  test('are read in the order of their instants, whatever theirs', () => {
    const entries = ['2026-06-15T12:15Z', '2026-06-15T12:00Z', '2026-06-15T12:30Z'].map(entry);
    const { prices, errors } = parsePriceEntries(entries, undefined);
    expect(errors).toEqual([]);
    expect(prices.map(({ startsAt }) => startsAt.toISOString().slice(11, 16))).toEqual([
      '12:00',
      '12:15',
      '12:30',
    ]);
  });

  test.each(['2026-06-15T12:05Z', '2026-06-15T12:10Z', '2026-06-15T12:00:01Z', '2026-06-15T12:00:00.001Z'])(
    '%s is on no quarter hour',
    (timestamp) => {
      const { errors } = parsePriceEntries([entry(timestamp)], undefined);
      expect(errors).toMatchObject([{ pointer: '/data/0/timestamp', code: 'timestamp_alignment' }]);
    },
  );
});
