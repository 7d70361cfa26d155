import type { Request } from 'express';
import { isUuid } from '../domain/api/formats.ts';
import { ROLE_TABLE } from '../domain/users/roles.ts';
import { CONDITION_CODES } from '../domain/notifications/conditions.ts';
import type { OpenCondition } from '../domain/notifications/open-condition.ts';
import { sendView } from '../html/render.ts';
import { formatApiCall } from './api-call.ts';
import type { PageHandler, PortalContext, PortalResponse } from './context.ts';
import { getSession } from './context.ts';
import { describePreferenceFields, preferenceVersionOf, toPreferenceValues } from './device-form.ts';
import type { PreferenceValues } from './device-form.ts';
import { callDeviceOperation, DEVICE_OPERATIONS, findDeviceType } from './device-operations.ts';
import type { Device, Preferences } from './device-operations.ts';
import { readDevicePictures } from './device-pictures.ts';
import { describeBoost, describeControl, describeState } from './device-states.ts';
import { CONDITIONS, markCondition } from './exceptions.ts';
import type { FieldMessages } from './forms.ts';
import { readQueryParameter } from './forms.ts';
import { devicePath, homePath } from './home-paths.ts';
import { nameDevice } from './homes.ts';
import { tellNextPrices } from './known-prices.ts';
import { describeLive } from './live.ts';
import type { LocalClock } from './local-days.ts';
import { findNoticeText, sendNotFound } from './pages.ts';
import { NOTIFICATIONS_PATH } from './paths.ts';
import { scopedPath } from './scopes.ts';
import { getScope } from './shell.ts';
import { formatAgo } from './times.ts';
import { joinSentences } from './words.ts';

/** A device with what is asked of it; wallboxes are asked nothing. */
export interface ShownDevice {
  readonly device: Device;
  readonly preferences: Preferences | undefined;
  /** What paths of the API need to name it. */
  readonly path: Readonly<Record<string, string>>;
}

/** A page about the device that the path names by `:id`, `:type` and `:device`; 404 for one that is not there. */
export function withDevice(
  handle: (
    context: PortalContext,
    request: Request,
    response: PortalResponse,
    shown: ShownDevice,
  ) => Promise<void>,
): PageHandler {
  return async (context, request, response) => {
    const shown = await findDevice(context, request, response);
    if (shown === undefined) sendNotFound(response);
    else await handle(context, request, response, shown);
  };
}

/** Throws the problem not_found; undefined for what is no path of a device. */
export async function findDevice(
  context: PortalContext,
  request: Request,
  response: PortalResponse,
): Promise<ShownDevice | undefined> {
  const type = findDeviceType(String(request.params['type']));
  const [userId, id] = [request.params['id'], request.params['device']].map((each) =>
    String(each).toLowerCase(),
  );
  if (type === undefined || userId === undefined || id === undefined || !isUuid(userId) || !isUuid(id))
    return undefined;
  const { parameter, get, steering } = DEVICE_OPERATIONS[type];
  const path = { user_id: userId, [parameter]: id };
  const device = (await callDeviceOperation(context, response, get, { path })) as Device;
  const preferences =
    steering === undefined
      ? undefined
      : ((await callDeviceOperation(context, response, steering.get, { path })) as Preferences);
  return { device, preferences, path };
}

/** What a form that was refused shows again. */
export interface DevicePage {
  readonly status: number;
  readonly values?: PreferenceValues;
  readonly errors?: FieldMessages;
  /** Of the form's preferences; otherwise that of what is stored. */
  readonly version?: string;
  readonly isStale?: boolean;
  /** What was refused beside the preferences. */
  readonly refusal?: string;
}

/** A device: state, condition, what is asked of it, and what can be done. */
export const showDevice = withDevice(async (context, request, response, shown) => {
  await sendDevice(
    context,
    response,
    shown,
    { status: 200 },
    findNoticeText(readQueryParameter(request, 'notice')),
  );
});

