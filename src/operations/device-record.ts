import type { components } from '../../generated/openapi.ts';
import type { Db } from '../queries/database.ts';
import type { DeviceRow } from '../queries/devices.ts';
import type { DeviceRatings } from '../simulation/device-description.ts';
import type { Household } from '../simulation/household.ts';
import type { DeviceType } from '../simulation/identity.ts';
import { deviceState } from '../simulation/state.ts';
import type { DeviceState, DeviceStates, StateInputs } from '../simulation/state.ts';
import { liveSchedules } from './live-schedules.ts';

type Device = components['schemas']['Device'];

/**
 * Devices as the API shows them, each with its state at `now`, or at the instant at which its fleet ended.
 * Simulated ones must be of one organization.
 */
export async function toDevices(db: Db, rows: readonly DeviceRow[], now: Date): Promise<Device[]> {
  const heated = rows.find((row) => householdOf(row)?.heat_pump);
  const household = heated && householdOf(heated);
  if (heated === undefined || !household) return rows.map((row) => toDevice(row, now));
  const scheduleOf = await liveSchedules(db, heated.org_id, new Date(household.anchor_ms));
  return rows.map((row) => {
    const own = householdOf(row);
    return toDevice(row, now, own?.heat_pump ? { scheduleState: scheduleOf(own) } : {});
  });
}

function toDevice(row: DeviceRow, now: Date, inputs: StateInputs = {}): Device {
  const at = row.stopped_at ?? now;
  const household = householdOf(row);
  const state: DeviceState =
    household === undefined
      ? neutralStates[row.device_type]
      : deviceState(household, row.device_type, at, inputs);
  return {
    device_id: row.id,
    device_type: row.device_type,
    user_id: row.user_id,
    org_id: row.org_id,
    job_id: row.fleet_id,
    household_index: row.household_index,
    group: row.group_name,
    profile: row.profile,
    name: row.name,
    manufacturer: row.manufacturer,
    model: row.model,
    ...(row.ratings as DeviceRatings),
    online: !row.is_offline,
    state,
    as_of: at.toISOString(),
  };
}

function householdOf(row: DeviceRow): Household | undefined {
  return (row.attributes ?? undefined) as Household | undefined;
}

/** What is shown of a device that no fleet simulates, since nothing measures it: everything at rest, counters at 0. */
const neutralStates: { readonly [Type in DeviceType]: DeviceStates[Type] } = {
  electric_vehicle: {
    soc_percent: 0,
    target_soc_percent: 100,
    plugged_in: false,
    charging: false,
    charge_power_w: 0,
    energy_charged_kwh: 0,
  },
  heat_pump: {
    mode: 'off',
    schedule_state: 'mid',
    power_w: 0,
    heat_w: 0,
    outdoor_temperature_c: 0,
    energy_kwh: 0,
  },
  inverter: {
    pv_power_w: 0,
    load_power_w: 0,
    battery_power_w: 0,
    grid_power_w: 0,
    soc_percent: 0,
    pv_energy_kwh: 0,
    grid_import_kwh: 0,
    grid_export_kwh: 0,
  },
  wallbox: { plugged_in: false, charging: false, power_w: 0, energy_kwh: 0 },
};
