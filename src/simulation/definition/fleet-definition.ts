/** The fleet definition as it is sent, and with defaults filled in. */

export interface IntegerRange {
  readonly min: number;
  readonly max: number;
}

export interface FleetGroupBody {
  readonly name: string;
  readonly count?: number | null | undefined;
  readonly percentage?: number | null | undefined;
  readonly profile?: string | undefined;
  readonly weights?: readonly number[] | null | undefined;
  readonly annual_consumption_kwh?: number | null | undefined;
  readonly annual_consumption_with_ev_kwh?: number | null | undefined;
  readonly max_time_shift_minutes?: number | null | undefined;
  readonly variation_fraction?: number | null | undefined;
}

export interface DensityGrid {
  readonly origin_lat: number;
  readonly origin_lon: number;
  readonly cell_deg: number;
  readonly rows: number;
  readonly cols: number;
}

/** What a density raster says of itself, without its weights. */
interface DensityHeader {
  readonly country: string;
  readonly dataset_version: string;
  readonly boundary_version: string;
  readonly grid: DensityGrid;
}

/** A density raster as it is sent: `weights` is base64 of one byte a cell, plain or compressed. */
export interface DensityRaster extends DensityHeader {
  readonly weights: string;
}

/** A density raster as the fleet record shows it: the weights replaced by their SHA-256, in hex, once unpacked. */
export interface DensityRecord extends DensityHeader {
  readonly weights_sha256: string;
}

/** The values that a fleet draws for each household: a scalar, a range that wins over it, or a default. */
export const DRAWN_FIELDS = [
  'pv_rating_kw',
  'battery_capacity_kwh',
  'max_charge_power_w',
  'max_discharge_power_w',
  'initial_soc_percent',
] as const;
export type DrawnField = (typeof DRAWN_FIELDS)[number];

/** The body of create and preview, already checked against the document. */
export interface FleetDefinitionBody extends DrawnFieldsBody {
  readonly request_id: string;
  readonly name?: string | undefined;
  readonly count?: number | undefined;
  readonly seed?: number | undefined;
  readonly history_days?: number | undefined;
  readonly history_cutoff?: string | null | undefined;
  readonly latitude?: number | null | undefined;
  readonly longitude?: number | null | undefined;
  readonly density?: DensityRaster | null | undefined;
  readonly ev_ownership_fraction?: number | undefined;
  readonly annual_consumption_kwh?: number | null | undefined;
  readonly annual_consumption_with_ev_kwh?: number | null | undefined;
  readonly groups?: readonly FleetGroupBody[] | undefined;
}
type DrawnFieldsBody = { readonly [Name in DrawnField]?: number | null | undefined } & {
  readonly [Name in `${DrawnField}_range`]?: IntegerRange | null | undefined;
};

export interface EffectiveGroup {
  readonly name: string;
  /** As it was given. */
  readonly count: number | null;
  /** Households at creation. */
  readonly households: number;
  /** Exact share of the fleet before rounding, an integer: share / sum of all shares. */
  readonly share: number;
  readonly percentage: number | null;
  readonly profile: string;
  readonly weights: readonly number[] | null;
  readonly annual_consumption_kwh: number | null;
  readonly annual_consumption_with_ev_kwh: number | null;
  readonly max_time_shift_minutes: number;
  readonly variation_fraction: number;
  /** True for the "default" group that takes the households no group asked for. */
  readonly implicit: boolean;
}

/** A definition with defaults filled in, null for absent, and counts resolved; plain JSON, stored with the fleet. */
export interface EffectiveDefinition extends DrawnFieldsInForce {
  readonly request_id: string;
  readonly name: string;
  readonly count: number;
  readonly seed: number;
  readonly history_days: number;
  readonly history_cutoff: string | null;
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly density: DensityRecord | null;
  readonly ev_ownership_fraction: number;
  readonly annual_consumption_kwh: number | null;
  readonly annual_consumption_with_ev_kwh: number | null;
  readonly groups: readonly EffectiveGroup[];
}
type DrawnFieldsInForce = { readonly [Name in DrawnField]: number | null } & {
  readonly [Name in `${DrawnField}_range`]: IntegerRange | null;
};

/** Something accepted that may not be what was meant. */
export interface DefinitionWarning {
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
}

/** Defaults: those of the document, and those of docs/simulation.md#ranges-and-scalars. */
export const DEFINITION_DEFAULTS = {
  name: 'Simulated fleet',
  count: 10,
  seed: 42,
  history_days: 0,
  ev_ownership_fraction: 0.25,
  profile: 'mixed',
  max_time_shift_minutes: 30,
  variation_fraction: 0.1,
  pv_rating_kw_range: { min: 5, max: 15 },
  battery_capacity_kwh_range: { min: 5, max: 15 },
  /** Charge and discharge power in W for each kWh of capacity, where no power is given (0.5 C). */
  power_w_per_kwh: 500,
  initial_soc_percent: 50,
  /** Yearly home charging in kWh where annual_consumption_with_ev_kwh is absent. */
  ev_annual_kwh: 2500,
  heat_pump_fraction: 0.25,
  /** Location of households without density and coordinates: Frankfurt am Main. */
  latitude: 50.11,
  longitude: 8.68,
} as const;

/** Bounds of the scalars; draws from a range are clamped to them. */
export const DRAWN_FIELD_BOUNDS: { readonly [Name in DrawnField]: IntegerRange } = {
  pv_rating_kw: { min: 0, max: 100 },
  battery_capacity_kwh: { min: 0.1, max: 1000 },
  max_charge_power_w: { min: 1, max: 100_000 },
  max_discharge_power_w: { min: 1, max: 100_000 },
  initial_soc_percent: { min: 5, max: 100 },
};

/** Null and absent mean the same. */
export function isPresent<Value>(value: Value | null | undefined): value is Value {
  return value !== null && value !== undefined;
}
