import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import {
  applyTransition,
  composeTransitions,
  simulateBatteryDay,
  batteryLimitsOf,
} from '../../../src/simulation/devices/battery.ts';
import type { StorageTransition } from '../../../src/simulation/devices/battery.ts';
import type { Household } from '../../../src/simulation/household/household.ts';
import { UNSTEERED } from '../../../src/simulation/control/steering.ts';
import { createHouseholdModel } from '../../../src/simulation/model/model.ts';
import type { HouseholdModel } from '../../../src/simulation/model/model.ts';
import type { Quarter } from '../../../src/simulation/model/day-rows.ts';
import { sunPosition } from '../../../src/simulation/environment/sun.ts';
import { first, households } from '../fleet.ts';
import { RESTLESS } from '../steered.ts';
import { QUARTER_HOUR_MS } from '../../../src/domain/api/durations.ts';

const ANCHOR = new Date('2026-03-27T13:45:00Z');
const START = ANCHOR.getTime() / QUARTER_HOUR_MS;

const FLEET = households(
  {
    count: 12,
    seed: 2 ** 40 + 7,
    latitude: 47.1,
    longitude: 15.4,
    ev_ownership_fraction: 1,
    pv_rating_kw_range: { min: 0, max: 20 },
    battery_capacity_kwh_range: { min: 1, max: 40 },
  },
  ANCHOR,
);
const anyHousehold = fc.constantFrom(...FLEET);
const anyQuarter = fc.integer({ min: START, max: START + 96 * 40 });
const models = new Map(FLEET.map((household) => [household, createHouseholdModel(household, RESTLESS)]));
const modelOf = (household: Household): HouseholdModel =>
  models.get(household) ?? createHouseholdModel(household, RESTLESS);

describe('every quarter hour', () => {
  test('the energies balance exactly, in whole milliwatt-hours', () => {
    fc.assert(
      fc.property(anyHousehold, anyQuarter, (household, index) => {
        const q = modelOf(household).quarter(index);
        expect(q.grid).toBe(q.load + q.ev + q.hp + q.charge - q.discharge - q.pv);
        expect(
          [q.load, q.pv, q.ev, q.hp, q.charge, q.discharge, q.heat].every(
            (energy) => Number.isInteger(energy) && energy >= 0,
          ),
        ).toBe(true);
        expect(q.charge * q.discharge).toBe(0);
      }),
    );
  });

  test('the battery keeps its bounds, its powers and its efficiency', () => {
    fc.assert(
      fc.property(anyHousehold, anyQuarter, (household, index) => {
        const { charge, discharge, stored } = modelOf(household).quarter(index);
        const { capacity_kwh, efficiency, max_charge_power_w, max_discharge_power_w } = household.battery;
        for (const x of stored) {
          expect(x).toBeGreaterThanOrEqual(0.05 * capacity_kwh * 1e6 - 1);
          expect(x).toBeLessThanOrEqual(capacity_kwh * 1e6);
        }
        expect(charge).toBeLessThanOrEqual(max_charge_power_w * 250);
        expect(discharge).toBeLessThanOrEqual(max_discharge_power_w * 250);
        expect(Math.abs(stored[1] - stored[0] - (efficiency * charge - discharge / efficiency))).toBeLessThan(
          2,
        );
      }),
    );
  });

  test('panels give nothing with the sun down and never more than their rating', () => {
    fc.assert(
      fc.property(anyHousehold, anyQuarter, (household, index) => {
        const { pv } = modelOf(household).quarter(index);
        const { altitude } = sunPosition(
          (index + 0.5) * QUARTER_HOUR_MS,
          household.latitude,
          household.longitude,
        );
        if (altitude < -0.1) expect(pv).toBe(0);
        if (altitude > 10 && household.pv.rating_kw > 0) expect(pv).toBeGreaterThan(0);
        const ratedW = Math.round(household.pv.inverter_rating_kw * 1000);
        expect(pv).toBeLessThanOrEqual(ratedW * 250);
      }),
    );
  });

  test("a vehicle charges only when plugged in, up to its target and the charger's power", () => {
    fc.assert(
      fc.property(anyHousehold, anyQuarter, (household, index) => {
        const q = modelOf(household).quarter(index);
        const vehicle = household.electric_vehicle;
        if (!vehicle) throw new Error('every household has one here');
        if (q.ev > 0) expect(q.pluggedIn).toBe(true);
        expect(q.ev).toBeLessThanOrEqual(vehicle.charger_power_w * 250);
        const target = vehicle.battery_kwh * vehicle.target_soc_percent * 1e4;
        for (const x of q.vehicleStored) {
          expect(x).toBeGreaterThanOrEqual(vehicle.battery_kwh * 1e5);
          expect(x).toBeLessThanOrEqual(target);
        }
        if (q.pluggedIn && q.vehicleStored[1] < target) expect(q.ev).toBe(vehicle.charger_power_w * 250);
      }),
    );
  });

  test('a heat pump keeps to its rating and rests while blocked', () => {
    fc.assert(
      fc.property(anyHousehold, anyQuarter, (household, index) => {
        const q = modelOf(household).quarter(index);
        expect(q.hp).toBeLessThanOrEqual((household.heat_pump?.rated_power_w ?? 0) * 250);
        const hasPump = household.heat_pump !== null;
        // Its controls draw 12 W at any time.
        if (hasPump && q.scheduleState === 'min')
          expect([q.hp, q.heat, q.heatMode]).toEqual([3000, 0, 'off']);
        expect(q.heat > 0).toBe(q.heatMode !== 'off');
        expect(q.hp > 3000).toBe(q.heatMode !== 'off');
      }),
    );
  });
});

