import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { listDeviceTypes, ownsElectricVehicle } from '../../../src/simulation/household/household.ts';
import type { Household } from '../../../src/simulation/household/household.ts';
import {
  deriveDeviceId,
  deriveFleetId,
  deriveResident,
  deriveUuidV5,
} from '../../../src/simulation/household/identity.ts';
import { splitSeed } from '../../../src/simulation/kernel/noise.ts';
import { ARCHETYPES } from '../../../src/simulation/household/profiles.ts';
import { NOW, REQUEST_ID, households } from '../fleet.ts';

const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;

describe('a fleet', () => {
  const body = {
    count: 40,
    groups: [
      { name: 'a', percentage: 30 },
      { name: 'b', profile: 'home_office' },
    ],
  };

  test('is the same each time, and another with another seed', () => {
    expect(households(body)).toEqual(households(body));
    const drawn = [42, 42 + 2 ** 32, 2 ** 53 - 1].map((seed) =>
      JSON.stringify(households({ ...body, seed }).map((household) => ({ ...household, seed: 0 }))),
    );
    expect(new Set(drawn).size).toBe(3);
  });

  test('keeps its households when it grows', () => {
    const before = households(body);
    const after = households(body, NOW, [7, 13]);
    expect(after).toHaveLength(60);
    expect(after.slice(0, 40)).toEqual(before);
    expect(after.filter(({ group }) => group === 'a')).toHaveLength(18);
  });

  test('is the same from JSON', () => {
    const all = households(body, NOW, [5]);
    expect(all).toHaveLength(45);
    expect(JSON.parse(JSON.stringify(all))).toEqual(all);
  });
});

describe('draws', () => {
  test('ranges win over scalars, defaults fill in, draws are clamped', () => {
    const drawn = households({
      count: 200,
      pv_rating_kw: 99,
      pv_rating_kw_range: { min: 3, max: 5 },
      initial_soc_percent_range: { min: -20, max: 5 },
      max_charge_power_w: 1234,
    });
    expect(new Set(drawn.map(({ pv }) => pv.rating_kw))).toEqual(new Set([3, 4, 5]));
    expect(new Set(drawn.map(({ battery }) => battery.initial_soc_percent))).toEqual(new Set([5]));
    expect(new Set(drawn.map(({ battery }) => battery.max_charge_power_w))).toEqual(new Set([1234]));
    for (const { battery } of drawn) {
      expect(battery.capacity_kwh).toBeGreaterThanOrEqual(5);
      expect(battery.capacity_kwh).toBeLessThanOrEqual(15);
      expect(battery.max_discharge_power_w).toBe(battery.capacity_kwh * 500);
    }
  });

  test('ranges beyond what numbers can count still draw from both of their ends', () => {
    const drawn = households({ count: 100, pv_rating_kw_range: { min: -1e308, max: 1e308 } });
    const counts = [0, 100].map((end) => drawn.filter(({ pv }) => pv.rating_kw === end).length);
    expect(counts[0] ?? 0).toBeGreaterThan(30);
    expect(counts[1] ?? 0).toBeGreaterThan(30);
    expect((counts[0] ?? 0) + (counts[1] ?? 0)).toBe(100);
  });

  test('variation comes in pairs, so that every even prefix of a group has the mean asked for', () => {
    const group = { name: 'a', annual_consumption_kwh: 4000, variation_fraction: 0.5 };
    const plain = households({ count: 50, ev_ownership_fraction: 0, groups: [group] }).map(
      (item) => item.load_annual_kwh,
    );
    for (let even = 2; even <= 50; even += 2) expect(mean(plain.slice(0, even))).toBeCloseTo(4000, 2);
    expect(Math.max(...plain) - Math.min(...plain)).toBeGreaterThan(2000);
  });

  test('vehicles stand with their share to within one at every prefix', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.maxSafeNat(),
        fc.nat(5),
        (fraction, seed, group) => {
          let owners = 0;
          let furthest = 0;
          for (let member = 0; member < 200; member++) {
            if (ownsElectricVehicle(fraction, splitSeed(seed), group, member)) owners++;
            furthest = Math.max(furthest, Math.abs(owners - fraction * (member + 1)));
          }
          expect(furthest).toBeLessThanOrEqual(1.001);
        },
      ),
    );
  });

  test('nobody and everybody are exact', () => {
    const owners = (ev_ownership_fraction: number) =>
      households({ count: 300, ev_ownership_fraction }).filter((household) => household.electric_vehicle)
        .length;
    expect([owners(0), owners(1), owners(0.25)]).toEqual([0, 300, 75]);
  });

  test('the total with a vehicle is split into plain and charging', () => {
    const body = {
      count: 2,
      ev_ownership_fraction: 1,
      annual_consumption_kwh: 3000,
      annual_consumption_with_ev_kwh: 5500,
    };
    const drawn = households({ ...body, groups: [{ name: 'a', variation_fraction: 0 }] });
    expect(drawn.map((item) => [item.load_annual_kwh, item.ev_annual_kwh])).toEqual([
      [3000, 2500],
      [3000, 2500],
    ]);
  });

  test('a quarter of the households has a heat pump', () => {
    const share = households({ count: 1000 }).filter((household) => household.heat_pump).length / 1000;
    expect(Math.abs(share - 0.25)).toBeLessThan(0.06);
  });

  test('weights choose among the archetypes in their published order', () => {
    const weights = ARCHETYPES.map(({ name }) => (name === 'shift_worker' ? 2 : 0));
    const drawn = households({ groups: [{ name: 'a', weights }] });
    expect(new Set(drawn.map(({ profile }) => profile))).toEqual(new Set(['shift_worker']));
    expect(new Set(households({ count: 500 }).map(({ profile }) => profile)).size).toBe(10);
  });

  test('time shifts keep to their bound', () => {
    const shifts = (max_time_shift_minutes: number) =>
      households({ count: 100, groups: [{ name: 'a', max_time_shift_minutes }] }).map(
        (item: Household) => item.time_shift_minutes,
      );
    expect(Math.max(...shifts(180).map(Math.abs))).toBeLessThanOrEqual(180);
    expect(Math.max(...shifts(180).map(Math.abs))).toBeGreaterThan(90);
    expect(shifts(0).every((shift) => Math.abs(shift) === 0)).toBe(true);
  });
});

