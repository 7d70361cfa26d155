/** Cars of many places and kinds for the tests of their plans. */
import fc from 'fast-check';
import type { Household } from '../../../src/simulation/household/household.ts';
import { households } from '../fleet.ts';

/** One household with a car anywhere people live, on either side of the equator and of the date line. */
export const anyCar: fc.Arbitrary<Household> = fc
  .record({
    seed: fc.maxSafeNat(),
    place: fc.constantFrom<[readonly [number, number], ...(readonly [number, number])[]]>(
      [48.2, 16.37],
      [59.9, 10.75],
      [-33.9, 151.2],
      [40.7, -74],
      [-36.85, 174.76],
      [1.35, 103.8],
      [-31.55, 159.08],
      [-53.16, -70.9],
    ),
    kwh: fc.constantFrom(null, 300, 2500, 9000),
  })
  .map(({ seed, place: [latitude, longitude], kwh }) => {
    const plain = { annual_consumption_kwh: 3000, annual_consumption_with_ev_kwh: 3000 + (kwh ?? 0) };
    const body = { count: 1, seed, latitude, longitude, ev_ownership_fraction: 1, ...(kwh ? plain : {}) };
    const [household] = households(body);
    if (!household?.electric_vehicle) throw new Error('every household has a car here');
    return household;
  });

/** A UTC day (days since 1970) of some years, those of changed clocks and of New Year among them. */
export const anyDay: fc.Arbitrary<number> = fc.oneof(
  fc.integer({ min: Date.UTC(2024, 0, 1) / 86_400_000, max: Date.UTC(2027, 11, 31) / 86_400_000 }),
  fc
    .constantFrom([2026, 2, 29], [2026, 9, 25], [2025, 11, 31], [2026, 0, 1], [2026, 3, 5], [2026, 8, 6])
    .map(([year = 0, month = 0, date = 1]) => Date.UTC(year, month, date) / 86_400_000),
);
