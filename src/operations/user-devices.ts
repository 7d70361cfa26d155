import type { DeviceType } from '../domain/fleets/devices.ts';
import type { Handler } from '../contract/handlers.ts';
import { notFoundProblem } from '../domain/api/problem.ts';
import { findUserDevice, listUserDevices } from '../queries/fleets/devices.ts';
import type { DeviceRow } from '../queries/fleets/devices.ts';
import type { Context } from './context.ts';
import { computeDeviceStates } from '../households/device-states.ts';
import { workInSlices } from './heavy-jobs.ts';
import { isOfType, toDevice } from '../presenters/devices.ts';
import { checkUserExists } from './users.ts';

interface UserPath {
  readonly user_id: string;
}

/** How a path and a problem name a device of each type. */
const deviceNames = {
  electric_vehicle: { parameter: 'electric_vehicle_id', words: 'electric vehicle' },
  heat_pump: { parameter: 'heat_pump_id', words: 'heat pump' },
  inverter: { parameter: 'inverter_id', words: 'inverter' },
  wallbox: { parameter: 'wallbox_id', words: 'wallbox' },
} as const satisfies Readonly<Record<DeviceType, { readonly parameter: string; readonly words: string }>>;

export const listUserElectricVehicles: Handler<Context, 'listUserElectricVehicles'> = (context, { path }) =>
  listed(context, path, 'electric_vehicle');

export const listUserHeatPumps: Handler<Context, 'listUserHeatPumps'> = (context, { path }) =>
  listed(context, path, 'heat_pump');

export const listUserInverters: Handler<Context, 'listUserInverters'> = (context, { path }) =>
  listed(context, path, 'inverter');

export const listUserWallboxes: Handler<Context, 'listUserWallboxes'> = (context, { path }) =>
  listed(context, path, 'wallbox');

export const getUserElectricVehicle: Handler<Context, 'getUserElectricVehicle'> = (context, { path }) =>
  shown(context, path, 'electric_vehicle', path.electric_vehicle_id);

export const getUserHeatPump: Handler<Context, 'getUserHeatPump'> = (context, { path }) =>
  shown(context, path, 'heat_pump', path.heat_pump_id);

export const getUserInverter: Handler<Context, 'getUserInverter'> = (context, { path }) =>
  shown(context, path, 'inverter', path.inverter_id);

export const getUserWallbox: Handler<Context, 'getUserWallbox'> = (context, { path }) =>
  shown(context, path, 'wallbox', path.wallbox_id);

/** 404 unless the caller may see the user and the user has the device of this type that the path names. */
export async function checkUserDeviceExists(
  context: Context,
  path: UserPath & Readonly<Partial<Record<(typeof deviceNames)[DeviceType]['parameter'], string>>>,
): Promise<void> {
  for (const [type, { parameter }] of Object.entries(deviceNames)) {
    const id = path[parameter];
    if (id !== undefined) await findVisibleDevice(context, path, type as DeviceType, id);
  }
}

/** The device of a user who is not deleted and whom the caller may see; otherwise 404. */
export async function findVisibleDevice(
  context: Context,
  path: UserPath,
  type: DeviceType,
  id: string,
): Promise<DeviceRow> {
  await checkUserExists(context, path);
  const row = await findUserDevice(context.db, context.orgId, path.user_id, type, id);
  if (row === undefined) throw notFoundProblem(deviceNames[type].words);
  return row;
}

async function listed<Type extends DeviceType>(context: Context, path: UserPath, type: Type) {
  await checkUserExists(context, path);
  const rows = await listUserDevices(context.db, context.orgId, path.user_id, type);
  return { status: 200 as const, body: await presentDevices(context, rows, type) };
}

function shown<Type extends DeviceType>(context: Context, path: UserPath, type: Type, id: string) {
  return workInSlices(context, async () => {
    const row = await findVisibleDevice(context, path, type, id);
    const [device] = await presentDevices(context, [row], type);
    if (device === undefined) throw new Error('A device has no record.');
    return { status: 200 as const, body: device };
  });
}

/** The rows are of the type. */
async function presentDevices<Type extends DeviceType>(
  context: Context,
  rows: readonly DeviceRow[],
  type: Type,
) {
  const devices = await computeDeviceStates(context, rows);
  return devices
    .map(({ row, state, at }) => toDevice(row, state, at))
    .filter((device) => isOfType(device, type));
}