test('places come from the fixed pair or the default, with their country and zone', () => {
  const [fixed] = households({ count: 1, latitude: 48.2, longitude: 16.37 });
  const [unplaced] = households({ count: 1 });
  expect([fixed?.country, fixed?.time_zone, fixed?.location_source]).toEqual([
    'AT',
    'Europe/Vienna',
    'fixed',
  ]);
  expect([unplaced?.country, unplaced?.time_zone, unplaced?.location_source]).toEqual([
    'DE',
    'Europe/Berlin',
    'default',
  ]);
});

test('a household has an inverter, and a wallbox beside each vehicle', () => {
  for (const household of households({ count: 60, ev_ownership_fraction: 0.5 })) {
    const types = listDeviceTypes(household);
    expect(types).toContain('inverter');
    expect(types.includes('wallbox')).toBe(household.electric_vehicle !== null);
    expect(types.includes('electric_vehicle')).toBe(household.electric_vehicle !== null);
    expect(types.includes('heat_pump')).toBe(household.heat_pump !== null);
  }
});

describe('identity', () => {
  test('ids are version 5 UUIDs, stable, and each its own', () => {
    const org = 'a3f1c0de-0000-4000-8000-000000000001';
    const job = deriveFleetId(org, REQUEST_ID);
    expect(job).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(deriveFleetId(org.toUpperCase(), REQUEST_ID.toUpperCase())).toBe(job);
    expect(deriveFleetId(org, job)).not.toBe(job);
    const ids = [0, 1, 2].flatMap((index) => [
      deriveDeviceId(job, index, 'inverter'),
      deriveDeviceId(job, index, 'wallbox'),
    ]);
    expect(new Set(ids).size).toBe(6);
    expect(deriveUuidV5('a')).toBe(deriveUuidV5('a'));
  });

  test('residents have an address in .invalid', () => {
    const person = deriveResident('00000000-0000-5000-8000-000000000000', 42, 0);
    expect(person.email).toBe('household-0001@00000000-0000-5000-8000-000000000000.simulated.invalid');
    expect(person.first_name).not.toBe('');
    expect(person.last_name).not.toBe('');
  });
});
