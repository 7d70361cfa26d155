import { describe, expect, test } from 'vitest';
import { buildSimulatorConfig } from '../../../src/simulation/preview/config.ts';
import { buildHouseholds } from '../../../src/simulation/household/household.ts';
import { computeHistoryWindow } from '../../../src/simulation/definition/definition-record.ts';
import { deriveFleetId, deriveUserId } from '../../../src/simulation/household/identity.ts';
import { countHouseholdDevicesByType, previewFleet } from '../../../src/simulation/preview/preview.ts';
import { DAY_MS } from '../../../src/domain/api/durations.ts';
import { UNSTEERED } from '../../../src/simulation/control/steering.ts';
import { createHouseholdModel } from '../../../src/simulation/model/model.ts';
import { mostHomeChargingKwh } from '../../../src/simulation/cars/carried-energy.ts';
import { NOW, REQUEST_ID, resolved } from '../fleet.ts';

const ORG = 'a3f1c0de-0000-4000-8000-000000000001';
const BODY = { count: 30, latitude: 51, longitude: 10, groups: [{ name: 'a', percentage: 50 }] };

test('the preview shows the households that creation makes', () => {
  const fleet = resolved(BODY);
  const preview = previewFleet(ORG, fleet, NOW);
  const made = buildHouseholds(
    fleet.definition,
    fleet.density,
    computeHistoryWindow(fleet.definition, NOW).from,
  );
  expect(preview.job_id).toBe(deriveFleetId(ORG, REQUEST_ID));
  expect(preview.device_counts).toEqual(countHouseholdDevicesByType(made));
  expect(
    preview.households.map(({ index, profile, pv_rating_kw }) => [index, profile, pv_rating_kw]),
  ).toEqual(made.slice(0, 20).map(({ index, profile, pv }) => [index, profile, pv.rating_kw]));
  expect(preview.households.map((household) => household.user_id)).toEqual(
    made.slice(0, 20).map(({ index }) => deriveUserId(preview.job_id, index)),
  );
  expect(preview.groups.map(({ name, count }) => [name, count])).toEqual([
    ['a', 15],
    ['default', 15],
  ]);
  for (const group of preview.groups) {
    expect(Object.values(group.archetype_counts).reduce((a, b) => a + b, 0)).toBe(group.count);
  }
  expect(preview.totals.pv_rating_kw).toBe(made.reduce((sum, { pv }) => sum + pv.rating_kw, 0));
  expect(preview.warnings.map(({ code }) => code)).toEqual(['implicit_group']);
  expect(preview.density).toBeNull();
});

/** What the panels of a fleet give in its first 365 days, kWh, by the model itself. */
function simulateYield(body: Parameters<typeof resolved>[0], from: Date): number {
  const { definition, density } = resolved(body);
  const firstDay = from.getTime() / DAY_MS;
  let sum = 0;
  for (const household of buildHouseholds(definition, density, from)) {
    const { battery } = household;
    const still = { ...battery, max_charge_power_w: 0, max_discharge_power_w: 0 };
    const bare = { ...household, battery: still, heat_pump: null, electric_vehicle: null };
    const model = createHouseholdModel(bare, UNSTEERED);
    for (let day = firstDay; day < firstDay + 365; day++)
      for (const energy of model.day(day).pv) sum += energy;
  }
  return sum / 1e6;
}

test.each([
  ['Vienna', 48.2, 16.37, 1, '2025-01-01'],
  ['Vienna', 48.2, 16.37, 6, '2025-07-15'],
  ['Oslo', 59.91, 10.75, 2, '2025-04-01'],
  ['Seville', 37.39, -5.99, 3, '2025-10-01'],
  ['Berlin', 52.52, 13.41, 4, '2024-12-21'],
  ['Singapore', 1.35, 103.82, 5, '2025-03-01'],
  ['Sydney', -33.87, 151.21, 7, '2025-06-01'],
])(
  'the expected yield in %s is within a fiftieth of what a fleet then has',
  (_, latitude, longitude, seed, start) => {
    const body = { count: 60, latitude, longitude, seed };
    const from = new Date(`${start}T00:00:00Z`);
    const { totals, average_day } = previewFleet(ORG, resolved(body), from);
    const kwh = simulateYield(body, from);
    expect(Math.abs(totals.annual_pv_kwh / kwh - 1)).toBeLessThan(0.02);
    // The mean day is that of forty of them.
    const meanDayKwh = average_day.reduce((sum, { pv_w }) => sum + pv_w / 4_000, 0);
    expect(Math.abs((meanDayKwh * 365 * 60) / kwh - 1)).toBeLessThan(0.1);
  },
);

test('the expected yield of forty households or fewer is what they then have', () => {
  const body = { count: 9, latitude: 51, longitude: 10, history_days: 30 };
  const now = new Date('2025-07-01T00:00:00Z');
  const kwh = simulateYield(body, new Date('2025-06-01T00:00:00Z'));
  expect(previewFleet(ORG, resolved(body), now).totals.annual_pv_kwh).toBeCloseTo(kwh, 0);
});

