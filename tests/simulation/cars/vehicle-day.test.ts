import { expect, test } from 'vitest';
import fc from 'fast-check';
import { createVehicleDayPlanner } from '../../../src/simulation/cars/vehicle-day.ts';
import { simulateVehicleDay, vehicleBatteryLimitsOf } from '../../../src/simulation/devices/vehicle.ts';
import type { VehicleInterval } from '../../../src/simulation/devices/vehicle.ts';
import type { Household } from '../../../src/simulation/household/household.ts';
import { UNSTEERED } from '../../../src/simulation/control/steering.ts';
import { createHouseholdModel } from '../../../src/simulation/model/model.ts';
import { households } from '../fleet.ts';
import { anyCar, anyDay } from './fleets.ts';

function plannerOf(household: Household): (day: number) => readonly VehicleInterval[] {
  const { electric_vehicle: vehicle } = household;
  if (!vehicle) throw new Error('no car');
  return createVehicleDayPlanner(household, vehicle);
}

test('the intervals of a day follow each other without gaps, and nobody drives at the plug', () => {
  fc.assert(
    fc.property(anyCar, anyDay, (household, day) => {
      const planned = plannerOf(household);
      for (let each = day; each < day + 10; each++) {
        let end = 0;
        for (const { from, to, pluggedIn, driven } of planned(each)) {
          expect(from).toBe(end);
          expect(to).toBeGreaterThan(from);
          expect(Number.isInteger(driven)).toBe(true);
          expect(pluggedIn && driven !== 0).toBe(false);
          end = to;
        }
        expect(end).toBe(96);
      }
    }),
    { numRuns: 40 },
  );
});

test('a day is the same whatever was asked before', () => {
  fc.assert(
    fc.property(anyCar, anyDay, fc.array(fc.nat(90), { maxLength: 12 }), (household, day, jumps) => {
      const inOrder = plannerOf(household);
      const sequence = new Map<number, readonly VehicleInterval[]>();
      for (let each = day; each <= day + 90; each++) sequence.set(each, inOrder(each));
      const jumping = plannerOf(household);
      for (const jump of jumps) expect(jumping(day + jump)).toEqual(sequence.get(day + jump));
      expect(plannerOf(household)(day + 45)).toEqual(sequence.get(day + 45));
    }),
    { numRuns: 30 },
  );
});

test('the charge stays between the minimum and the target, and is the same asked for in any order', () => {
  fc.assert(
    fc.property(anyCar, fc.integer({ min: 5, max: 300 }), (drawn, days) => {
      const household = { ...drawn, heat_pump: null, pv: { ...drawn.pv, rating_kw: 0 } };
      const vehicle = household.electric_vehicle;
      if (!vehicle) throw new Error('no car');
      const limits = vehicleBatteryLimitsOf(vehicle);
      const day = Math.floor(household.anchor_ms / 86_400_000) + days;
      const model = createHouseholdModel(household, UNSTEERED);
      const before = Array.from(model.day(day).vehicleStored);
      model.day(day - 3);
      model.day(day + 40);
      expect(Array.from(model.day(day).vehicleStored)).toEqual(before);
      const { ev, pluggedIn } = model.day(day);
      for (const [i, energy] of ev.entries())
        expect(energy === 0 || (energy > 0 && pluggedIn[i] === 1)).toBe(true);
      for (const stored of before) {
        expect(stored).toBeGreaterThanOrEqual(limits.min);
        expect(stored).toBeLessThanOrEqual(limits.target);
      }
    }),
    { numRuns: 25 },
  );
});

test('walking back finds the charge that a run from the start has', () => {
  fc.assert(
    fc.property(anyCar, fc.integer({ min: 60, max: 200 }), (household, days) => {
      const vehicle = household.electric_vehicle;
      if (!vehicle) throw new Error('no car');
      const limits = vehicleBatteryLimitsOf(vehicle);
      const planned = plannerOf(household);
      const first = Math.floor(household.anchor_ms / 86_400_000) + 1;
      const ends = [limits.min, limits.target].map((start) => {
        const rows = {
          ev: new Int32Array(96),
          pluggedIn: new Uint8Array(96),
          vehicleStored: new Int32Array(97),
        };
        let stored = start;
        for (let day = first; day < first + days; day++) {
          simulateVehicleDay(limits, planned(day), 0, stored, rows);
          stored = rows.vehicleStored[96] ?? 0;
        }
        return stored;
      });
      // Two months are enough for the lowest and the highest charge to meet, however seldom the car is plugged in.
      expect(ends[0]).toBe(ends[1]);
    }),
    { numRuns: 25 },
  );
});

test('a car that is asked for nothing stands still', () => {
  const body = { count: 1, annual_consumption_kwh: 3000, annual_consumption_with_ev_kwh: 3000 };
  const [household] = households({ ...body, ev_ownership_fraction: 1 });
  if (!household) throw new Error('no household');
  expect(plannerOf(household)(20_000)).toEqual([{ from: 0, to: 96, pluggedIn: false, driven: 0 }]);
});
