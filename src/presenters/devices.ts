import type { DeviceRatings, DeviceType } from '../domain/fleets/devices.ts';
import type { components } from '../../generated/openapi.ts';
import { saveCheckpoints, advanceCounters } from '../households/checkpoints.ts';
import { TimeSlicer } from '../households/time-slicer.ts';
import { loadHeatPumpSchedules } from '../households/heat-pump-schedules.ts';
import type { HouseholdCheckpoint } from '../queries/fleets/checkpoints.ts';
import type { DeviceRow } from '../queries/fleets/devices.ts';
import type { Household } from '../simulation/household/household.ts';
import { computeDeviceState, getCachedModel } from '../simulation/model/device-state.ts';
import type { DeviceState, DeviceStates } from '../simulation/model/device-state.ts';
import type { Context } from '../operations/context.ts';

type Device = components['schemas']['Device'];

/**
 * Devices as the API shows them, each with its state at the instant of the request, or at that at which its fleet
 * ended. Simulated ones must be of one organization. Looks at households that nobody has looked at for long are sliced.
 */
export async function toDevices(context: Context, rows: readonly DeviceRow[]): Promise<Device[]> {
  const { db, now } = context;
  const pace = new TimeSlicer(context.yieldToEventLoop);
  const scheduleOf = await schedulesOf(context, rows);
  const devices: Device[] = [];
  const made = new Map<number, HouseholdCheckpoint>();
  for (const row of rows) {
    const household = householdOf(row);
    if (household === undefined) {
      devices.push(toDevice(row, row.stopped_at ?? now, neutralStates[row.device_type]));
      continue;
    }
    const at = row.stopped_at ?? now;
    const inputs = household.heat_pump && scheduleOf ? { scheduleState: scheduleOf(household) } : {};
    await pace.yieldIfDue();
    const seen = { household, model: getCachedModel(household, inputs), storedCheckpoint: row.checkpoint };
    const checkpoint = await advanceCounters(seen, at, now, pace);
    if (checkpoint) made.set(household.index, checkpoint);
    devices.push(toDevice(row, at, computeDeviceState(household, row.device_type, at, inputs)));
  }
  const [first] = rows;
  if (first) await saveCheckpoints(db, first.org_id, [...made.values()]);
  return devices;
}

/** The schedules of heat pumps, where one of the households has one. */
async function schedulesOf({ db, now }: Context, rows: readonly DeviceRow[]) {
  for (const row of rows) {
    const household = householdOf(row);
    if (household?.heat_pump)
      return loadHeatPumpSchedules(db, row.org_id, new Date(household.anchor_ms), now);
  }
  return undefined;
}

function toDevice(row: DeviceRow, at: Date, state: DeviceState): Device {
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
