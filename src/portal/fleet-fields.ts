import type { components } from '../../generated/openapi.ts';

type Definition = components['schemas']['FleetDefinition'];
type Group = components['schemas']['FleetGroup'];
type Density = components['schemas']['DensityRaster'];

/** What a text of the form becomes in the body. */
type FieldKind = 'text' | 'number' | 'numbers';

/** A field of the form for a fleet. */
export interface FleetField {
  /** Where its value stands in the body, from the definition or the group on: `density/grid/rows`. */
  readonly path: string;
  readonly label: string;
  readonly kind: FieldKind;
  readonly hint?: string;
  readonly multiline?: true;
  /** What it is chosen from. */
  readonly from?: 'profiles' | 'countries';
}

type Texts = Omit<FleetField, 'path' | 'kind'> & { readonly kind?: FieldKind };

/** Properties of the definition whose values are not objects; one without a text here does not compile. */
const SCALARS: Readonly<
  Record<Exclude<keyof Definition, 'request_id' | 'groups' | 'density' | `${string}_range`>, Texts>
> = {
  name: { label: 'Name', kind: 'text' },
  count: { label: 'Homes', hint: '1 to 1,000. Empty: 10, or as many as the groups have together.' },
  seed: { label: 'Seed', hint: 'The same definition with the same seed makes the same homes. Empty: 42.' },
  history_days: { label: 'Days of past', hint: '0 to 90, with which the fleet is born.' },
  history_cutoff: {
    label: 'Where the past ends',
    kind: 'text',
    hint: 'Such as 2026-11-21T00:00:00Z. Empty: the moment of creation.',
  },
  latitude: { label: 'Latitude', hint: 'Degrees north, such as 48.3064. Empty: that of Frankfurt am Main.' },
  longitude: { label: 'Longitude', hint: 'Degrees east, such as 14.2858. Empty: that of Frankfurt am Main.' },
  ev_ownership_fraction: { label: 'Homes with a vehicle', hint: '0 to 1. Empty: 0.25.' },
  pv_rating_kw: { label: 'Panels, kW', hint: '0 to 100. Empty: 5 to 15 are drawn.' },
  battery_capacity_kwh: { label: 'Battery, kWh', hint: '0.1 to 1,000. Empty: 5 to 15 are drawn.' },
  max_charge_power_w: { label: 'Highest charging power, W', hint: 'Empty: full in two hours.' },
  max_discharge_power_w: { label: 'Highest discharging power, W', hint: 'Empty: empty in two hours.' },
  initial_soc_percent: { label: 'First charge, %', hint: '5 to 100. Empty: 50.' },
  annual_consumption_kwh: {
    label: 'Consumption a year, kWh',
    hint: 'Without a vehicle. Empty: that of each kind of household.',
  },
  annual_consumption_with_ev_kwh: {
    label: 'Consumption a year with a vehicle, kWh',
    hint: 'The vehicle included; not less than without.',
  },
};

const RANGES: Readonly<Record<Extract<keyof Definition, `${string}_range`>, string>> = {
  pv_rating_kw_range: 'Panels, kW',
  battery_capacity_kwh_range: 'Battery, kWh',
  initial_soc_percent_range: 'First charge, %',
  max_charge_power_w_range: 'Charging power, W',
  max_discharge_power_w_range: 'Discharging power, W',
};

const DENSITY: Readonly<Record<Exclude<keyof Density, 'grid'>, Texts>> = {
  country: { label: 'Country', kind: 'text', from: 'countries' },
  dataset_version: { label: 'Name of your data', kind: 'text', hint: 'Kept and echoed.' },
  boundary_version: { label: 'Name of the borders', kind: 'text', hint: 'Kept and echoed.' },
  weights: {
    label: 'Weights',
    kind: 'text',
    multiline: true,
    hint: 'A byte for each cell from the north-west, in base64; gzip is read too. Painting on the map writes them.',
  },
};

