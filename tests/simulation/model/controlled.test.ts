import fc from 'fast-check';
import { expect, test } from 'vitest';
import { QUARTER_HOURS_PER_DAY, QUARTER_HOUR_MS } from '../../../src/domain/api/durations.ts';
import { createPriceBook } from '../../../src/simulation/control/price-book.ts';
import { steeringOf } from '../../../src/simulation/control/steering.ts';
import { createHouseholdModel } from '../../../src/simulation/model/model.ts';
import {
  anyControl,
  arrivedBefore,
  copyDay,
  dayAheadEntries,
  dayAheadPrices,
  saidBefore,
} from '../controlled.ts';
import { households } from '../fleet.ts';

const ANCHOR = new Date('2026-03-20T13:45:00Z');
const START = ANCHOR.getTime() / QUARTER_HOUR_MS;
const FIRST_DAY = Math.floor(START / QUARTER_HOURS_PER_DAY);
/** The clocks of these places change meanwhile. */
const DAYS = 24;

const FLEET = households(
  {
    count: 6,
    seed: 77,
    latitude: 48.2,
    longitude: 16.4,
    ev_ownership_fraction: 1,
    annual_consumption_kwh: 3500,
    annual_consumption_with_ev_kwh: 7000,
    pv_rating_kw_range: { min: 0, max: 15 },
    battery_capacity_kwh_range: { min: 1, max: 30 },
  },
  ANCHOR,
);
const anyHousehold = fc.constantFrom(...FLEET);
const anyDay = fc.integer({ min: FIRST_DAY, max: FIRST_DAY + DAYS });
const control = anyControl(START, DAYS);
const PRICES = dayAheadPrices(FIRST_DAY - 1, DAYS + 3);

test('whatever is asked, energies balance and charges keep their bounds', () => {
  fc.assert(
    fc.property(anyHousehold, control, (household, asked) => {
      const model = createHouseholdModel(household, steeringOf(PRICES, asked));
      const vehicle = household.electric_vehicle;
      if (!vehicle) throw new Error('every household has a car here');
      const { battery } = household;
      for (let day = FIRST_DAY; day < FIRST_DAY + DAYS; day++) {
        const rows = model.day(day);
        const wrong: number[] = [];
        for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
          const at = (row: Int32Array | Uint8Array, index = i): number => row[index] ?? NaN;
          const balance =
            at(rows.load) + at(rows.ev) + at(rows.hp) + at(rows.charge) - at(rows.discharge) - at(rows.pv);
          const isRight =
            at(rows.grid) === balance &&
            at(rows.charge) * at(rows.discharge) === 0 &&
            at(rows.charge) <= battery.max_charge_power_w * 250 &&
            at(rows.ev) <= at(rows.pluggedIn) * vehicle.charger_power_w * 250 &&
            at(rows.vehicleStored, i + 1) >= vehicle.battery_kwh * 1e5 &&
            at(rows.vehicleStored, i + 1) <= vehicle.battery_kwh * 1e6 &&
            at(rows.stored, i + 1) >= 0 &&
            at(rows.stored, i + 1) <= battery.capacity_kwh * 1e6;
          if (!isRight) wrong.push(i);
        }
        expect([day, wrong]).toEqual([day, []]);
      }
    }),
    { numRuns: 12 },
  );
});

test('a day is the same asked for alone, in order or in any order', () => {
  fc.assert(
    fc.property(
      anyHousehold,
      control,
      fc.array(anyDay, { minLength: 2, maxLength: 5 }),
      (household, asked, days) => {
        const steering = steeringOf(PRICES, asked);
        const inOrder = createHouseholdModel(household, steering);
        const known = new Map<number, Record<string, number[]>>();
        for (let day = FIRST_DAY; day <= FIRST_DAY + DAYS; day++) known.set(day, copyDay(inOrder, day));
        const jumping = createHouseholdModel(household, steering);
        for (const day of days) {
          expect(copyDay(jumping, day)).toEqual(known.get(day));
          expect(copyDay(createHouseholdModel(household, steering), day)).toEqual(known.get(day));
        }
      },
    ),
    { numRuns: 10 },
  );
});

test('what is asked and what comes in later changes nothing before', () => {
  const entries = dayAheadEntries(FIRST_DAY - 1, DAYS + 3);
  // Every tenth price is corrected after its time, or shortly before.
  const corrections = entries
    .filter((_, i) => i % 10 === 0)
    .map(({ at, price }, i) => ({
      at,
      price: -price,
      receivedAt: new Date(at.getTime() + ((i % 5) - 3) * 3_600_000),
    }));
  const all = [...entries, ...corrections];
  const later = fc.integer({ min: START + 1, max: START + DAYS * QUARTER_HOURS_PER_DAY });
  fc.assert(
    fc.property(anyHousehold, control, later, (household, asked, quarter) => {
      const whole = createHouseholdModel(household, steeringOf(createPriceBook(all), asked));
      const known = steeringOf(createPriceBook(arrivedBefore(all, quarter)), saidBefore(asked, quarter));
      const before = createHouseholdModel(household, known);
      const day = Math.floor((quarter - 1) / QUARTER_HOURS_PER_DAY);
      const upTo = (rows: Record<string, number[]>) =>
        Object.fromEntries(
          Object.entries(rows).map(([name, row]) => [
            name,
            row.slice(0, quarter - day * QUARTER_HOURS_PER_DAY),
          ]),
        );
      expect(upTo(copyDay(whole, day))).toEqual(upTo(copyDay(before, day)));
      if (day > FIRST_DAY) expect(copyDay(whole, day - 1)).toEqual(copyDay(before, day - 1));
    }),
    { numRuns: 25 },
  );
});
