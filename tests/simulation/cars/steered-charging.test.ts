import fc from 'fast-check';
import { expect, test } from 'vitest';
import { QUARTER_HOURS_PER_DAY, QUARTER_HOUR_MS } from '../../../src/domain/api/durations.ts';
import { nextReadyBy } from '../../../src/simulation/cars/ready-by.ts';
import { DEFAULT_VEHICLE_PREFERENCES } from '../../../src/simulation/control/preferences.ts';
import type { VehiclePreferences } from '../../../src/simulation/control/preferences.ts';
import { NO_PRICES } from '../../../src/simulation/control/price-book.ts';
import { steeringOf, UNSTEERED } from '../../../src/simulation/control/steering.ts';
import { vehicleBatteryLimitsOf } from '../../../src/simulation/devices/vehicle.ts';
import type { Household } from '../../../src/simulation/household/household.ts';
import { createHouseholdModel } from '../../../src/simulation/model/model.ts';
import type { HouseholdModel } from '../../../src/simulation/model/model.ts';
import { dayAheadPrices, toldFromStart } from '../controlled.ts';
import { households } from '../fleet.ts';

const ANCHOR = new Date('2026-03-20T13:45:00Z');
const START = ANCHOR.getTime() / QUARTER_HOUR_MS;
const FIRST_DAY = Math.floor(START / QUARTER_HOURS_PER_DAY);
const DAYS = 30;
const PRICES = dayAheadPrices(FIRST_DAY - 1, DAYS + 3);

const CARS = households(
  {
    count: 40,
    seed: 3,
    latitude: 48.2,
    longitude: 16.4,
    ev_ownership_fraction: 1,
    annual_consumption_kwh: 3000,
    annual_consumption_with_ev_kwh: 6000,
  },
  ANCHOR,
).map((household): Household => ({ ...household, heat_pump: null }));

interface CarQuarter {
  readonly at: number;
  readonly plugged: boolean;
  readonly stored: number;
  readonly ev: number;
}

function quartersOf(model: HouseholdModel): CarQuarter[] {
  const quarters: CarQuarter[] = [];
  for (let day = FIRST_DAY; day < FIRST_DAY + DAYS; day++) {
    const { pluggedIn, vehicleStored, ev } = model.day(day);
    for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
      const at = day * QUARTER_HOURS_PER_DAY + i;
      quarters.push({ at, plugged: pluggedIn[i] === 1, stored: vehicleStored[i] ?? NaN, ev: ev[i] ?? NaN });
    }
  }
  return quarters;
}

const smart = (preferences: Partial<VehiclePreferences> = {}, prices = PRICES) =>
  steeringOf(prices, toldFromStart({ vehicle: { charge_policy: 'smart', ...preferences } }));

/** The stays that begin and end in the time looked at. */
function staysOf(quarters: readonly CarQuarter[]): { first: number; end: number }[] {
  const stays: { first: number; end: number }[] = [];
  let first = NaN;
  for (const [i, { plugged }] of quarters.entries()) {
    const before = quarters[i - 1]?.plugged;
    if (plugged && before === false) first = i;
    if (!plugged && before === true && !Number.isNaN(first)) stays.push({ first, end: i });
  }
  return stays;
}

test('a smart car has its target when it is to be ready wherever charging at once brings it, and leaves with the same charge', () => {
  let stays = 0;
  let missed = 0;
  for (const household of CARS) {
    const vehicle = household.electric_vehicle;
    if (!vehicle) throw new Error('every household has a car here');
    const { target, chargeAc } = vehicleBatteryLimitsOf(vehicle);
    const step = Math.round(chargeAc * 0.9);
    const byPrice = quartersOf(createHouseholdModel(household, smart()));
    const atOnce = quartersOf(createHouseholdModel(household, UNSTEERED));
    for (const { first, end } of staysOf(byPrice)) {
      const begin = byPrice[first];
      const leave = byPrice[end];
      if (!begin || !leave) throw new Error('a stay has ends');
      const ready = nextReadyBy(DEFAULT_VEHICLE_PREFERENCES.ready_by, household.time_zone, begin.at);
      const due = byPrice[Math.min(end, first + ready - begin.at)];
      const possible = Math.min(target, begin.stored + step * ((due?.at ?? NaN) - begin.at));
      expect(due?.stored).toBe(possible);
      expect(leave.stored).toBe(atOnce[end]?.stored);
      stays++;
      if (possible < target) missed++;
    }
  }
  expect(stays).toBeGreaterThan(300);
  // Short stays, small chargers: known to happen, and rare.
  expect(missed / stays).toBeGreaterThan(0);
  expect(missed / stays).toBeLessThan(0.3);
});