describe('access', () => {
  test('at random gives what walking through gives, bit for bit', () => {
    for (const household of FLEET.slice(0, 4)) {
      const walked = createHouseholdModel(household, RESTLESS);
      const course: Quarter[] = [];
      for (let i = 0; i < 96 * 25; i++) course.push(walked.quarter(START + i));
      for (const jump of [2399, 0, 1234, 5, 1900, 96 * 20 + 3]) {
        expect(createHouseholdModel(household, RESTLESS).quarter(START + jump)).toEqual(course[jump]);
      }
    }
  });

  test('at any quarter, of a model that knows nothing yet, gives what walking gave', () => {
    const days = 30;
    const walked = new Map(
      FLEET.slice(0, 6).map((household) => {
        const model = createHouseholdModel(household, RESTLESS);
        return [household, Array.from({ length: days * 96 }, (_, i) => model.quarter(START + i))] as const;
      }),
    );
    fc.assert(
      fc.property(fc.constantFrom(...FLEET.slice(0, 6)), fc.nat(days * 96 - 1), (household, i) => {
        expect(createHouseholdModel(household, RESTLESS).quarter(START + i)).toEqual(
          walked.get(household)?.[i],
        );
      }),
    );
  });

  test('starts at the anchor with the initial charge, before which nothing happens', () => {
    const household = first(FLEET);
    const model = createHouseholdModel(household, UNSTEERED);
    const percent = (model.quarter(START).stored[0] / household.battery.capacity_kwh) * 1e-4;
    expect(percent).toBe(household.battery.initial_soc_percent);
    expect(model.quarter(START - 1)).toMatchObject({ load: 0, pv: 0, grid: 0 });
    expect(model.countersBefore(START)).toEqual({ pv: 0, ev: 0, hp: 0, gridImport: 0, gridExport: 0 });
  });

  test('forgets the anchor once the charges have met', () => {
    const [early, late] = ['2026-03-01T00:00:00Z', '2026-04-01T09:30:00Z'].map((anchor) =>
      createHouseholdModel(
        first(households({ count: 1, ev_ownership_fraction: 1 }, new Date(anchor))),
        UNSTEERED,
      ),
    );
    const index = Date.UTC(2026, 4, 20, 12) / QUARTER_HOUR_MS;
    expect(late?.quarter(index)).toEqual(early?.quarter(index));
  });

  test('counters are the sums of the quarters, whatever was asked before', () => {
    const household = FLEET[1] ?? first(FLEET);
    const model = createHouseholdModel(household, RESTLESS);
    const end = START + 96 * 12 + 31;
    let [pv, ev, hp, gridImport, gridExport] = [0, 0, 0, 0, 0];
    for (let index = START; index < end; index++) {
      const q = model.quarter(index);
      pv += q.pv;
      ev += q.ev;
      hp += q.hp;
      gridImport += Math.max(0, q.grid);
      gridExport += Math.max(0, -q.grid);
    }
    const sums = { pv, ev, hp, gridImport, gridExport };
    expect(model.countersBefore(end)).toEqual(sums);
    model.countersBefore(START + 96 * 30);
    model.countersBefore(START + 2);
    expect(model.countersBefore(end)).toEqual(sums);
    expect(createHouseholdModel(household, RESTLESS).countersBefore(end)).toEqual(sums);
  });
});

describe('storage maps', () => {
  const transition: fc.Arbitrary<StorageTransition> = fc
    .tuple(fc.integer({ min: -1000, max: 1000 }), fc.nat(500), fc.nat(500))
    .map(([change, min, width]) => ({ change, min, max: min + width }));

  test('compose to the map that does one after the other', () => {
    fc.assert(
      fc.property(
        fc.array(transition, { minLength: 1, maxLength: 20 }),
        fc.integer({ min: -2000, max: 2000 }),
        (maps, x) => {
          const stepped = maps.reduce((value, map) => applyTransition(map, value), x);
          const composed = maps.reduce(composeTransitions);
          expect(applyTransition(composed, x)).toBe(stepped);
        },
      ),
    );
  });

  test('a step never takes more than the surplus nor gives more than the lack', () => {
    const store = batteryLimitsOf({
      capacity_kwh: 5,
      initial_soc_percent: 50,
      max_charge_power_w: 3000,
      max_discharge_power_w: 2000,
      efficiency: 0.93,
    });
    fc.assert(
      fc.property(
        fc.integer({ min: -2e6, max: 2e6 }),
        fc.integer({ min: store.reserve, max: store.capacity }),
        (net, x) => {
          const rows = {
            charge: new Int32Array(96),
            discharge: new Int32Array(96),
            stored: new Int32Array(97),
            grid: new Int32Array(96),
          };
          const surplus = new Int32Array(96);
          surplus[95] = net;
          simulateBatteryDay(store, surplus, 95, x, rows);
          const [charge = 0, discharge = 0] = [rows.charge[95], rows.discharge[95]];
          expect(charge).toBeLessThanOrEqual(Math.max(0, net));
          expect(discharge).toBeLessThanOrEqual(Math.max(0, -net));
          expect(rows.grid[95]).toBe(charge - discharge - net);
        },
      ),
    );
  });
});
