/** Plans of days on which clocks are changed, in all time zones. */
import { expect, test } from 'vitest';
import { QUARTER_HOUR_MS } from '../../../src/domain/api/durations.ts';
import { createPriceBook } from '../../../src/simulation/control/price-book.ts';
import { UNSTEERED, steeringOf } from '../../../src/simulation/control/steering.ts';
import type { Steering } from '../../../src/simulation/control/steering.ts';
import { MAX_PLANNED_QUARTERS } from '../../../src/simulation/devices/battery-plan.ts';
import { createHouseholdModel } from '../../../src/simulation/model/model.ts';
import { utcQuarterAt } from '../../../src/simulation/time/local-day.ts';
import { toldFromStart } from '../controlled.ts';
import { households } from '../fleet.ts';

/** Local quarter hour with which a plan begins. */
const START = 56;
const dayNumber = (date: string): number => Date.parse(date) / 86_400_000;

test('the longest day of all time zones has room in a plan', () => {
  let longest = 0;
  for (const zone of [...Intl.supportedValuesOf('timeZone'), 'Antarctica/Troll', 'Antarctica/Casey']) {
    let start = utcQuarterAt(zone, dayNumber('2022-01-01'), START);
    for (let day = dayNumber('2022-01-02'); day < dayNumber('2028-01-01'); day++) {
      const end = utcQuarterAt(zone, day, START);
      longest = Math.max(longest, end - start);
      start = end;
    }
  }
  // Three hours more, at Casey in March 2023.
  expect(longest).toBe(108);
  expect(longest).toBeLessThanOrEqual(MAX_PLANNED_QUARTERS);
});

test('the last hour of the longest day counts: where it is dear, no battery pays more for its plan', () => {
  // Clocks of Troll go from UTC+2 to UTC on the night after.
  const day = dayNumber('2026-10-24');
  const [first, end] = [0, 1].map((days) => utcQuarterAt('Antarctica/Troll', day + days, START));
  if (first === undefined || end === undefined) throw new Error('no day');
  expect(end - first).toBe(104);
  const priceOf = (quarter: number): number =>
    quarter >= end - 4 && quarter < end ? 4000 : quarter % 96 < 48 ? 50 : 70;
  const receivedAt = new Date((first - 6 * 96) * QUARTER_HOUR_MS);
  const prices = createPriceBook(
    Array.from({ length: 8 * 96 }, (_, i) => {
      const quarter = first - 3 * 96 + i;
      return { at: new Date(quarter * QUARTER_HOUR_MS), price: priceOf(quarter), receivedAt };
    }),
  );
  const steering = steeringOf(
    prices,
    toldFromStart({ battery: { price_response: true, grid_charging: true } }),
  );
  const place = { latitude: -72.01, longitude: 2.53, ev_ownership_fraction: 0, pv_rating_kw: 8 };
  const anchor = new Date((first - 20 * 96) * QUARTER_HOUR_MS);
  for (const household of households({ count: 6, seed: 3, ...place }, anchor)) {
    const cost = (its: Steering): number => {
      const model = createHouseholdModel(household, its);
      let total = 0;
      for (let quarter = first; quarter < end; quarter++) {
        const { grid } = model.quarter(quarter);
        total += priceOf(quarter) * (grid > 0 ? grid : grid / 2);
      }
      return total;
    };
    expect(cost(steering)).toBeLessThanOrEqual(cost(UNSTEERED));
  }
});