test('a smart car pays less than one that charges at once', () => {
  const cost = (model: HouseholdModel) =>
    quartersOf(model).reduce(
      (sum, { at, ev }) => sum + ev * (PRICES.priceAt(at * QUARTER_HOUR_MS, at * QUARTER_HOUR_MS) ?? 0),
      0,
    );
  for (const household of CARS) {
    const withoutSun = { ...household, pv: { ...household.pv, rating_kw: 0 } };
    const byPrice = cost(createHouseholdModel(withoutSun, smart()));
    expect(byPrice).toBeLessThanOrEqual(cost(createHouseholdModel(withoutSun, UNSTEERED)));
  }
});

test('without a price and without sun a smart car charges at once', () => {
  for (const household of CARS.slice(0, 8)) {
    const withoutSun = { ...household, pv: { ...household.pv, rating_kw: 0 } };
    const byPrice = quartersOf(createHouseholdModel(withoutSun, smart({}, NO_PRICES)));
    expect(byPrice).toEqual(quartersOf(createHouseholdModel(withoutSun, UNSTEERED)));
  }
});

test('what is below the minimum is charged at once', () => {
  for (const household of CARS.slice(0, 12)) {
    const vehicle = household.electric_vehicle;
    if (!vehicle) throw new Error('every household has a car here');
    const { capacity, target, chargeAc } = vehicleBatteryLimitsOf(vehicle);
    const least = Math.min(target, Math.round(capacity * 0.6));
    const step = Math.round(chargeAc * 0.9);
    const quarters = quartersOf(createHouseholdModel(household, smart({ minimum_soc_percent: 60 })));
    for (const [i, { plugged, stored }] of quarters.entries()) {
      const next = quarters[i + 1];
      if (plugged && next) expect(next.stored).toBeGreaterThanOrEqual(Math.min(least, stored + step));
    }
  }
});

test('a boost charges at once, and a car that is not steered charges as it does by itself', () => {
  const [household] = CARS;
  if (!household) throw new Error('empty');
  const plain = quartersOf(createHouseholdModel(household, UNSTEERED));
  const always = [{ first: 0, end: Number.MAX_SAFE_INTEGER }];
  for (const held of [{ boosts: always }, { unsteered: always }]) {
    const { control } = smart();
    const asked = { ...control, electricVehicle: { ...control.electricVehicle, ...held } };
    expect(quartersOf(createHouseholdModel(household, steeringOf(PRICES, asked)))).toEqual(plain);
  }
});

test('a car is to be ready at the first time that lies ahead, over nights without one and changed clocks', () => {
  const only = { monday: null, tuesday: null, wednesday: null, thursday: null, friday: null, saturday: null };
  const readyBy = { ...only, sunday: '03:30' };
  const after = (iso: string) => Date.parse(iso) / QUARTER_HOUR_MS;
  const ready = (iso: string, times = readyBy as VehiclePreferences['ready_by']) =>
    new Date(nextReadyBy(times, 'Europe/Vienna', after(iso)) * QUARTER_HOUR_MS).toISOString();
  expect(ready('2026-03-23T18:00:00Z')).toBe('2026-03-29T01:30:00.000Z');
  expect(ready('2026-03-29T01:30:00Z')).toBe('2026-04-05T01:30:00.000Z');
  expect(ready('2026-03-23T18:00:00Z', { ...readyBy, sunday: null })).toBe('2026-03-30T18:00:00.000Z');
  expect(ready('2026-06-01T04:59:00Z', DEFAULT_VEHICLE_PREFERENCES.ready_by)).toBe(
    '2026-06-01T05:00:00.000Z',
  );
  expect(ready('2026-06-01T05:00:00Z', DEFAULT_VEHICLE_PREFERENCES.ready_by)).toBe(
    '2026-06-02T05:00:00.000Z',
  );
  fc.assert(
    fc.property(fc.integer({ min: 1_900_000, max: 2_000_000 }), (quarter) => {
      const at = nextReadyBy(DEFAULT_VEHICLE_PREFERENCES.ready_by, 'America/New_York', quarter);
      expect(at - quarter).toBeGreaterThan(0);
      expect(at - quarter).toBeLessThanOrEqual(100);
    }),
  );
});
