import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { FleetDefinitionBody } from '../../src/simulation/fleet-definition.ts';
import { historyWindow } from '../../src/simulation/definition-record.ts';
import { buildHouseholds, deviceTypes } from '../../src/simulation/household.ts';
import { deviceId, jobId } from '../../src/simulation/identity.ts';
import { previewFleet } from '../../src/simulation/preview.ts';
import { NOW, REQUEST_ID, households, resolved } from './fleet.ts';

fc.configureGlobal({ numRuns: 1000 });

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
    battery_capacity_kwh_range: fc.constantFrom({ min: 3, max: 9 }, { min: 10, max: 10 }),
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

test('a preview shows the households that creation makes', () => {
  fc.assert(
    fc.property(definition, (body) => {
      const fleet = resolved(body);
      const made = buildHouseholds(
        fleet.definition,
        fleet.density,
        historyWindow(fleet.definition, NOW).from,
      );
      const job = jobId(ORG, REQUEST_ID);
      const shown = previewFleet(ORG, fleet, NOW).households.map((household) => ({
        index: household.index,
        group: household.group,
        profile: household.profile,
        shift: household.time_shift_minutes,
        annual: household.annual_consumption_kwh,
        pv: household.pv_rating_kw,
        battery: household.battery_capacity_kwh,
        devices: household.devices.map(({ device_id }) => device_id),
      }));
      expect(shown).toEqual(
        made.map((household) => ({
          index: household.index,
          group: household.group,
          profile: household.profile,
          shift: household.time_shift_minutes,
          annual: Math.round((household.load_annual_kwh + household.ev_annual_kwh) * 1000) / 1000,
          pv: household.pv.rating_kw,
          battery: household.battery.capacity_kwh,
          devices: deviceTypes(household).map((type) => deviceId(job, household.index, type)),
        })),
      );
    }),
  );
}, 120_000);

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