const GRID: Readonly<Record<keyof Density['grid'], Texts>> = {
  origin_lat: { label: 'North edge, degrees' },
  origin_lon: { label: 'West edge, degrees' },
  cell_deg: { label: 'Edge of a cell, degrees' },
  rows: { label: 'Rows' },
  cols: { label: 'Columns' },
};

const GROUP: Readonly<Record<keyof Group, Texts>> = {
  name: { label: 'Name', kind: 'text' },
  profile: { label: 'Kind of household', kind: 'text', from: 'profiles' },
  count: { label: 'Homes', hint: 'Or a share below.' },
  percentage: { label: 'Share, %', hint: 'Neither: what the others leave, in equal parts.' },
  weights: {
    label: 'Shares of the kinds in a mixture',
    kind: 'numbers',
    hint: 'Ten numbers, separated by commas, in the order of the kinds.',
  },
  annual_consumption_kwh: { label: 'Consumption a year, kWh' },
  annual_consumption_with_ev_kwh: { label: 'Consumption a year with a vehicle, kWh' },
  max_time_shift_minutes: { label: 'Shift of the day, minutes', hint: '0 to 180. Empty: 30.' },
  variation_fraction: { label: 'Variation', hint: '0 to 0.5. Empty: 0.1.' },
};

function toField(path: string, texts: Texts): FleetField {
  return { path, kind: 'number', ...texts };
}

const scalar = (name: keyof typeof SCALARS): FleetField => toField(name, SCALARS[name]);

const range = (name: keyof typeof RANGES): readonly FleetField[] => [
  toField(`${name}/min`, { label: `${RANGES[name]}, from` }),
  toField(`${name}/max`, { label: `${RANGES[name]}, to` }),
];

/** Fields under one heading; those of an inner list stand beside each other. */
export interface FieldSet {
  readonly legend: string;
  /** Whether it is folded until something stands in it. */
  readonly isFolded?: true;
  readonly rows: readonly (readonly FleetField[])[];
}

/** All fields but those of groups. */
export const FIELD_SETS: readonly FieldSet[] = [
  {
    legend: 'Size and time',
    rows: [
      [scalar('name'), scalar('count')],
      [scalar('history_days'), scalar('history_cutoff')],
      [scalar('seed'), scalar('ev_ownership_fraction')],
    ],
  },
  { legend: 'Place', rows: [[scalar('latitude'), scalar('longitude')]] },
  {
    legend: 'Equipment',
    rows: [
      [scalar('pv_rating_kw'), scalar('battery_capacity_kwh')],
      [scalar('max_charge_power_w'), scalar('max_discharge_power_w')],
      [scalar('initial_soc_percent')],
      [scalar('annual_consumption_kwh'), scalar('annual_consumption_with_ev_kwh')],
    ],
  },
  {
    legend: 'Equipment that is drawn for each home',
    isFolded: true,
    rows: (Object.keys(RANGES) as (keyof typeof RANGES)[]).map(range),
  },
  {
    legend: 'Density: homes spread over a country',
    isFolded: true,
    rows: [
      [
        toField('density/country', DENSITY.country),
        toField('density/dataset_version', DENSITY.dataset_version),
      ],
      [toField('density/boundary_version', DENSITY.boundary_version)],
      ...chunk(Object.entries(GRID).map(([name, texts]) => toField(`density/grid/${name}`, texts))),
      [toField('density/weights', DENSITY.weights)],
    ],
  },
];

/** The fields of a group. */
export const GROUP_ROWS: readonly (readonly FleetField[])[] = chunk(
  Object.entries(GROUP).map(([name, texts]) => toField(name, texts)),
);

/** Pairs, and a last one that may be alone. */
function chunk(fields: readonly FleetField[]): FleetField[][] {
  return Array.from({ length: Math.ceil(fields.length / 2) }, (_, pair) =>
    fields.slice(2 * pair, 2 * pair + 2),
  );
}
