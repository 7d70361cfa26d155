import { expect, test } from 'vitest';
import fc from 'fast-check';
import type { FleetDefinitionBody } from '../../../src/simulation/definition/fleet-definition.ts';
import { computeHistoryWindow } from '../../../src/simulation/definition/definition-record.ts';
import { buildHouseholds, listDeviceTypes } from '../../../src/simulation/household/household.ts';
import { deriveDeviceId, deriveFleetId, deriveUserId } from '../../../src/simulation/household/identity.ts';
import {
  toStoredDefinition,
  parseStoredDefinition,
  restoreDensity,
} from '../../../src/simulation/definition/stored-definition.ts';
import { previewFleet } from '../../../src/simulation/preview/preview.ts';
import { NOW, REQUEST_ID, households, resolved } from '../fleet.ts';

const ORG = 'a3f1c0de-0000-4000-8000-000000000001';
const group = fc.record(
  {
    name: fc.constantFrom('a', 'b'),
    percentage: fc.integer({ min: 0, max: 50 }),
    profile: fc.constantFrom('mixed', 'home_office', 'large_family'),
    max_time_shift_minutes: fc.integer({ min: 0, max: 180 }),
    variation_fraction: fc.double({ min: 0, max: 0.5, noNaN: true }),
  },
  { requiredKeys: ['name'] },
);
const definition: fc.Arbitrary<Partial<FleetDefinitionBody>> = fc.record(
  {
    count: fc.integer({ min: 1, max: 12 }),
    seed: fc.maxSafeNat(),
    latitude: fc.constant(51.2),
    longitude: fc.constant(9.7),
    history_days: fc.nat(90),
    ev_ownership_fraction: fc.double({ min: 0, max: 1, noNaN: true }),
    density: fc.uint8Array({ minLength: 6, maxLength: 6 }).map((cells) => ({
      country: 'AT',
      dataset_version: 'v1',
      boundary_version: 'b',
      grid: { origin_lat: 48.4, origin_lon: 15.2, cell_deg: 0.2, rows: 2, cols: 3 },
      weights: Buffer.from(cells.with(0, 1)).toString('base64'),
    })),
    battery_capacity_kwh_range: fc.constantFrom({ min: 3, max: 9 }, { min: 10, max: 10 }),
    max_charge_power_w_range: fc.constant({ min: 1000, max: 9000 }),
    initial_soc_percent_range: fc.constant({ min: -5, max: 60 }),
    annual_consumption_kwh: fc.integer({ min: 1, max: 9000 }),
    annual_consumption_with_ev_kwh: fc.integer({ min: 9000, max: 20_000 }),
    groups: fc.uniqueArray(group, { maxLength: 2, selector: ({ name }) => name }),
  },
  { requiredKeys: ['count', 'seed', 'latitude', 'longitude'] },
);

test('expanding keeps every household that was there', () => {
  const growth = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(definition, growth, (body, expansions) => {
      const before = households(body);
      const after = households(body, NOW, expansions);
      expect(after.slice(0, before.length)).toEqual(before);
      expect(after).toHaveLength(before.length + expansions.reduce((a, b) => a + b, 0));
    }),
  );
});

test('a preview shows the households that creation makes of what it has stored', () => {
  fc.assert(
    fc.property(definition, (body) => {
      const fleet = resolved(body);
      const stored = parseStoredDefinition(JSON.parse(JSON.stringify(toStoredDefinition(fleet.definition))));
      const density = restoreDensity(stored, fleet.density?.weights ?? null);
      const anchor = computeHistoryWindow(stored.definition, NOW).from;
      const made = buildHouseholds(stored.definition, density, anchor);
      const job = deriveFleetId(ORG, REQUEST_ID);
      expect(previewFleet(ORG, fleet, NOW).households).toEqual(
        made.map((household) => ({
          index: household.index,
          user_id: deriveUserId(job, household.index),
          group: household.group,
          profile: household.profile,
          latitude: household.latitude,
          longitude: household.longitude,
          source: household.location_source,
          annual_consumption_kwh:
            Math.round((household.load_annual_kwh + household.ev_annual_kwh) * 1000) / 1000,
          time_shift_minutes: household.time_shift_minutes,
          pv_rating_kw: household.pv.rating_kw,
          battery_capacity_kwh: household.battery.capacity_kwh,
          max_charge_power_w: household.battery.max_charge_power_w,
          max_discharge_power_w: household.battery.max_discharge_power_w,
          initial_soc_percent: household.battery.initial_soc_percent,
          devices: listDeviceTypes(household).map((device_type) => ({
            device_id: deriveDeviceId(job, household.index, device_type),
            device_type,
          })),
        })),
      );
    }),
  );
});

test('seeds with equal lower halves make different fleets, and the same seed the same', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 2 ** 32 - 1 }),
      fc.integer({ min: 1, max: 2 ** 21 - 1 }),
      (low, high) => {
        const drawn = [low, low + high * 2 ** 32, low].map((seed) =>
          JSON.stringify(households({ count: 3, seed }).map((household) => ({ ...household, seed: 0 }))),
        );
        expect(drawn[1]).not.toBe(drawn[0]);
        expect(drawn[2]).toBe(drawn[0]);
      },
    ),
  );
});
