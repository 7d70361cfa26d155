import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Household } from '../../../src/simulation/household/household.ts';
import { ARCHETYPES } from '../../../src/simulation/household/profiles.ts';
import { createLoadDayFiller } from '../../../src/simulation/people/household-load.ts';
import { Whereabouts } from '../../../src/simulation/people/whereabouts.ts';
import { normProfile } from '../../../src/simulation/people/norm-profile.ts';
import { dayTypeOf } from '../../../src/simulation/time/day-type.ts';
import { loadFigures } from '../../../tools/validate/load-figures.ts';
import { shareOfHighNights } from '../../../tools/validate/night-floor.ts';
import { halfHourPowers } from '../../../tools/validate/simulated-loads.ts';
import { median, quantile } from '../../../tools/validate/statistics.ts';
import { first, households } from '../fleet.ts';

const FIRST_DAY = Date.UTC(2025, 0, 1) / 86_400_000;
const base: Household = { ...first(households({ count: 1 })), time_zone: 'UTC', country: 'DE' };

function yearOf(household: Household): Int32Array {
  const year = new Int32Array(35_040);
  const fill = createLoadDayFiller(household);
  for (let day = 0; day < 365; day++) fill(FIRST_DAY + day, year.subarray(96 * day, 96 * day + 96));
  return year;
}
const sum = (values: Iterable<number>): number => {
  let total = 0;
  for (const value of values) total += value;
  return total;
};

const arbitraryHousehold = fc
  .record({
    seed: fc.maxSafeNat(),
    index: fc.nat(999),
    profile: fc.constantFrom(...ARCHETYPES.map(({ name }) => name)),
    load_annual_kwh: fc.integer({ min: 300, max: 20_000 }),
    time_shift_minutes: fc.integer({ min: -18_000, max: 18_000 }).map((shift) => shift / 100),
    day_variation: fc.integer({ min: 0, max: 25 }).map((part) => part / 100),
    latitude: fc.constantFrom(-35, 0, 50),
    time_zone: fc.constantFrom(
      'UTC',
      'Europe/Berlin',
      'Asia/Kathmandu',
      'Pacific/Auckland',
      'America/St_Johns',
    ),
  })
  .map((drawn): Household => ({ ...base, ...drawn }));

test('a day is the same whatever days were asked before', () => {
  const days = fc.array(fc.integer({ min: FIRST_DAY - 1500, max: FIRST_DAY + 1500 }), {
    minLength: 1,
    maxLength: 12,
  });
  fc.assert(
    fc.property(arbitraryHousehold, days, (household, asked) => {
      const fill = createLoadDayFiller(household);
      const [row, alone] = [new Int32Array(96), new Int32Array(96)];
      for (const day of asked.flatMap((its) => [its, its + 1, its - 1])) {
        fill(day, row);
        createLoadDayFiller(household)(day, alone.fill(-1));
        expect(row).toEqual(alone);
      }
    }),
    { numRuns: 40 },
  );
});

test('powers are those of a house: never negative, always some base, no peak beyond what appliances take together', () => {
  fc.assert(
    fc.property(arbitraryHousehold, fc.integer({ min: -1500, max: 1500 }), (household, ahead) => {
      const row = new Int32Array(96);
      createLoadDayFiller(household)(FIRST_DAY + ahead, row);
      const meanMilliWh = (household.load_annual_kwh * 1e6) / 35_040;
      expect(Math.min(...row)).toBeGreaterThanOrEqual(0.89 * household.habits.base_share * meanMilliWh);
      expect(Math.max(...row)).toBeLessThan(250_000 * 12 + 8 * meanMilliWh);
    }),
  );
});

test('a household consumes what was asked within 10 %, a fleet within 1 %', () => {
  for (const annual of [1200, 3500, 9000]) {
    const ratios = Array.from({ length: 60 }, (_, index) => {
      const profile = ARCHETYPES[index % ARCHETYPES.length]?.name ?? '';
      const year = yearOf({ ...base, index: 1000 + index, profile, load_annual_kwh: annual });
      return sum(year) / (annual * 1e6);
    });
    expect(Math.max(...ratios.map((ratio) => Math.abs(ratio - 1)))).toBeLessThan(0.1);
    expect(Math.abs(sum(ratios) / ratios.length - 1)).toBeLessThan(0.01);
  }
});

