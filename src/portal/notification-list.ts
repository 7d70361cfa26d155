import type { Request } from 'express';
import type { components } from '../../generated/openapi.ts';
import { DEVICE_TYPES } from '../domain/fleets/devices.ts';
import { mayCall } from '../domain/users/roles.ts';
import { listActions, listInformation } from '../operations/notifications.ts';
import { sendView } from '../html/render.ts';
import { readItems } from './answers.ts';
import { formatApiCall } from './api-call.ts';
import type { PageHandler, PortalContext, PortalResponse } from './context.ts';
import { getSession } from './context.ts';
import { iconOf } from './device-marks.ts';
import { tellOwner } from './exceptions.ts';
import { readQueryParameter } from './forms.ts';
import { devicePath } from './home-paths.ts';
import { describeItemFields, parseItemQuery, readItemQuery } from './notification-filter.ts';
import type { ItemQuery } from './notification-filter.ts';
import { describeCode } from './notification-texts.ts';
import { toOperationContext } from './operations.ts';
import { describeLive, nameCells } from './live.ts';
import { findNoticeText } from './pages.ts';
import { NOTIFICATIONS_PATH } from './paths.ts';
import { scopedPath } from './scopes.ts';
import type { Scope } from './scopes.ts';
import { getScope } from './shell.ts';
import { countOf, formatAgo } from './times.ts';
import { toWords } from './words.ts';

type ActionItem = components['schemas']['ActionItem'];
type Notice = components['schemas']['InformationNotification'];

/** The path of a page about notifications. */
export function notificationPath(
  scope: Scope,
  page = '',
  query: Readonly<Record<string, string>> = {},
): string {
  return scopedPath(scope, `${NOTIFICATIONS_PATH}${page}`, query);
}

/** The device that an item concerns, as the operations tell it; null where it concerns none. */
type ToldDevice = Pick<ActionItem, 'device_id' | 'device_type' | 'owner_id'>;

/** A row of either list, with how it stands. */
interface Row {
  readonly id: string;
  readonly code: string | null;
  readonly text: string;
  readonly device: ToldDevice;
  readonly at: string;
  readonly state: { readonly kind: string; readonly word: string };
}

interface ListedPage {
  readonly rows: readonly Row[];
  readonly total: number;
  readonly isCapped: boolean;
  readonly limit: number;
}

interface ListPage {
  readonly heading: string;
  /** Behind the path of notifications, and in the API. */
  readonly part: '' | 'information/';
  readonly apiPath: 'actions' | 'information';
  readonly clear: string;
  readonly describe: (page: ListedPage) => string;
  readonly read: (
    context: PortalContext,
    response: PortalResponse,
    query: ReturnType<typeof parseItemQuery>['list'],
  ) => Promise<ListedPage>;
}

const totalOf = ({ total, isCapped }: ListedPage, noun: string): string =>
  `${isCapped ? 'More than ' : ''}${countOf(total, noun)}`;

const OPEN: ListPage = {
  heading: 'Notifications',
  part: '',
  apiPath: 'actions',
  clear: 'All clear: nothing is to be done and nothing to be read.',
  describe: (page) =>
    page.total === 0 ? 'Nothing is open.' : `${totalOf(page, 'thing')} to do or to read, newest first.`,
  read: async (context, response, query) => {
    const operation = toOperationContext(context, response, 'listActions');
    const request = { path: { org_id: operation.orgId }, query, headers: {}, body: undefined };
    const { body } = await listActions(operation, request);
    const { items, total, total_capped: isCapped, limit } = body as components['schemas']['ActionPage'];
    return { rows: (await readItems(items)).map(toOpenRow), total, isCapped, limit };
  },
};

const ALL: ListPage = {
  heading: 'All notices',
  part: 'information/',
  apiPath: 'information',
  clear: 'No notice was written yet.',
  describe: (page) =>
    `${totalOf(page, 'notice')}, newest first, those that were put away or have ended too. A notice is kept for a year after its end.`,
  read: async (context, response, query) => {
    const operation = toOperationContext(context, response, 'listInformation');
    const request = { path: { org_id: operation.orgId }, query, headers: {}, body: undefined };
    const { body } = await listInformation(operation, request);
    const { items, total, total_capped: isCapped, limit } = body as components['schemas']['InformationPage'];
    return { rows: (await readItems(items)).map(toNoticeRow), total, isCapped, limit };
  },
};

function toOpenRow(item: ActionItem): Row {
  const isAction = item.code !== 'information';
  const { message } = item.metadata;
  return {
    id: item.id,
    code: isAction ? item.code : null,
    text: isAction ? 'Its owner has to sign in at the manufacturer again.' : (message ?? ''),
    device: item,
    at: item.created_at ?? item.sent_at ?? '',
    state: isAction ? { kind: 'warning', word: 'To do' } : { kind: 'neutral', word: 'To read' },
  };
}