describe('warnings of vehicles', () => {
  const warned = (body: Parameters<typeof resolved>[0]) =>
    previewFleet(ORG, resolved({ count: 12, ev_ownership_fraction: 1, ...body }), NOW).warnings.map(
      ({ code, pointer }) => `${code} ${pointer}`,
    );
  const field = 'annual_consumption_with_ev_kwh';

  test('tell where the energy asked for is more than battery, charger and trips carry', () => {
    expect(warned({ annual_consumption_kwh: 4000, [field]: 60_000 })).toEqual([
      `vehicle_energy_limited /${field}`,
    ]);
    const groups = [
      { name: 'a', [field]: 7000 },
      { name: 'b', [field]: 50_000 },
    ];
    expect(warned({ annual_consumption_kwh: 4000, groups })).toEqual([
      `vehicle_energy_limited /groups/1/${field}`,
    ]);
    expect(warned({ annual_consumption_kwh: 4000, [field]: 60_000, ev_ownership_fraction: 0 })).toEqual([]);
  });

  test('tell where nothing is left to charge', () => {
    expect(warned({ [field]: 1000 })).toEqual([`vehicle_energy_none /${field}`]);
    expect(warned({ annual_consumption_kwh: 4000, [field]: 4000 })).toEqual([
      `vehicle_energy_none /${field}`,
    ]);
  });

  test('are not there by default or with ordinary totals', () => {
    const groups = [{ name: 'a', variation_fraction: 0.5 }];
    expect(warned({ groups, count: 200 })).toEqual([]);
    expect(warned({ groups, count: 200, annual_consumption_kwh: 4000, [field]: 7000 })).toEqual([]);
  });

  test('begin where vehicles begin to get less than they are asked for', () => {
    const owners = buildHouseholds(
      resolved({ count: 24, ev_ownership_fraction: 1 }).definition,
      null,
      new Date('2024-12-01T00:00:00Z'),
    );
    // Vehicles of each kind together; at the limit they get all, at three times as much they do not.
    const share = (part: number): number => {
      let [asked, got] = [0, 0];
      for (const household of owners) {
        const vehicle = household.electric_vehicle;
        if (!vehicle) throw new Error('every household has one here');
        const annual = part * mostHomeChargingKwh({ ...household, ev_annual_kwh: 1e6 }, vehicle);
        const model = createHouseholdModel(
          { ...household, heat_pump: null, ev_annual_kwh: annual },
          UNSTEERED,
        );
        const year = { from: Date.UTC(2025, 0, 1) / 900_000, to: Date.UTC(2026, 0, 1) / 900_000 };
        got += model.countersBefore(year.to).ev - model.countersBefore(year.from).ev;
        asked += annual * 1e6;
      }
      return got / asked;
    };
    expect(share(1)).toBeGreaterThan(0.98);
    expect(share(3)).toBeLessThan(0.9);
  });
});

test('percentages that leave less than a household leave no default group', () => {
  const groups = ['a', 'b', 'default'].map((name) => ({ name, percentage: 33.3 }));
  const preview = previewFleet(ORG, resolved({ count: 10, groups }), NOW);
  expect(preview.groups.map(({ name, count }) => [name, count])).toEqual([
    ['a', 4],
    ['b', 3],
    ['default', 3],
  ]);
  expect(preview.warnings).toEqual([]);
});

test('the average day has 96 quarters of local time, dark at midnight and bright at noon', () => {
  const { average_day } = previewFleet(ORG, resolved(BODY), NOW);
  expect(average_day).toHaveLength(96);
  expect([average_day[0]?.time, average_day[1]?.time, average_day[95]?.time]).toEqual([
    '00:00',
    '00:15',
    '23:45',
  ]);
  expect(average_day[0]?.pv_w).toBe(0);
  expect(average_day[52]?.pv_w).toBeGreaterThan(1500);
  const load = average_day.reduce((sum, point) => sum + point.load_w, 0) / 96;
  expect(load).toBeGreaterThan(200);
  expect(load).toBeLessThan(500);
});

test('a density is summed up with the box of the cells in use', () => {
  const grid = { origin_lat: 48.5, origin_lon: 14, cell_deg: 0.5, rows: 2, cols: 2 };
  const density = {
    country: 'AT',
    dataset_version: '1',
    boundary_version: 'x',
    grid,
    weights: Buffer.from([0, 3, 0, 1]).toString('base64'),
  };
  expect(previewFleet(ORG, resolved({ density }), NOW).density).toEqual({
    cells: 4,
    nonzero_cells: 2,
    dropped_cells: 0,
    bounding_box: { north: 48.5, south: 47.5, west: 14.5, east: 15 },
  });
});

test('the configuration lists ten profiles whose shares make a whole, and countries with boxes', () => {
  const config = buildSimulatorConfig(true);
  expect(config.profiles).toHaveLength(10);
  expect(config.profiles.reduce((sum, profile) => sum + profile.default_share, 0)).toBeCloseTo(1, 10);
  expect(config.countries.find(({ country }) => country === 'AT')).toMatchObject({ name: 'Austria' });
  expect(config.faults_enabled).toBe(true);
});
