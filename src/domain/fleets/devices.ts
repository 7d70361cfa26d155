import type { components } from '../../../generated/openapi.ts';

/** The types of devices, as the contract lists them. */
export type DeviceType = components['schemas']['DeviceType'];

/** One entry a type: a type of the contract that is missing here, or the other way round, does not compile. */
const HAS_DEVICE_TYPE: Readonly<Record<DeviceType, true>> = {
  electric_vehicle: true,
  heat_pump: true,
  inverter: true,
  wallbox: true,
};

/** All device types, in the order in which lists show them. */
export const DEVICE_TYPES = Object.keys(HAS_DEVICE_TYPE) as readonly DeviceType[];

/** A number of devices for each type. */
export type DeviceCounts = Readonly<Record<DeviceType, number>>;

/** What a device is rated at; null where a rating does not apply to its type. */
export interface DeviceRatings {
  /** W; for an inverter that of its alternating-current side, which clips the panels at their peak power. */
  readonly rated_power_w: number | null;
  /** Peak power in kW. */
  readonly pv_rating_kw: number | null;
  readonly battery_capacity_kwh: number | null;
  readonly max_charge_power_w: number | null;
  readonly max_discharge_power_w: number | null;
}
