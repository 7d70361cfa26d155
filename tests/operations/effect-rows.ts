// The rows of fleets-effects.test.ts: a field of the definition, its change, and what of the preview follows it.
import { gzipSync } from 'node:zlib';
import { ARCHETYPES } from '../../src/simulation/household/profiles.ts';
import {
  CONSUMPTION,
  LOAD,
  PLACES,
  PROFILES,
  PV,
  VEHICLES,
  base,
  cells,
  density,
  every,
  first,
  grid,
  hasVehicle,
  isNear,
  meanOf,
  owners,
  range,
  scalar,
  sizes,
} from './effect-base.ts';
import type { Row } from './effect-base.ts';

const steady = { variation_fraction: 0 };
const wide = {
  ...density,
  grid: { ...grid, cols: 6 },
  weights: Buffer.alloc(12, 50).toString('base64'),
};

/** What is expected of the panels in the fleet's first 365 days, which begin with its history. */
const FIRST_YEAR = ['average_day.*.pv_w', 'totals.annual_pv_kwh'] as const;

export const rows: readonly Row[] = [
  { title: 'name', to: { name: 'Other' }, effect: ['definition.name'] },
  {
    title: 'count',
    to: { count: 18 },
    effect: [
      ...['definition.count', 'households', 'device_counts.inverter', 'groups.*.count', LOAD, ...PV],
      ...['groups.*.archetype_counts', 'totals.annual_load_kwh', 'totals.battery_capacity_kwh'],
      ...['totals.households', 'totals.pv_rating_kw', ...VEHICLES.slice(0, 3)],
    ],
    holds: (after) => after.households.length === 18 && String(sizes(after)) === '9,9',
  },
  {
    title: 'seed',
    to: { seed: 12 },
    effect: [
      ...['definition.seed', 'device_counts.heat_pump', 'households.*.devices', LOAD, ...PV, ...PROFILES],
      ...['households.*.time_shift_minutes', ...CONSUMPTION],
    ],
  },
  {
    title: 'history_days',
    to: { history_days: 5 },
    effect: ['definition.history_days', 'history.from', ...FIRST_YEAR],
    holds: ({ history }) => (history as { from: string }).from === '2026-06-05T00:00:00.000Z',
  },
  {
    title: 'history_cutoff',
    to: { history_cutoff: '2026-06-09T00:07:00Z' },
    effect: ['definition.history_cutoff', 'history.from', 'history.to', ...FIRST_YEAR],
    holds: ({ history }) => (history as { to: string }).to === '2026-06-09T00:00:00.000Z',
  },
  {
    title: 'latitude',
    to: { latitude: 47 },
    effect: ['definition.latitude', 'households.*.latitude', ...PV],
    holds: every(({ latitude }) => latitude === 47),
  },
  {
    title: 'longitude',
    to: { longitude: 15 },
    effect: ['definition.longitude', 'households.*.longitude', ...PV],
    holds: every(({ longitude }) => longitude === 15),
  },
  {
    title: 'density',
    to: { density },
    effect: ['definition.density', 'density', 'households.*.source', ...PLACES, ...PV],
    holds: every(
      ({ latitude, longitude }) =>
        (cells[Math.floor((48.4 - latitude) / 0.2) * 3 + Math.floor((longitude - 16.2) / 0.2)] ?? 0) > 0,
    ),
  },
  {
    title: 'density/weights, packed',
    given: { density },
    to: { density: { ...density, weights: gzipSync(cells).toString('base64') } },
    effect: [],
  },
  {
    title: 'density/weights',
    given: { density },
    to: { density: { ...density, weights: Buffer.from([0, 0, 0, 0, 255, 0]).toString('base64') } },
    effect: [
      ...['definition.density.weights_sha256', 'density.nonzero_cells', ...PLACES, ...PV],
      ...['density.bounding_box.east', 'density.bounding_box.north', 'density.bounding_box.west'],
    ],
    // The middle cell of the southern row: rows run southward.
    holds: every(
      ({ latitude, longitude }) => latitude > 48 && latitude < 48.2 && longitude > 16.4 && longitude < 16.6,
    ),
  },
  {
    title: 'density/grid/origin_lat',
    given: { density },
    to: { density: { ...density, grid: { ...grid, origin_lat: 48.3 } } },
    effect: [
      ...['definition.density.grid.origin_lat', 'households.*.latitude', ...PV],
      ...['density.bounding_box.north', 'density.bounding_box.south'],
    ],
  },
  {
    title: 'density/grid/cell_deg',
    given: { density },
    to: { density: { ...density, grid: { ...grid, cell_deg: 0.1 } } },
    effect: [
      ...['definition.density.grid.cell_deg', ...PLACES, ...PV],
      ...['density.bounding_box.east', 'density.bounding_box.south'],
    ],
  },
  {
    title: 'density/dataset_version',
    given: { density },
    to: { density: { ...density, dataset_version: 'x' } },
    effect: ['definition.density.dataset_version'],
  },
  {
    title: 'density/boundary_version',
    given: { density },
    to: { density: { ...density, boundary_version: 'x' } },
    effect: ['definition.density.boundary_version'],
  },
  {
    title: 'density/country',
    given: { density: wide },
    to: { density: { ...wide, country: 'SK' } },
    effect: [
      ...['definition.density.country', 'density.dropped_cells', 'warnings.*.detail', ...PLACES, ...PV],
      ...['density.bounding_box.east', 'density.bounding_box.west'],
    ],
    // The March is the border.
    holds: every(({ longitude }) => longitude > 16.8),
  },
  {
    title: 'ev_ownership_fraction',
    to: { ev_ownership_fraction: 0.2 },
    effect: ['definition.ev_ownership_fraction', ...VEHICLES, ...CONSUMPTION],
    holds: (after) => owners(after).length === 4,
  },
  scalar('pv_rating_kw', 9, ['totals.pv_rating_kw', ...PV]),
  range('pv_rating_kw', 2, 5, ['totals.pv_rating_kw', ...PV]),
  scalar('battery_capacity_kwh', 9, ['totals.battery_capacity_kwh']),
  range('battery_capacity_kwh', 2, 5, ['totals.battery_capacity_kwh']),
  scalar('max_charge_power_w', 3000, []),
  range('max_charge_power_w', 2000, 5000, []),
  scalar('max_discharge_power_w', 3000, []),
  range('max_discharge_power_w', 2000, 5000, []),
  scalar('initial_soc_percent', 30, []),
  range('initial_soc_percent', 20, 50, []),
  {
    title: 'battery_capacity_kwh without powers, which follow it',
    given: { max_charge_power_w: null, max_discharge_power_w: null },
    to: { battery_capacity_kwh: 9 },
    effect: [
      ...['definition.battery_capacity_kwh', 'totals.battery_capacity_kwh'],
      ...['battery_capacity_kwh', 'max_charge_power_w', 'max_discharge_power_w'].map(
        (n) => `households.*.${n}`,
      ),
    ],
    holds: every(({ max_charge_power_w: power }) => power === 4500),
  },
  {
    title: 'annual_consumption_kwh',
    to: { annual_consumption_kwh: 3000 },
    effect: ['definition.annual_consumption_kwh', LOAD, ...CONSUMPTION],
    holds: ({ households }) => isNear(meanOf(households.filter(({ devices }) => !hasVehicle(devices))), 3000),
  },
  {
    title: 'annual_consumption_with_ev_kwh',
    given: { groups: base.groups.map((group) => ({ ...group, ...steady })) },
    to: { annual_consumption_with_ev_kwh: 7000 },
    effect: ['definition.annual_consumption_with_ev_kwh', ...CONSUMPTION],
    holds: (after) => isNear(meanOf(owners(after)), 7000),
  },
  {
    title: 'groups/name',
    to: first({ name: 'C' }),
    effect: ['definition.groups.*.name', 'groups.*.name', 'households.*.group'],
  },
  {
    title: 'groups/percentage',
    to: first({ percentage: 25 }),
    effect: [
      ...['definition.groups.*.percentage', 'groups.*.count', 'households.*.group', LOAD],
      ...['groups.*.archetype_counts', ...VEHICLES, ...CONSUMPTION],
    ],
    holds: (after) => String(sizes(after)) === '5,15',
  },
  {
    title: 'groups/count',
    given: first({ percentage: null }),
    to: first({ percentage: null, count: 5 }),
    effect: [
      ...['definition.groups.*.count', 'groups.*.count', 'households.*.group', LOAD],
      ...['groups.*.archetype_counts', ...VEHICLES, ...CONSUMPTION],
    ],
    holds: (after) => String(sizes(after)) === '5,15',
  },
  {
    title: 'groups/profile',
    to: first({ profile: 'large_family' }),
    effect: ['definition.groups.*.profile', 'groups.*.profile', LOAD, ...PROFILES],
    holds: every(({ group, profile }) => group === 'B' || profile === 'large_family'),
  },
  {
    title: 'groups/profile, whose own consumption holds where none is given',
    given: { annual_consumption_kwh: null, annual_consumption_with_ev_kwh: null, ev_ownership_fraction: 0 },
    to: first({ profile: 'large_family', ...steady }),
    effect: [
      ...['definition.groups.*.profile', 'definition.groups.*.variation_fraction', 'groups.*.profile'],
      ...[LOAD, ...PROFILES, ...CONSUMPTION],
    ],
    // Households of one size differ; what the others consume is less than half of a large family's.
    holds: ({ households: after }, { households: before }) => {
      const meanOf = (list: typeof after): number => {
        const own = list.filter(({ group }) => group !== 'B');
        return own.reduce((sum, { annual_consumption_kwh: kwh }) => sum + kwh, 0) / own.length;
      };
      return meanOf(after) > 1.4 * meanOf(before);
    },
  },
  {
    title: 'groups/weights',
    to: first({ weights: [0, 0, 0, 1, 0, 0, 0, 0, 0, 0] }),
    effect: ['definition.groups.*.weights', LOAD, ...PROFILES],
    holds: every(({ group, profile }) => group === 'B' || profile === 'couple_retired'),
  },
  ...Array.from({ length: 10 }, (_, i): Row => {
    const only = (at: number): number[] => Array.from({ length: 10 }, (_none, k) => (k === at ? 3 : 0));
    return {
      title: `groups/weights/${i}`,
      given: first({ weights: only((i + 1) % 10) }),
      to: first({ weights: only(i) }),
      effect: ['definition.groups.*.weights.*', LOAD, ...PROFILES],
      holds: every(({ group, profile }) => group === 'B' || profile === ARCHETYPES[i]?.name),
    };
  }),
  {
    title: 'groups/annual_consumption_kwh',
    to: first({ annual_consumption_kwh: 3000 }),
    effect: ['definition.groups.*.annual_consumption_kwh', LOAD, ...CONSUMPTION],
    holds: ({ households }, before) =>
      households.slice(10).every((shown, i) => {
        return shown.annual_consumption_kwh === before.households[i + 10]?.annual_consumption_kwh;
      }),
  },
  {
    title: 'groups/annual_consumption_with_ev_kwh',
    to: first({ annual_consumption_with_ev_kwh: 7000 }),
    effect: ['definition.groups.*.annual_consumption_with_ev_kwh', ...CONSUMPTION],
  },
  {
    title: 'groups/max_time_shift_minutes',
    to: first({ max_time_shift_minutes: 60 }),
    effect: ['definition.groups.*.max_time_shift_minutes', 'households.*.time_shift_minutes', LOAD],
    holds: ({ households }) => {
      const shifts = households.slice(0, 10).map(({ time_shift_minutes: shift }) => Math.abs(shift));
      return shifts.every((shift) => shift <= 60) && shifts.some((shift) => shift > 20);
    },
  },
  {
    title: 'groups/variation_fraction',
    given: { ev_ownership_fraction: 0 },
    to: first({ variation_fraction: 0.3 }),
    effect: ['definition.groups.*.variation_fraction', LOAD, 'households.*.annual_consumption_kwh'],
    // In pairs around the mean, so that the group keeps it.
    holds: ({ households }) =>
      Math.abs(meanOf(households.slice(0, 10)) - 4000) < 0.001 &&
      households.slice(0, 10).some(({ annual_consumption_kwh: kwh }) => Math.abs(kwh - 4000) > 400),
  },
];
