import type { ToldItem } from '../domain/notifications/told-item.ts';
import { mayCall } from '../domain/users/roles.ts';
import { sendView } from '../html/render.ts';
import { formatApiCall } from './api-call.ts';
import { getSession } from './context.ts';
import { withDevice } from './device-page.ts';
import { devicePath } from './home-paths.ts';
import { nameDevice } from './homes.ts';
import { notificationPath } from './notification-list.ts';
import { describeCode } from './notification-texts.ts';
import { getScope } from './shell.ts';
import type { Scope } from './scopes.ts';
import { formatMinute } from './times.ts';

/** Items of the page; the lists of notifications have older ones. */
const MOST_ITEMS = 100;

const COLUMNS = [
  { label: 'What' },
  { label: 'From (UTC)' },
  { label: 'To (UTC)' },
  { label: 'Told', kind: 'wide', speaksForItself: true },
];

/** What a device was in and what was told of it, the latest first. */
export const showDeviceHistory = withDevice(async (context, _request, response, { device }) => {
  const scope = getScope(response);
  const items = await context.reads.listItemsOfDevice(scope.orgId, device.device_id, MOST_ITEMS);
  const isLinked = mayCall(getSession(response).role, 'createWebhook');
  sendView(response, 200, 'device-history', {
    heading: `History of ${device.name}`,
    sentence:
      items.length === MOST_ITEMS
        ? `The ${MOST_ITEMS} latest conditions and notices. An item is kept for a year after its end.`
        : 'Conditions and notices, the latest first. An item is kept for a year after its end.',
    items: { columns: COLUMNS, rows: items.map((item) => toRow(scope, item, isLinked)) },
    devicePath: devicePath(scope, nameDevice(device)),
    call: formatApiCall(context.baseUrl, {
      method: 'GET',
      path: `/org/${scope.orgId}/notifications/information?device_id=${device.device_id}`,
    }),
  });
});

function toRow(scope: Scope, item: ToldItem, isLinked: boolean) {
  const { word } = describeCode(item.code);
  const end = item.clearedAt ?? item.dismissedAt;
  return [
    isLinked ? { text: word, href: notificationPath(scope, `${item.id}/`) } : { text: word },
    { text: formatMinute(item.occurredAt), at: item.occurredAt.toISOString() },
    end === null ? { text: 'still' } : { text: formatMinute(end), at: end.toISOString() },
    { text: item.message },
  ];
}
