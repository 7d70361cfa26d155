import type { components } from '../../generated/openapi.ts';
import type { SecuredOperationId } from '../../generated/routes.ts';
import type { OperationReply } from '../contract/handlers.ts';
import type { DeviceType } from '../domain/fleets/devices.ts';
import type { Context } from '../operations/context.ts';
import * as boosts from '../operations/preferences/boosts.ts';
import * as preferences from '../operations/preferences/preferences.ts';
import * as deviceData from '../operations/device-data.ts';
import { getHeatPumpSchedules } from '../operations/schedules.ts';
import * as devices from '../operations/user-devices.ts';
import type { PortalContext, PortalResponse } from './context.ts';
import { toOperationContext } from './operations.ts';

/** A device as the operations answer it. */
export type Device = components['schemas']['Device'];
/** What is asked of a device, of whichever type. */
export type Preferences = components['schemas'][
  'ElectricVehiclePreferences' | 'HeatPumpPreferences' | 'InverterPreferences'];

/** An operation of a page: its id, by which the role is checked, and its function. */
interface PageOperation {
  readonly id: SecuredOperationId;
  readonly run: (context: Context, request: never) => Promise<OperationReply>;
}

const operation = (id: SecuredOperationId, run: PageOperation['run']): PageOperation => ({ id, run });

interface TypeOperations {
  /** The part of paths that names the type, in the API and in the portal. */
  readonly segment: string;
  readonly parameter: string;
  readonly list: PageOperation;
  readonly get: PageOperation;
  /** What it did in a time. */
  readonly data: PageOperation;
  /** What can be asked of the device; undefined where nothing can. */
  readonly steering?: Readonly<Record<'get' | 'update' | 'boost' | 'endBoost', PageOperation>>;
}

/** The operations about the devices of a user, by type. */
export const DEVICE_OPERATIONS: Readonly<Record<DeviceType, TypeOperations>> = {
  electric_vehicle: {
    segment: 'electric-vehicles',
    parameter: 'electric_vehicle_id',
    list: operation('listUserElectricVehicles', devices.listUserElectricVehicles),
    get: operation('getUserElectricVehicle', devices.getUserElectricVehicle),
    data: operation('getElectricVehicleData', deviceData.getElectricVehicleData),
    steering: {
      get: operation('getElectricVehiclePreferences', preferences.getElectricVehiclePreferences),
      update: operation('updateElectricVehiclePreferences', preferences.updateElectricVehiclePreferences),
      boost: operation('startElectricVehicleBoost', boosts.startElectricVehicleBoost),
      endBoost: operation('endElectricVehicleBoost', boosts.endElectricVehicleBoost),
    },
  },
  heat_pump: {
    segment: 'heat-pumps',
    parameter: 'heat_pump_id',
    list: operation('listUserHeatPumps', devices.listUserHeatPumps),
    get: operation('getUserHeatPump', devices.getUserHeatPump),
    data: operation('getHeatPumpData', deviceData.getHeatPumpData),
    steering: {
      get: operation('getHeatPumpPreferences', preferences.getHeatPumpPreferences),
      update: operation('updateHeatPumpPreferences', preferences.updateHeatPumpPreferences),
      boost: operation('startHeatPumpBoost', boosts.startHeatPumpBoost),
      endBoost: operation('endHeatPumpBoost', boosts.endHeatPumpBoost),
    },
  },
  inverter: {
    segment: 'inverters',
    parameter: 'inverter_id',
    list: operation('listUserInverters', devices.listUserInverters),
    get: operation('getUserInverter', devices.getUserInverter),
    data: operation('getInverterData', deviceData.getInverterData),
    steering: {
      get: operation('getInverterPreferences', preferences.getInverterPreferences),
      update: operation('updateInverterPreferences', preferences.updateInverterPreferences),
      boost: operation('startInverterBoost', boosts.startInverterBoost),
      endBoost: operation('endInverterBoost', boosts.endInverterBoost),
    },
  },
  wallbox: {
    segment: 'wallboxes',
    parameter: 'wallbox_id',
    list: operation('listUserWallboxes', devices.listUserWallboxes),
    get: operation('getUserWallbox', devices.getUserWallbox),
    data: operation('getWallboxData', deviceData.getWallboxData),
  },
};

/** The type that a part of a path names; undefined for any other text. */
export function findDeviceType(segment: string): DeviceType | undefined {
  const types = Object.keys(DEVICE_OPERATIONS) as DeviceType[];
  return types.find((type) => DEVICE_OPERATIONS[type].segment === segment);
}

/** What is asked of a heat pump in a time. */
export const HEAT_PUMP_SCHEDULES = operation('getHeatPumpSchedules', getHeatPumpSchedules);

interface Call {
  readonly path: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Calls one of them in the scope of the page; the answer's body. Throws what the operation throws, and role_forbidden. */
export async function callDeviceOperation(
  context: PortalContext,
  response: PortalResponse,
  { id, run }: PageOperation,
  { path, query = {}, headers = {}, body }: Call,
): Promise<unknown> {
  const operationContext = toOperationContext(context, response, id);
  // What stands in the path was found by the table of the type, and the body was validated by the operation's schema.
  const request = { path: { org_id: operationContext.orgId, ...path }, query, headers, body };
  return (await run(operationContext, request as never)).body;
}
