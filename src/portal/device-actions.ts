import { isDeepStrictEqual } from 'node:util';
import { HOUR_MS } from '../domain/api/durations.ts';
import { triggerDeviceEvent } from '../operations/fleets/device-events.ts';
import { logChange } from './change-log.ts';
import type { PageHandler, PortalResponse } from './context.ts';
import { getSession } from './context.ts';
import {
  placePreferenceErrors,
  readPreferenceForm,
  readPreferencePrecondition,
  toPreferenceBody,
  toPreferenceValues,
} from './device-form.ts';
import type { PreferenceValues } from './device-form.ts';
import { callDeviceOperation, DEVICE_OPERATIONS } from './device-operations.ts';
import type { Device } from './device-operations.ts';
import { findDevice, sendDevice, withDevice } from './device-page.ts';
import type { ShownDevice } from './device-page.ts';
import { isStaleError, readVersion } from './form-versions.ts';
import { readFormField } from './forms.ts';
import { devicePath } from './home-paths.ts';
import { nameDevice } from './homes.ts';
import { requireBody, toFieldMessages, toOperationContext } from './operations.ts';
import { redirectWithNotice, sendNotFound } from './pages.ts';
import type { Notice } from './pages.ts';
import { getScope } from './shell.ts';

/** Changes what is asked of a device: 303 to its page, 422 with the form, 412 with both values. */
export const changePreferences: PageHandler = withDevice(async (context, request, response, shown) => {
  const { device, preferences, path } = shown;
  const { steering } = DEVICE_OPERATIONS[device.device_type];
  if (steering === undefined || preferences === undefined) {
    sendNotFound(response);
    return;
  }
  const values = readPreferenceForm(request, preferences.device_type);
  try {
    const body = requireBody(steering.update.id, toPreferenceBody(preferences.device_type, values));
    const headers = readPreferencePrecondition(request, preferences);
    await callDeviceOperation(context, response, steering.update, { path, headers, body });
  } catch (error) {
    if (isStaleError(error)) {
      const fresh = (await findDevice(context, request, response)) ?? shown;
      if (isAsAsked(fresh, values)) redirectToDevice(response, device, 'preferences_changed');
      else await sendDevice(context, response, fresh, { status: 412, values, isStale: true });
      return;
    }
    const errors = toFieldMessages(error, (all) => placePreferenceErrors(preferences.device_type, all));
    if (errors === undefined) throw error;
    await sendDevice(context, response, shown, {
      status: 422,
      values,
      errors,
      version: readVersion(request),
    });
    return;
  }
  redirectToDevice(response, device, 'preferences_changed');
});

/** What a form that was sent twice finds. */
function isAsAsked({ preferences }: ShownDevice, values: PreferenceValues): boolean {
  if (preferences === undefined) return false;
  const type = preferences.device_type;
  return isDeepStrictEqual(
    toPreferenceBody(type, toPreferenceValues(preferences)),
    toPreferenceBody(type, values),
  );
}

/** Begins a boost of some hours, or ends it (`hours` 0): 303 to the device's page. */
export const boostFromForm: PageHandler = withDevice(async (context, request, response, shown) => {
  const { device, path } = shown;
  const { steering } = DEVICE_OPERATIONS[device.device_type];
  // What is empty is no number, and not the 0 that ends a boost.
  const hours = Number(readFormField(request, 'hours').trim() || Number.NaN);
  if (steering === undefined) {
    sendNotFound(response);
    return;
  }
  try {
    if (hours === 0) await callDeviceOperation(context, response, steering.endBoost, { path });
    else {
      const endsAt = new Date(context.clock().getTime() + hours * HOUR_MS);
      const body = requireBody(steering.boost.id, {
        ends_at: Number.isNaN(endsAt.getTime()) ? '' : endsAt.toISOString(),
      });
      await callDeviceOperation(context, response, steering.boost, { path, body });
    }
  } catch (error) {
    const errors = toFieldMessages(error);
    if (errors === undefined) throw error;
    const refusal = Object.values(errors).join(' ');
    await sendDevice(context, response, shown, { status: 422, refusal });
    return;
  }
  redirectToDevice(response, device, hours === 0 ? 'boost_ended' : 'boost_started');
});

/** Lets a condition begin, or ends an outage: 303 to the device's page. */
export const triggerFromForm: PageHandler = withDevice(async (context, request, response, shown) => {
  const { orgId } = getSession(response);
  const { device } = shown;
  if (device.job_id === null) {
    sendNotFound(response);
    return;
  }
  const code = readFormField(request, 'code');
  try {
    const operation = toOperationContext(context, response, 'triggerDeviceEvent', orgId);
    await triggerDeviceEvent(operation, {
      path: { org_id: orgId, job_id: device.job_id, device_id: device.device_id },
      query: {},
      headers: {},
      body: requireBody('triggerDeviceEvent', { code }),
    });
  } catch (error) {
    const errors = toFieldMessages(error);
    if (errors === undefined) throw error;
    await sendDevice(context, response, shown, { status: 422, refusal: Object.values(errors).join(' ') });
    return;
  }
  logChange(context, response, 'Device event triggered.', { id: device.device_id, code });
  redirectToDevice(response, device, 'event_triggered');
});

function redirectToDevice(response: PortalResponse, device: Device, notice: Notice): void {
  redirectWithNotice(response, devicePath(getScope(response), nameDevice(device)), notice);
}