test('the fleet follows the norm profile by hour on working days of January and July', () => {
  const fleet = households({ count: 250 });
  for (const month of [0, 6]) {
    const from = Date.UTC(2025, month, 1) / 86_400_000;
    const hours = new Float64Array(24);
    let asked = 0;
    const days = Array.from({ length: 31 }, (_, i) => from + i).filter(
      (day) => dayTypeOf(day, 'DE') === 'workday',
    );
    for (const household of fleet) {
      asked += household.load_annual_kwh;
      const fill = createLoadDayFiller({ ...household, time_zone: 'UTC' });
      const row = new Int32Array(96);
      for (const day of days) {
        fill(day, row);
        for (const [i, energy] of row.entries()) hours[i >> 2] = (hours[i >> 2] ?? 0) + energy;
      }
    }
    const scale = (asked * 1e6 * 4 * days.length) / 35_040;
    const squares = Array.from(hours, (energy, hour) => {
      const norm = sum(normProfile(month, 'workday').subarray(4 * hour, 4 * hour + 4)) / 4;
      return (energy / scale - norm) ** 2;
    });
    expect(Math.sqrt(sum(squares) / 24)).toBeLessThan(0.05);
  }
});

test('peaks, memory and days are those of measured homes', () => {
  const fleet = households({ count: 24 });
  const figures = fleet.map((household) =>
    loadFigures(halfHourPowers(yearOf({ ...household, time_zone: 'UTC' })), 3),
  );
  const of = (name: keyof (typeof figures)[number]): number[] => figures.map((its) => its[name]);
  expect(median(of('max_over_mean'))).toBeGreaterThan(9);
  expect(median(of('max_over_mean'))).toBeLessThan(16);
  expect(median(of('ac_lag1'))).toBeGreaterThan(0.45);
  expect(median(of('ac_lag1'))).toBeLessThan(0.7);
  expect(median(of('ac_1h'))).toBeGreaterThan(0.19);
  expect(median(of('ac_1h'))).toBeLessThan(0.49);
  expect(median(of('ac_1d'))).toBeGreaterThan(0.1);
  expect(median(of('ac_1d'))).toBeLessThan(0.32);
  expect(median(of('night_share_0_5'))).toBeGreaterThan(0.09);
  expect(median(of('night_share_0_5'))).toBeLessThan(0.16);
  expect(quantile(of('night_share_0_5'), 0.9) - quantile(of('night_share_0_5'), 0.1)).toBeGreaterThan(0.03);
});

test('nothing but the base runs while all are away', () => {
  let found = 0;
  for (let index = 0; index < 20; index++) {
    const household = { ...base, index, time_shift_minutes: 0 };
    const whereabouts = new Whereabouts(household);
    const baseMilliWh = (base.load_annual_kwh * 1e6 * base.habits.base_share) / 35_040;
    for (let day = FIRST_DAY; day < FIRST_DAY + 365; day++) {
      if (!whereabouts.isAway(day) || !whereabouts.isAway(day - 1)) continue;
      found += 1;
      const row = new Int32Array(96);
      createLoadDayFiller(household)(day, row);
      expect(Math.max(...row)).toBeLessThan(1.11 * baseMilliWh);
    }
  }
  expect(found).toBeGreaterThan(10);
});

test('a day later by the time shift is the same day, later', () => {
  const [early, late] = [0, 45].map((shift) => yearOf({ ...base, time_shift_minutes: shift }));
  expect(late?.subarray(3, 35_040)).toEqual(early?.subarray(0, 35_037));
});

test('a household that asks for nothing takes nothing', () => {
  const row = new Int32Array(96).fill(7);
  createLoadDayFiller({ ...base, load_annual_kwh: 0 })(FIRST_DAY, row);
  expect(sum(row)).toBe(0);
});

test('a day has no seam: at midnight the load changes no more than in the quarter hours around it', () => {
  const change = { atMidnight: 0, around: 0 };
  for (let index = 0; index < 30; index++) {
    const year = yearOf({ ...base, index, time_shift_minutes: 0 });
    const step = (i: number): number => Math.abs((year[i] ?? 0) - (year[i - 1] ?? 0));
    for (let day = 1; day < 365; day++) {
      change.atMidnight += step(96 * day);
      change.around += (step(96 * day - 1) + step(96 * day + 1)) / 2;
    }
  }
  expect(change.atMidnight).toBeLessThan(1.2 * change.around);
});

test('families use less by night than by day, but on few winter days', () => {
  const families = households({ count: 120 }).filter(({ profile }) => profile.startsWith('family'));
  let [asMuch, days] = [0, 0];
  for (const family of families) {
    const year = yearOf({ ...family, time_zone: 'UTC' });
    const perHour = (from: number, to: number): number => sum(year.subarray(from, to)) / (to - from);
    for (let start = 0; start < 59 * 96; start += 96) {
      asMuch += perHour(start, start + 24) >= perHour(start + 24, start + 96) ? 1 : 0;
      days += 1;
    }
  }
  expect(asMuch / days).toBeLessThan(0.05);
});

test('what runs all through a July night runs in the evening, too, in nearly all homes', () => {
  const homes = households({ count: 60 }).map((home) =>
    halfHourPowers(yearOf({ ...home, time_zone: 'UTC' })),
  );
  expect(shareOfHighNights(homes)).toBeLessThan(0.15);
});
