import { isDeepStrictEqual } from 'node:util';
import type { components } from '../../../generated/openapi.ts';
import type { Handler } from '../../contract/handlers.ts';
import { requireMatch } from '../../domain/api/entity-tags.ts';
import { validationProblem } from '../../domain/api/problem.ts';
import type { FieldError } from '../../domain/api/problem.ts';
import { findStoredHousehold } from '../../households/stored-households.ts';
import { presentPreferences } from '../../presenters/preferences.ts';
import type { DeviceRow } from '../../queries/fleets/devices.ts';
import { mergePreferences, validateVehiclePreferences } from '../../simulation/control/preference-changes.ts';
import type {
  DevicePreferences,
  PreferenceChanges,
  SteeredType,
} from '../../simulation/control/preference-changes.ts';
import { WEEKDAYS } from '../../simulation/control/preferences.ts';
import type { VehiclePreferences } from '../../simulation/control/preferences.ts';
import type { Context } from '../context.ts';
import { findVisibleDevice } from '../user-devices.ts';
import { askOfDevice, boostAt, findAsked } from './asked.ts';
import type { Asked, UserPath } from './asked.ts';

/** What the document lets a caller send. */
interface SentChanges {
  electric_vehicle: components['schemas']['ElectricVehiclePreferencesUpdate'];
  heat_pump: components['schemas']['HeatPumpPreferencesUpdate'];
  inverter: components['schemas']['InverterPreferencesUpdate'];
}

/** The target of a vehicle that no fleet simulates. */
const FULL_PERCENT = 100;

export const getElectricVehiclePreferences: Handler<Context, 'getElectricVehiclePreferences'> = (
  context,
  { path },
) => shown(context, path, 'electric_vehicle', path.electric_vehicle_id);

export const getHeatPumpPreferences: Handler<Context, 'getHeatPumpPreferences'> = (context, { path }) =>
  shown(context, path, 'heat_pump', path.heat_pump_id);

export const getInverterPreferences: Handler<Context, 'getInverterPreferences'> = (context, { path }) =>
  shown(context, path, 'inverter', path.inverter_id);

/** Answers 422 `minimum_above_target` or `quota_reached`. */
export const updateElectricVehiclePreferences: Handler<Context, 'updateElectricVehiclePreferences'> = (
  context,
  { path, headers, body },
) =>
  changed(context, path, 'electric_vehicle', path.electric_vehicle_id, {
    body,
    ifMatch: headers['If-Match'],
  });

/** Answers 422 `quota_reached`. */
export const updateHeatPumpPreferences: Handler<Context, 'updateHeatPumpPreferences'> = (
  context,
  { path, headers, body },
) => changed(context, path, 'heat_pump', path.heat_pump_id, { body, ifMatch: headers['If-Match'] });

/** Answers 422 `quota_reached`. */
export const updateInverterPreferences: Handler<Context, 'updateInverterPreferences'> = (
  context,
  { path, headers, body },
) => changed(context, path, 'inverter', path.inverter_id, { body, ifMatch: headers['If-Match'] });

/** What a change of a vehicle's preferences would break beside the document's schema, by those of its fields that are valid. */
export async function findVehiclePreferenceErrors(
  context: Context,
  path: UserPath & { readonly electric_vehicle_id: string },
  changes: PreferenceChanges<VehiclePreferences>,
): Promise<readonly FieldError[]> {
  const device = await findVisibleDevice(context, path, 'electric_vehicle', path.electric_vehicle_id);
  const { preferences } = await findAsked(context.db, device, 'electric_vehicle');
  const merged = mergePreferences('electric_vehicle', preferences, changes);
  return validateVehiclePreferences(merged, changes, ownTargetOf(context, device));
}

async function shown<Type extends SteeredType>(context: Context, path: UserPath, type: Type, id: string) {
  const device = await findVisibleDevice(context, path, type, id);
  const asked = await findAsked(context.db, device, type);
  return { status: 200 as const, body: present(context, { id: device.id, type }, asked) };
}

async function changed<Type extends SteeredType>(
  context: Context,
  path: UserPath,
  type: Type,
  id: string,
  sent: { readonly body: SentChanges[Type]; readonly ifMatch: string | undefined },
) {
  const device = await findVisibleDevice(context, path, type, id);
  const changes = sent.body as PreferenceChanges<DevicePreferences[Type]>;
  const asked = await askOfDevice(context, device, type, (before, startsAt) => {
    requireMatch(sent.ifMatch, () => present(context, { id: device.id, type }, before));
    const preferences = mergePreferences(type, before.preferences, changes);
    const errors = validatePreferences(context, device, preferences, changes);
    if (errors.length > 0) throw validationProblem(errors);
    if (isDeepStrictEqual(preferences, before.preferences)) return undefined;
    return { kind: 'preferences', preferences, boostEndsAt: boostAt(before, startsAt) };
  });
  return { status: 200 as const, body: present(context, { id: device.id, type }, asked) };
}

/** Only vehicles have preferences that exclude each other. */
function validatePreferences(
  context: Context,
  device: DeviceRow,
  preferences: object,
  changes: object,
): readonly FieldError[] {
  if (device.device_type !== 'electric_vehicle') return [];
  return validateVehiclePreferences(preferences as VehiclePreferences, changes, ownTargetOf(context, device));
}

function ownTargetOf({ actor }: Context, device: DeviceRow): number {
  const household = findStoredHousehold(device, actor.partnerId);
  return household?.electric_vehicle?.target_soc_percent ?? FULL_PERCENT;
}

function present<Type extends SteeredType>(
  { now }: Context,
  device: { readonly id: string; readonly type: Type },
  asked: Asked<Type>,
) {
  return presentPreferences(device, inOrder(asked.preferences), boostAt(asked, now), asked.last ?? null);
}

/** The database keeps no order of what is nested: equal preferences are one text here, and have one entity tag. */
function inOrder<Preferences extends object>(preferences: Preferences): Preferences {
  if (!('ready_by' in preferences)) return preferences;
  const { ready_by: readyBy } = preferences as unknown as VehiclePreferences;
  return { ...preferences, ready_by: Object.fromEntries(WEEKDAYS.map((day) => [day, readyBy[day]])) };
}