/** Answers with the page of a device. */
export async function sendDevice(
  context: PortalContext,
  response: PortalResponse,
  { device, preferences }: ShownDevice,
  { status, values, errors = {}, version, isStale = false, refusal }: DevicePage,
  notice?: string,
): Promise<void> {
  const scope = getScope(response);
  const now = context.clock();
  const conditions = await context.reads.listConditionsOfUser(scope.orgId, device.user_id);
  const own = conditions.filter(({ deviceId }) => deviceId === device.device_id);
  const { segment } = DEVICE_OPERATIONS[device.device_type];
  const stored = preferences && toPreferenceValues(preferences);
  const pictures = await readDevicePictures(context, response, device);
  sendView(response, status, 'device', {
    heading: device.name,
    ...pictures,
    sentence: toSentence(describeState(device)),
    conditions: await describeConditions(context, response, own),
    ownerName:
      (await context.reads.nameUsers(scope.orgId, [device.user_id])).get(device.user_id) ?? 'The home',
    control: await tellControl(context, response, device, pictures.clock),
    live: describeLive(response, now, { clock: pictures.clock }),
    asOf: { text: formatAgo(new Date(device.as_of), now), at: device.as_of },
    deviceFacts: [
      ['Manufacturer', device.manufacturer],
      ['Model', device.model],
      ['Group', device.group ?? ''],
    ].filter(([, value]) => value !== ''),
    deviceId: device.device_id,
    fields:
      preferences === undefined || stored === undefined
        ? []
        : describePreferenceFields(
            preferences.device_type,
            values ?? stored,
            errors,
            isStale ? stored : undefined,
          ),
    version: version ?? (preferences && preferenceVersionOf(preferences)),
    isStale,
    errors,
    refusal,
    boost: preferences && describeBoost(preferences),
    codes: device.job_id === null ? [] : listCodes(),
    paths: {
      preferences: devicePath(scope, nameDevice(device), 'preferences/'),
      boost: devicePath(scope, nameDevice(device), 'boost/'),
      event: devicePath(scope, nameDevice(device), 'event/'),
      home: homePath(scope, device.user_id),
      history: devicePath(scope, nameDevice(device), 'history/'),
    },
    notice,
    call: formatApiCall(context.baseUrl, {
      method: 'GET',
      path: `/org/${scope.orgId}/users/${device.user_id}/${segment}/${device.device_id}`,
    }),
  });
}

/** Why the device does what it does; of one that waits for prices also when it follows them. */
async function tellControl(
  context: PortalContext,
  response: PortalResponse,
  device: Device,
  clock: LocalClock,
): Promise<string | undefined> {
  const control = describeControl(device);
  const { state } = device;
  if (control === undefined || !('control' in state) || state.control.reason !== 'no_prices') return control;
  return joinSentences(control, await tellNextPrices(context, response, clock, device.device_type));
}

async function describeConditions(
  context: PortalContext,
  response: PortalResponse,
  own: readonly OpenCondition[],
) {
  const now = context.clock();
  if (own.length === 0) return [describeCondition(undefined, now)];
  const described = [];
  for (const condition of own) {
    const ending = await findSignIn(context, response, condition);
    described.push({ ...describeCondition(condition, now), ending });
  }
  return described;
}

/** Items of a device that are looked through for the one that asks for the sign-in. */
const MOST_ITEMS = 20;

/** The notification by which a new sign-in is made; undefined for other conditions, and where the role does not see it. */
async function findSignIn(
  { reads }: PortalContext,
  response: PortalResponse,
  { code, deviceId }: OpenCondition,
): Promise<{ readonly href: string; readonly label: string } | undefined> {
  if (code !== 'reauthenticate' || ROLE_TABLE.listActions[getSession(response).role] !== 'all')
    return undefined;
  const scope = getScope(response);
  const items = await reads.listItemsOfDevice(scope.orgId, deviceId, MOST_ITEMS);
  const open = items.find((item) => item.kind === 'action' && (item.clearedAt ?? item.dismissedAt) === null);
  return open && { href: scopedPath(scope, `${NOTIFICATIONS_PATH}${open.id}/`), label: 'To the sign-in' };
}

function describeCondition(condition: OpenCondition | undefined, now: Date) {
  const mark = markCondition(condition);
  if (condition === undefined) return { mark, consequence: 'It can be read and steered.' };
  const since = { text: formatAgo(condition.since, now), at: condition.since.toISOString() };
  return { mark, consequence: CONDITIONS[condition.code].consequence, since };
}

function toSentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

/** What can be triggered, in words. */
function listCodes() {
  return [
    ...CONDITION_CODES.map((code) => [code, CONDITIONS[code].word] as const),
    ['reconnect', 'Reconnect: end the outage'] as const,
  ];
}
