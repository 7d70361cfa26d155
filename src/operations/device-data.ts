import type { Handler } from '../contract/handlers.ts';
import { parseInstantRange } from '../domain/api/instant-range.ts';
import type { DeviceType } from '../domain/fleets/devices.ts';
import { computeDeviceData } from '../households/device-data.ts';
import { toDeviceDataMetadata } from '../presenters/device-data.ts';
import type { Context } from './context.ts';
import { findVisibleDevice } from './user-devices.ts';
import { QUARTER_HOURS_PER_DAY } from '../domain/api/durations.ts';

interface Query {
  readonly from: string;
  readonly to: string;
  readonly resolution?: keyof typeof RESOLUTIONS | undefined;
}

/** How long a period is, and how many days an answer holds at most: some 3,000 periods. */
const RESOLUTIONS = {
  '15MIN': { quarters: 1, maxDays: 31 },
  '1HOUR': { quarters: 4, maxDays: 92 },
  '1DAY': { quarters: QUARTER_HOURS_PER_DAY, maxDays: 366 },
} as const;

export const getHeatPumpData: Handler<Context, 'getHeatPumpData'> = (context, { path, query }) =>
  answer(context, path.user_id, query, 'heat_pump', path.heat_pump_id);

export const getInverterData: Handler<Context, 'getInverterData'> = (context, { path, query }) =>
  answer(context, path.user_id, query, 'inverter', path.inverter_id);

export const getElectricVehicleData: Handler<Context, 'getElectricVehicleData'> = (
  context,
  { path, query },
) => answer(context, path.user_id, query, 'electric_vehicle', path.electric_vehicle_id);

export const getWallboxData: Handler<Context, 'getWallboxData'> = (context, { path, query }) =>
  answer(context, path.user_id, query, 'wallbox', path.wallbox_id);

async function answer<Type extends DeviceType>(
  context: Context,
  userId: string,
  { from, to, resolution = '15MIN' }: Query,
  type: Type,
  id: string,
) {
  const device = await findVisibleDevice(context, { user_id: userId }, type, id);
  const { quarters, maxDays } = RESOLUTIONS[resolution];
  const range = parseInstantRange(['from', from], ['to', to], maxDays);
  const data = await computeDeviceData(context, device, type, range, quarters);
  const metadata = toDeviceDataMetadata(device, resolution, data);
  return { status: 200 as const, body: { metadata, data: data.periods } };
}
