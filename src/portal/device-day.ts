import type { components } from '../../generated/openapi.ts';
import type { DeviceType } from '../domain/fleets/devices.ts';
import { readAnswer } from './answers.ts';
import type { PortalContext, PortalResponse } from './context.ts';
import { callDeviceOperation, DEVICE_OPERATIONS, HEAT_PUMP_SCHEDULES } from './device-operations.ts';
import type { LocalDay } from './local-days.ts';
import type { NamedHeatPump } from './reads.ts';

type Schemas = components['schemas'];
/** What a device did in a quarter hour, of whichever type. */
export type DeviceEntry = (
  Schemas['ElectricVehicleData'] | Schemas['HeatPumpData'] | Schemas['InverterData'] | Schemas['WallboxData']
)['data'][number];

/** What is asked of a heat pump in a quarter hour. */
export type ScheduleEntry = Schemas['HeatPumpScheduleEntry'];

/** What a device did on a day, by quarter hours; as much of it as is over. */
export async function readDeviceDay(
  context: PortalContext,
  response: PortalResponse,
  { userId, deviceId, deviceType }: NamedHeatPump & { readonly deviceType: DeviceType },
  day: LocalDay,
): Promise<readonly DeviceEntry[]> {
  const { parameter, data } = DEVICE_OPERATIONS[deviceType];
  const path = { user_id: userId, [parameter]: deviceId };
  const body = await callDeviceOperation(context, response, data, { path, query: toRange(day) });
  return ((await readAnswer(body)) as { readonly data: readonly DeviceEntry[] }).data;
}

/** What is asked of a heat pump on a day, its quarter hours to come too, as far as plans reach. */
export async function readSchedule(
  context: PortalContext,
  response: PortalResponse,
  { userId, deviceId }: NamedHeatPump,
  day: Pick<LocalDay, 'from' | 'to'>,
): Promise<readonly ScheduleEntry[]> {
  const path = { user_id: userId, [DEVICE_OPERATIONS.heat_pump.parameter]: deviceId };
  const body = await callDeviceOperation(context, response, HEAT_PUMP_SCHEDULES, {
    path,
    query: toRange(day),
  });
  return ((await readAnswer(body)) as { readonly data: readonly ScheduleEntry[] }).data;
}

/** A day as the operations about data take it. */
export function toRange({ from, to }: Pick<LocalDay, 'from' | 'to'>): {
  readonly from: string;
  readonly to: string;
} {
  return { from: from.toISOString(), to: to.toISOString() };
}
