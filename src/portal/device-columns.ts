import type { components } from '../../generated/openapi.ts';
import type { DeviceType } from '../domain/fleets/devices.ts';

type Schemas = components['schemas'];
interface Entries {
  electric_vehicle: Schemas['ElectricVehicleDataEntry'];
  heat_pump: Schemas['HeatPumpDataEntry'];
  inverter: Schemas['InverterDataEntry'];
  wallbox: Schemas['WallboxDataEntry'];
}

/** The values of a period in the order of the document. One that is missing here does not compile. */
type Columns<Entry> = Readonly<Record<keyof Entry, true>>;

const COLUMNS: { readonly [Type in DeviceType]: Columns<Entries[Type]> } = {
  electric_vehicle: {
    time: true,
    charge_power_w: true,
    energy_charged_kwh: true,
    plugged_in_minutes: true,
    soc_percent: true,
  },
  heat_pump: {
    time: true,
    power_w: true,
    energy_kwh: true,
    heat_w: true,
    heat_kwh: true,
    cop: true,
    outdoor_temperature_c: true,
    indoor_temperature_c: true,
    hot_water_temperature_c: true,
  },
  inverter: {
    time: true,
    pv_power_w: true,
    load_power_w: true,
    battery_power_w: true,
    grid_power_w: true,
    pv_energy_kwh: true,
    load_energy_kwh: true,
    battery_charge_kwh: true,
    battery_discharge_kwh: true,
    grid_import_kwh: true,
    grid_export_kwh: true,
    soc_percent: true,
  },
  wallbox: { time: true, power_w: true, energy_kwh: true, plugged_in_minutes: true },
};

/** The names of what a device of a type did in a period, as its table has them. */
export function listDeviceColumns(type: DeviceType): readonly string[] {
  return Object.keys(COLUMNS[type]);
}
