/** What the data of a device tell of one period; powers are means in W, energies in kWh, charges those at its end. */
import type { DeviceType } from '../../domain/fleets/devices.ts';
import type { DeviceStates } from './device-state.ts';

export interface HeatPumpPeriod {
  /** Start of the period, ISO 8601 in UTC. */
  readonly time: string;
  readonly power_w: number;
  readonly energy_kwh: number;
  readonly heat_w: number;
  readonly heat_kwh: number;
  /** Heat over electricity of the period; null without heat. */
  readonly cop: number | null;
  /** Means of the period. */
  readonly outdoor_temperature_c: number;
  readonly indoor_temperature_c: number;
  readonly hot_water_temperature_c: number;
}
export interface InverterPeriod {
  readonly time: string;
  readonly pv_power_w: number;
  readonly load_power_w: number;
  /** Positive while charging. */
  readonly battery_power_w: number;
  /** Positive from the grid. */
  readonly grid_power_w: number;
  readonly pv_energy_kwh: number;
  readonly load_energy_kwh: number;
  readonly battery_charge_kwh: number;
  readonly battery_discharge_kwh: number;
  readonly grid_import_kwh: number;
  readonly grid_export_kwh: number;
  readonly soc_percent: number;
}
export interface ElectricVehiclePeriod {
  readonly time: string;
  readonly charge_power_w: number;
  readonly energy_charged_kwh: number;
  readonly plugged_in_minutes: number;
  readonly soc_percent: number;
}
export interface WallboxPeriod {
  readonly time: string;
  readonly power_w: number;
  readonly energy_kwh: number;
  readonly plugged_in_minutes: number;
}
export interface DevicePeriods {
  electric_vehicle: ElectricVehiclePeriod;
  heat_pump: HeatPumpPeriod;
  inverter: InverterPeriod;
  wallbox: WallboxPeriod;
}

type Unread<Period> = { readonly [Field in keyof Period]: Field extends 'time' ? string : null };

/** What is told of a period that was not read. */
export type UnreadPeriods = { readonly [Type in DeviceType]: Unread<DevicePeriods[Type]> };

const UNREAD: { readonly [Type in DeviceType]: Omit<UnreadPeriods[Type], 'time'> } = {
  electric_vehicle: {
    charge_power_w: null,
    energy_charged_kwh: null,
    plugged_in_minutes: null,
    soc_percent: null,
  },
  heat_pump: {
    power_w: null,
    energy_kwh: null,
    heat_w: null,
    heat_kwh: null,
    cop: null,
    outdoor_temperature_c: null,
    indoor_temperature_c: null,
    hot_water_temperature_c: null,
  },
  inverter: {
    pv_power_w: null,
    load_power_w: null,
    battery_power_w: null,
    grid_power_w: null,
    pv_energy_kwh: null,
    load_energy_kwh: null,
    battery_charge_kwh: null,
    battery_discharge_kwh: null,
    grid_import_kwh: null,
    grid_export_kwh: null,
    soc_percent: null,
  },
  wallbox: { power_w: null, energy_kwh: null, plugged_in_minutes: null },
};

/** A period that was not read and begins at `time`. */
export function toUnread<Type extends DeviceType>(type: Type, time: string): UnreadPeriods[Type] {
  return { time, ...UNREAD[type] } as UnreadPeriods[Type];
}

/** Attributes of a state that have no series: settings, and what changes with the instant and not with energy. */
interface WithoutSeries {
  electric_vehicle: 'target_soc_percent' | 'charging' | 'control';
  heat_pump: 'mode' | 'schedule_state' | 'control';
  inverter: 'control';
  wallbox: 'charging';
}

/**
 * The field of a period in which each attribute of a state has its series. An attribute of a device that is neither here nor among
 * those without series does not compile.
 */
export const PERIOD_FIELD_OF_ATTRIBUTE: {
  readonly [Type in DeviceType]: Readonly<
    Record<Exclude<keyof DeviceStates[Type], WithoutSeries[Type]>, keyof DevicePeriods[Type]>
  >;
} = {
  electric_vehicle: {
    soc_percent: 'soc_percent',
    plugged_in: 'plugged_in_minutes',
    charge_power_w: 'charge_power_w',
    energy_charged_kwh: 'energy_charged_kwh',
  },
  heat_pump: {
    power_w: 'power_w',
    heat_w: 'heat_w',
    cop: 'cop',
    outdoor_temperature_c: 'outdoor_temperature_c',
    indoor_temperature_c: 'indoor_temperature_c',
    hot_water_temperature_c: 'hot_water_temperature_c',
    energy_kwh: 'energy_kwh',
  },
  inverter: {
    pv_power_w: 'pv_power_w',
    load_power_w: 'load_power_w',
    battery_power_w: 'battery_power_w',
    grid_power_w: 'grid_power_w',
    soc_percent: 'soc_percent',
    pv_energy_kwh: 'pv_energy_kwh',
    grid_import_kwh: 'grid_import_kwh',
    grid_export_kwh: 'grid_export_kwh',
  },
  wallbox: { plugged_in: 'plugged_in_minutes', power_w: 'power_w', energy_kwh: 'energy_kwh' },
};
