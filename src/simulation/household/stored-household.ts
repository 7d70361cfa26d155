/** The shape in which households of model version 2 are stored, checked field by field when one is read. */
import type { Building } from './building.ts';
import type { Battery, ElectricVehicle, PvPlant } from './equipment.ts';
import type { Habits } from './habits.ts';
import type { HeatPump, HotWaterTank } from './heat-pump.ts';
import type { Household } from './household.ts';

/** Throws a RangeError that names the field when the value is not what the field holds. */
type Check = (value: unknown, field: string) => void;
type Checks<Shape> = Readonly<Record<keyof Shape, Check>>;

function reject(value: unknown, field: string, expected: string): never {
  const found = value === undefined ? 'nothing' : JSON.stringify(value);
  throw new RangeError(
    `A stored household of model version 2 must have ${expected} in "${field}", not ${found}.`,
  );
}

const isNumber: Check = (value, field) => {
  if (!Number.isFinite(value)) reject(value, field, 'a finite number');
};
const isText: Check = (value, field) => {
  if (typeof value !== 'string') reject(value, field, 'a text');
};

const isOneOf =
  (...names: readonly unknown[]): Check =>
  (value, field) => {
    if (!names.includes(value)) reject(value, field, `one of ${names.join(', ')}`);
  };

const isNullOr =
  (check: Check): Check =>
  (value, field) => {
    if (value !== null) check(value, field);
  };

const isObjectOf =
  <Shape>(checks: Checks<Shape>): Check =>
  (value, field) => {
    requireFields(value, checks, field);
  };

function requireFields<Shape>(value: unknown, checks: Checks<Shape>, path = ''): asserts value is Shape {
  if (typeof value !== 'object' || value === null) reject(value, path, 'an object');
  for (const [name, check] of Object.entries<Check>(checks)) {
    check((value as Record<string, unknown>)[name], path === '' ? name : `${path}.${name}`);
  }
}

const PV: Checks<PvPlant> = {
  rating_kw: isNumber,
  inverter_rating_kw: isNumber,
  tilt_deg: isNumber,
  azimuth_deg: isNumber,
};

const BATTERY: Checks<Battery> = {
  capacity_kwh: isNumber,
  max_charge_power_w: isNumber,
  max_discharge_power_w: isNumber,
  initial_soc_percent: isNumber,
  efficiency: isNumber,
};

const ELECTRIC_VEHICLE: Checks<ElectricVehicle> = {
  battery_kwh: isNumber,
  charger_power_w: isNumber,
  target_soc_percent: isNumber,
  initial_soc_percent: isNumber,
};

const BUILDING: Checks<Building> = {
  persons: isNumber,
  floor_area_m2: isNumber,
  heat_loss_w_per_k: isNumber,
  heat_capacity_wh_per_k: isNumber,
  comfort_c: isNumber,
  night_setback_k: isNumber,
};

const TANK: Checks<HotWaterTank> = { volume_l: isNumber, target_c: isNumber, standing_loss_w: isNumber };

const HEAT_PUMP: Checks<HeatPump> = {
  rated_power_w: isNumber,
  backup_power_w: isNumber,
  heat_output_w: isNumber,
  min_output_fraction: isNumber,
  efficiency: isNumber,
  source: isOneOf('air', 'ground'),
  emitter: isOneOf('floor', 'radiator'),
  design_temperature_c: isNumber,
  design_flow_c: isNumber,
  building: isObjectOf(BUILDING),
  tank: isObjectOf(TANK),
};

const HABITS: Checks<Habits> = { base_share: isNumber, lateness: isNumber };

const HOUSEHOLD: Checks<Household> = {
  model_version: isOneOf(2),
  seed: isNumber,
  index: isNumber,
  group: isText,
  member: isNumber,
  profile: isText,
  anchor_ms: isNumber,
  latitude: isNumber,
  longitude: isNumber,
  country: isNullOr(isText),
  time_zone: isText,
  location_source: isOneOf('density', 'fixed', 'default'),
  load_annual_kwh: isNumber,
  ev_annual_kwh: isNumber,
  time_shift_minutes: isNumber,
  day_variation: isNumber,
  habits: isObjectOf(HABITS),
  pv: isObjectOf(PV),
  battery: isObjectOf(BATTERY),
  electric_vehicle: isNullOr(isObjectOf(ELECTRIC_VEHICLE)),
  heat_pump: isNullOr(isObjectOf(HEAT_PUMP)),
};

/**
 * A household of model version 2, read from the JSON in which it is stored: the same object, once every field has been
 * checked. Throws a RangeError that names the first field that is missing or of another type.
 */
export function parseHouseholdOfVersion2(attributes: unknown): Household {
  requireFields<Household>(attributes, HOUSEHOLD);
  return attributes;
}
