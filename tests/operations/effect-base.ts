// What fleets-effects.test.ts changes, and how its rows tell what follows.

export type Values = Readonly<Record<string, unknown>>;
interface Shown {
  readonly group: string;
  readonly profile: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly annual_consumption_kwh: number;
  readonly time_shift_minutes: number;
  readonly devices: readonly unknown[];
  readonly [name: string]: unknown;
}
export interface Preview {
  readonly households: readonly Shown[];
  readonly groups: readonly { readonly name: string; readonly count: number }[];
  readonly totals: Readonly<Record<string, number>>;
  readonly density: { readonly dropped_cells: number } | null;
  readonly [name: string]: unknown;
}

export const grid = { origin_lat: 48.4, origin_lon: 16.2, cell_deg: 0.2, rows: 2, cols: 3 };
export const cells = Buffer.from([0, 40, 10, 60, 255, 0]);
export const density = {
  country: 'AT',
  dataset_version: 'vienna-2026.1',
  boundary_version: 'natural-earth-4.1-50m',
  grid,
  weights: cells.toString('base64'),
};
export const base = {
  request_id: '7d0f5e0a-9d2b-4a53-8c11-5b7a2f6e4c10',
  name: 'Base',
  count: 20,
  seed: 11,
  history_days: 3,
  history_cutoff: '2026-06-10T00:00:00Z',
  latitude: 48.3,
  longitude: 14.29,
  ev_ownership_fraction: 0.5,
  pv_rating_kw: 8,
  battery_capacity_kwh: 10,
  max_charge_power_w: 4000,
  max_discharge_power_w: 4500,
  initial_soc_percent: 50,
  annual_consumption_kwh: 4000,
  annual_consumption_with_ev_kwh: 6000,
  groups: [
    { name: 'A', percentage: 50, max_time_shift_minutes: 20, variation_fraction: 0.1 },
    { name: 'B', max_time_shift_minutes: 20, variation_fraction: 0.1 },
  ],
};
/** The base with one property of its first group set. */
export const first = (change: Values): Values => ({
  groups: [{ ...base.groups[0], ...change }, base.groups[1]],
});
export const LOAD = 'average_day.*.load_w';
export const PV = ['average_day.*.pv_w', 'totals.annual_pv_kwh'];
export const CONSUMPTION = ['households.*.annual_consumption_kwh', 'totals.annual_load_kwh'];
export const VEHICLES = [
  'device_counts.electric_vehicle',
  'device_counts.wallbox',
  'groups.*.electric_vehicle_count',
  'households.*.devices',
];
export const PROFILES = ['groups.*.archetype_counts', 'households.*.profile'];
export const PLACES = ['households.*.latitude', 'households.*.longitude'];

export interface Row {
  readonly title: string;
  readonly to: Values;
  /** What differs from the base before the change already. */
  readonly given?: Values;
  readonly effect: readonly string[];
  /** What the households look like then. */
  readonly holds?: (after: Preview, before: Preview) => boolean;
}

export const every =
  (holds: (household: Shown) => boolean): NonNullable<Row['holds']> =>
  ({ households }) =>
    households.every(holds);
/** All within a range and more than one value drawn. */
const drawn =
  (name: string, min: number, max: number): NonNullable<Row['holds']> =>
  ({ households }) => {
    const values = households.map((household) => household[name] as number);
    return values.every((value) => value >= min && value <= max) && new Set(values).size > 1;
  };
export const owners = (preview: Preview): Shown[] =>
  preview.households.filter(({ devices }) => hasVehicle(devices));
export const hasVehicle = (devices: Shown['devices']): boolean =>
  devices.some((device) => (device as { device_type: string }).device_type === 'electric_vehicle');
export const sizes = ({ groups }: Preview): number[] => groups.map(({ count }) => count);
export const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;
export const meanOf = (households: readonly Shown[]): number =>
  mean(households.map(({ annual_consumption_kwh: kwh }) => kwh));
export const isNear = (value: number, target: number): boolean => Math.abs(value / target - 1) < 0.01;
export const scalar = (name: string, value: number, effect: readonly string[]): Row => ({
  title: name,
  to: { [name]: value },
  effect: [`definition.${name}`, `households.*.${name}`, ...effect],
  holds: every((household) => household[name] === value),
});
export const range = (name: string, min: number, max: number, effect: readonly string[]): Row => ({
  title: `${name}_range`,
  to: { [`${name}_range`]: { min, max } },
  effect: [`definition.${name}_range`, `households.*.${name}`, ...effect],
  holds: drawn(name, min, max),
});
