// What holds of every household: at any place, in any season, of any seed, whatever its steering.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DAY_MS, QUARTER_HOURS_PER_DAY, QUARTER_HOUR_MS } from '../../../src/domain/api/durations.ts';
import { MIN_SOC_PERCENT } from '../../../src/simulation/devices/vehicle.ts';
import { UNSTEERED } from '../../../src/simulation/control/steering.ts';
import type { Steering } from '../../../src/simulation/control/steering.ts';
import type { Household } from '../../../src/simulation/household/household.ts';
import { createHouseholdModel } from '../../../src/simulation/model/model.ts';
import type { Quarter } from '../../../src/simulation/model/day-rows.ts';
import { first, households } from '../fleet.ts';
import { RESTLESS } from '../steered.ts';

const WALKED_DAYS = 3;
/** Indoor temperature changes by less in a quarter hour, mK: windows that are opened in winter change it most. */
const MOST_CHANGE_MK = 3000;
const MIN_BATTERY_PERCENT = 5;

const anyHousehold = fc
  .record({
    seed: fc.maxSafeNat(),
    latitude: fc.oneof(fc.double({ min: -90, max: 90, noNaN: true }), fc.constantFrom(-90, 0, 69.65, 90)),
    longitude: fc.oneof(fc.double({ min: -180, max: 180, noNaN: true }), fc.constantFrom(-180, 179.99)),
    anchorDay: fc.integer({ min: Date.UTC(2023, 0, 1) / DAY_MS, max: Date.UTC(2027, 0, 1) / DAY_MS }),
    anchorQuarter: fc.nat(QUARTER_HOURS_PER_DAY - 1),
    pv_rating_kw: fc.constantFrom(0, 3, 20),
  })
  .map(({ anchorDay, anchorQuarter, ...definition }) => {
    const anchor = new Date(anchorDay * DAY_MS + anchorQuarter * QUARTER_HOUR_MS);
    // A quarter of the households have a heat pump.
    const drawn = households({ ...definition, count: 12, ev_ownership_fraction: 1 }, anchor);
    return drawn.find(({ heat_pump: pump }) => pump) ?? first(drawn);
  });

const anySteering = fc.constantFrom(RESTLESS, UNSTEERED);

function walk(household: Household, steering: Steering, from: number): Quarter[] {
  const model = createHouseholdModel(household, steering);
  const quarters = WALKED_DAYS * QUARTER_HOURS_PER_DAY;
  return Array.from({ length: quarters }, (_, i) => model.quarter(from + i));
}

const anyWalk = fc.tuple(anyHousehold, anySteering, fc.nat(400)).map(([household, steering, days]) => {
  const from = Math.floor(household.anchor_ms / QUARTER_HOUR_MS) + days * QUARTER_HOURS_PER_DAY;
  return { household, steering, from, course: walk(household, steering, from) };
});

const RUNS = { numRuns: 30 };

test('energies are whole, never negative, and balance to 0', () => {
  fc.assert(
    fc.property(anyWalk, ({ course }) => {
      for (const { load, ev, hp, charge, discharge, pv, grid, heat } of course) {
        expect(grid).toBe(load + ev + hp + charge - discharge - pv);
        for (const energy of [load, ev, hp, charge, discharge, pv, heat]) {
          expect(Number.isInteger(energy) && energy >= 0).toBe(true);
        }
      }
    }),
    RUNS,
  );
});

test('what is stored is within its bounds, and goes on from quarter hour to quarter hour', () => {
  fc.assert(
    fc.property(anyWalk, ({ household: { battery, electric_vehicle: vehicle }, course }) => {
      const full = battery.capacity_kwh * 1e6;
      const target = (vehicle?.battery_kwh ?? 0) * (vehicle?.target_soc_percent ?? 0) * 1e4;
      const least = (vehicle?.battery_kwh ?? 0) * MIN_SOC_PERCENT * 1e4;
      for (const [i, { stored, vehicleStored }] of course.entries()) {
        expect(stored[0]).toBeGreaterThanOrEqual((full * MIN_BATTERY_PERCENT) / 100 - 1);
        expect(stored[0]).toBeLessThanOrEqual(full);
        expect(vehicleStored[0]).toBeGreaterThanOrEqual(least);
        expect(vehicleStored[0]).toBeLessThanOrEqual(target);
        expect(course[i + 1]?.stored[0] ?? stored[1]).toBe(stored[1]);
        expect(course[i + 1]?.vehicleStored[0] ?? vehicleStored[1]).toBe(vehicleStored[1]);
      }
    }),
    RUNS,
  );
});

test('temperatures go on from quarter hour to quarter hour, and people could live in them', () => {
  fc.assert(
    fc.property(anyWalk, ({ household, course }) => {
      if (!household.heat_pump) return;
      for (const [i, { indoor, hotWater }] of course.entries()) {
        expect(course[i + 1]?.indoor[0] ?? indoor[1]).toBe(indoor[1]);
        expect(course[i + 1]?.hotWater[0] ?? hotWater[1]).toBe(hotWater[1]);
        expect(Math.abs(indoor[1] - indoor[0])).toBeLessThan(MOST_CHANGE_MK);
        expect(indoor[0]).toBeGreaterThan(0);
        expect(indoor[0]).toBeLessThan(60_000);
        expect(hotWater[0]).toBeGreaterThan(0);
        expect(hotWater[0]).toBeLessThanOrEqual(household.heat_pump.tank.target_c * 1000);
      }
    }),
    RUNS,
  );
});

test('counters are the sums of what was walked, and a quarter hour asked for alone is the one walked', () => {
  fc.assert(
    fc.property(
      anyWalk,
      fc.nat(WALKED_DAYS * QUARTER_HOURS_PER_DAY - 1),
      ({ household, steering, from, course }, i) => {
        expect(createHouseholdModel(household, steering).quarter(from + i)).toEqual(course[i]);
        const model = createHouseholdModel(household, steering);
        const [before, after] = [model.countersBefore(from), model.countersBefore(from + course.length)];
        const sum = (of: (quarter: Quarter) => number): number =>
          course.reduce((total, quarter) => total + of(quarter), 0);
        expect(after).toEqual({
          pv: before.pv + sum(({ pv }) => pv),
          ev: before.ev + sum(({ ev }) => ev),
          hp: before.hp + sum(({ hp }) => hp),
          gridImport: before.gridImport + sum(({ grid }) => Math.max(0, grid)),
          gridExport: before.gridExport + sum(({ grid }) => Math.max(0, -grid)),
        });
      },
    ),
    { numRuns: 15 },
  );
});
