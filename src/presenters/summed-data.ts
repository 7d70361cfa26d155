import type { components } from '../../generated/openapi.ts';
import { QUARTER_HOUR_MS } from '../domain/api/durations.ts';
import type { Columns } from './tables.ts';

type FleetRow = components['schemas']['FleetDataEntry'];
type HouseholdRow = components['schemas']['HouseholdDataEntry'];

/** What tables of households have in each row. */
export const HOUSEHOLD_COLUMNS: Columns<HouseholdRow> = {
  time: 'instant',
  load_power_w: 'integer',
  pv_power_w: 'integer',
  vehicle_power_w: 'integer',
  heat_pump_power_w: 'integer',
  battery_power_w: 'integer',
  grid_power_w: 'integer',
  load_energy_kwh: 'number',
  pv_energy_kwh: 'number',
  vehicle_energy_kwh: 'number',
  heat_pump_energy_kwh: 'number',
  heat_energy_kwh: 'number',
  battery_charge_kwh: 'number',
  battery_discharge_kwh: 'number',
  grid_import_kwh: 'number',
  grid_export_kwh: 'number',
  battery_stored_kwh: 'number',
  vehicle_stored_kwh: 'number',
  outdoor_temperature_c: 'number',
  indoor_temperature_c: 'number',
  hot_water_temperature_c: 'number',
  devices_reporting: 'integer',
};

/** What tables of fleets have in each row. */
export const FLEET_COLUMNS: Columns<FleetRow> = {
  ...HOUSEHOLD_COLUMNS,
  smallest_grid_power_w: 'integer',
  smallest_user_id: 'text',
  largest_grid_power_w: 'integer',
  largest_user_id: 'text',
};

/** What such data cover; null where there are none. */
export function toSummedMetadata<Resolution extends string>(
  resolution: Resolution,
  span: { readonly first: number; readonly end: number } | undefined,
): { readonly resolution: Resolution; readonly from: string | null; readonly to: string | null } {
  const instantOf = (quarter: number): string => new Date(quarter * QUARTER_HOUR_MS).toISOString();
  return {
    resolution,
    from: span ? instantOf(span.first) : null,
    to: span ? instantOf(span.end) : null,
  };
}