function toNoticeRow(notice: Notice): Row {
  const { id, code, message, sent_at, dismissed, cleared_at } = notice;
  return {
    id,
    code,
    text: message,
    device: notice,
    at: sent_at,
    state: {
      kind: 'neutral',
      word: cleared_at !== null ? 'Ended' : dismissed ? 'Put away' : 'Open',
    },
  };
}

const COLUMNS = [
  { label: 'What' },
  { label: 'State', speaksForItself: true },
  { label: 'Tells', kind: 'wide', speaksForItself: true },
  { label: 'Device', speaksForItself: true },
  { label: 'Since', kind: 'quiet' },
];

interface Listing {
  readonly scope: Scope;
  readonly now: Date;
  /** How the owners of devices are called, by id. */
  readonly owners: ReadonlyMap<string, string>;
}

function toCells({ scope, now, owners }: Listing, { id, code, text, device, at, state }: Row) {
  return [
    { text: describeCode(code).word, href: notificationPath(scope, `${id}/`) },
    { status: state },
    { text },
    toDeviceCell(scope, device, owners),
    { text: formatAgo(new Date(at), now), at },
  ];
}

/** What kind of device it is and whose, with the way to its page. */
function toDeviceCell(
  scope: Scope,
  { device_id: deviceId, device_type: type, owner_id: userId }: ToldDevice,
  owners: Listing['owners'],
) {
  const text = toWords(type ?? '');
  const deviceType = DEVICE_TYPES.find((each) => each === type);
  if (deviceId === null || userId === null || deviceType === undefined) return { text };
  return {
    text,
    href: devicePath(scope, { userId, deviceId, deviceType }),
    icon: iconOf(deviceType),
    detail: tellOwner(owners.get(userId)),
  };
}

/** What is to be done and to be read. */
export const showNotifications: PageHandler = (context, request, response) =>
  sendList(context, request, response, OPEN);

/** All notices, ended ones too. */
export const showAllNotices: PageHandler = (context, request, response) =>
  sendList(context, request, response, ALL);

async function sendList(
  context: PortalContext,
  request: Request,
  response: PortalResponse,
  page: ListPage,
): Promise<void> {
  const scope = getScope(response);
  const query = readItemQuery(request);
  const { list, errors } = parseItemQuery(query, readQueryParameter(request, 'offset'));
  const isFaulty = Object.keys(errors).length > 0;
  const found = isFaulty
    ? { rows: [], total: 0, isCapped: false, limit: 50 }
    : await page.read(context, response, list);
  const now = context.clock();
  const ownerIds = found.rows.map(({ device }) => device.owner_id).filter((id) => id !== null);
  const listing = { scope, now, owners: await context.reads.nameUsers(scope.orgId, ownerIds) };
  const { role } = getSession(response);
  sendView(response, isFaulty ? 422 : 200, 'notifications', {
    heading: page.heading,
    sentence: page.describe(found),
    actions: [
      page.part === ''
        ? { label: 'All notices', href: notificationPath(scope, 'information/') }
        : { label: 'What is open', href: notificationPath(scope) },
      ...(mayCall(role, 'broadcastInformation')
        ? [{ label: 'Write a notice', href: notificationPath(scope, 'broadcast/') }]
        : []),
    ],
    filterAction: `${NOTIFICATIONS_PATH}${page.part}`,
    org: scope.kind === 'own' ? undefined : scope.orgId,
    fields: describeItemFields(query, errors),
    isFiltered: Object.keys(query).length > 0,
    isFaulty,
    all: notificationPath(scope, page.part),
    items: { columns: COLUMNS, rows: found.rows.map((row) => nameCells(row.id, toCells(listing, row))) },
    live: describeLive(response, now),
    clear: page.clear,
    more: toNextPage(scope, page, query, list.offset, found),
    notice: findNoticeText(readQueryParameter(request, 'notice')),
    call: formatApiCall(context.baseUrl, {
      method: 'GET',
      path: `/org/${scope.orgId}/notifications/${page.apiPath}${toSearch(query)}`,
    }),
  });
}

function toNextPage(
  scope: Scope,
  { part }: ListPage,
  query: ItemQuery,
  offset: number,
  { rows, total, isCapped, limit }: ListedPage,
): string | undefined {
  const next = offset + rows.length;
  if (rows.length < limit || (!isCapped && next >= total)) return undefined;
  return notificationPath(scope, part, { ...query, offset: String(next) });
}

function toSearch(query: ItemQuery): string {
  const search = new URLSearchParams(query as Record<string, string>).toString();
  return search === '' ? '' : `?${search}`;
}
