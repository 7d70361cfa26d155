import { expect, test } from 'vitest';
import fc from 'fast-check';
import { daySegmentsIn, localQuarterAt, utcQuarterAt } from '../../../src/simulation/time/local-day.ts';
import type { DaySegment } from '../../../src/simulation/time/local-day.ts';
import { collectGarbage } from '../../support/garbage.ts';

const ZONES = [
  'Europe/Vienna',
  'America/New_York',
  'Australia/Lord_Howe',
  'America/Santiago',
  'Asia/Kathmandu',
];
const quarter = fc.integer({ min: Date.UTC(2020, 0, 1) / 900_000, max: Date.UTC(2030, 0, 1) / 900_000 });

test('a local time is found again in UTC, at most a change of the clock away', () => {
  fc.assert(
    fc.property(fc.constantFrom(...ZONES), quarter, (zone, utc) => {
      const { localDay, localQuarter } = localQuarterAt(zone, utc);
      const found = utcQuarterAt(zone, localDay, localQuarter);
      expect(Math.abs(found - utc)).toBeLessThanOrEqual(4);
      expect(localQuarterAt(zone, found)).toEqual({ localDay, localQuarter });
      expect(utcQuarterAt(zone, localDay - 1, localQuarter + 96)).toBe(found);
    }),
  );
});

test('a time that the clocks skip lies within an hour of the change', () => {
  const change = Date.UTC(2026, 2, 29, 1) / 900_000;
  const localDay = Date.UTC(2026, 2, 29) / 86_400_000;
  for (let skipped = 8; skipped < 12; skipped++) {
    expect(Math.abs(utcQuarterAt('Europe/Vienna', localDay, skipped) - change)).toBeLessThanOrEqual(4);
  }
});

/** What the quarter hours of a day are by the clock, one after the other. */
const quartersOf = (zone: string, day: number): unknown[] =>
  Array.from({ length: 96 }, (_, quarter) => localQuarterAt(zone, 96 * day + quarter));

const quartersIn = (segments: readonly DaySegment[]): unknown[] =>
  segments.flatMap(({ from, to, localDay, localQuarter }) =>
    Array.from({ length: to - from }, (_, index) => ({ localDay, localQuarter: localQuarter + index })),
  );

test('the segments of a day are its quarter hours by the clock, whatever day was asked for before', () => {
  const segmentsOf = new Map(ZONES.map((zone) => [zone, daySegmentsIn(zone)]));
  const recent = fc.integer({ min: 18_000, max: 22_000 });
  const days = fc.oneof(recent, recent, fc.integer({ min: -720_000, max: 2_900_000 }));
  fc.assert(
    fc.property(fc.constantFrom(...ZONES), days, (zone, day) => {
      for (const each of [day, day + 1, day - 1]) {
        expect(quartersIn(segmentsOf.get(zone)?.(each) ?? [])).toEqual(quartersOf(zone, each));
      }
    }),
  );
  for (const change of ['2026-03-29', '2026-10-25']) {
    const day = Date.parse(change) / 86_400_000;
    expect(quartersIn(daySegmentsIn('Europe/Vienna')(day))).toEqual(quartersOf('Europe/Vienna', day));
  }
});

test('of the segments of days nothing is kept', async () => {
  const kept = ZONES.map((zone) => {
    const segmentsOf = daySegmentsIn(zone);
    const refs = Array.from({ length: 800 }, (_, day) => new WeakRef(segmentsOf(20_000 + day)));
    return { segmentsOf, refs };
  });
  // What a WeakRef was made of lives to the end of its turn.
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  const left = kept.flatMap(({ refs }) => refs.filter((ref) => ref.deref() !== undefined));
  expect(left).toEqual([]);
  expect(kept.map(({ segmentsOf }) => segmentsOf(20_000).length)).toEqual([2, 2, 2, 2, 2]);
});
