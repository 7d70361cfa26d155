import type { Request } from 'express';
import { isUuid } from '../domain/api/formats.ts';
import type { ToldItem } from '../domain/notifications/told-item.ts';
import { ROLE_TABLE } from '../domain/users/roles.ts';
import { resolveFromPage } from '../operations/resolve.ts';
import { sendView } from '../html/render.ts';
import { formatApiCall } from './api-call.ts';
import type { PageHandler, PortalContext, PortalResponse } from './context.ts';
import { getSession } from './context.ts';
import { readQueryParameter } from './forms.ts';
import { devicePath } from './home-paths.ts';
import { notificationPath } from './notification-list.ts';
import { describeCode, describeConsequence, describeEnd, describeTold } from './notification-texts.ts';
import { toOperationContext } from './operations.ts';
import { findNoticeText, redirectAfterForm, redirectWithNotice, sendNotFound, withNotice } from './pages.ts';
import { getScope } from './shell.ts';
import { formatAgo, formatMinute } from './times.ts';
import { userPath } from './users.ts';
import { toWords } from './words.ts';

/** A page about the item that the path names by `:item`; 404 for one that is not the reader's to see. */
function withItem(
  handle: (
    context: PortalContext,
    request: Request,
    response: PortalResponse,
    item: ToldItem,
  ) => Promise<void> | void,
): PageHandler {
  return async (context, request, response) => {
    const { userId } = getSession(response);
    const id = String(request.params['item']).toLowerCase();
    const item = isUuid(id) ? await context.reads.findItem(getScope(response).orgId, id, userId) : undefined;
    if (item === undefined || !maySee(response, item)) sendNotFound(response);
    else await handle(context, request, response, item);
  };
}

/** As the lists show them: an admin sees all of the organization, everybody else what is for them, in their own. */
function maySee(response: PortalResponse, { ownerId }: ToldItem): boolean {
  const { role, userId } = getSession(response);
  if (ROLE_TABLE.listActions[role] === 'all') return true;
  return getScope(response).kind === 'own' && (ownerId === null || ownerId === userId);
}

/** One item: what it tells, of what, and what can be done. */
export const showNotification = withItem(async (context, request, response, item) => {
  const scope = getScope(response);
  const now = context.clock();
  const { id, kind, code, message, ownerId, occurredAt } = item;
  const isAction = kind === 'action';
  const isOpen = item.clearedAt === null && item.dismissedAt === null;
  // Who is no user of an organization has no dismissals there.
  const canDismiss = ownerId !== null || scope.kind === 'own';
  sendView(response, 200, 'notification', {
    heading: describeCode(code).word,
    sentence: isAction ? 'The device asks for a new sign-in at its manufacturer.' : message,
    state: describeState(item),
    consequence: code === null ? undefined : describeConsequence(code, message),
    since: {
      text: `${formatMinute(occurredAt)} UTC (${formatAgo(occurredAt, now)})`,
      at: occurredAt.toISOString(),
    },
    ends: isOpen ? describeEnd(item, scope.kind === 'simulation') : undefined,
    told: describeTold(item),
    ...(await describeSubject(context, response, item)),
    itemId: id,
    resolve: isOpen && (isAction || canDismiss) ? notificationPath(scope, `${id}/resolve/`) : undefined,
    submit: isAction ? 'Sign in again' : 'Put away',
    hint: isAction
      ? "The simulated manufacturer's page asks for consent in the owner's place, and leads back here."
      : undefined,
    listPath: notificationPath(scope),
    notice: findNoticeText(readQueryParameter(request, 'notice')),
    call: formatApiCall(context.baseUrl, {
      method: 'POST',
      path: `/notifications/items/${id}/resolve?secret=$SECRET`,
      ...(isAction
        ? {
            body: {
              success_url: 'https://your.app.example/connected',
              cancel_url: 'https://your.app.example/devices',
            },
          }
        : {}),
    }),
  });
});

function describeState({ kind, clearedAt, dismissedAt }: ToldItem) {
  if (clearedAt !== null)
    return { kind: 'ok', word: `${kind === 'action' ? 'Resolved' : 'Ended'} ${formatMinute(clearedAt)} UTC` };
  if (dismissedAt !== null) return { kind: 'neutral', word: `Put away ${formatMinute(dismissedAt)} UTC` };
  return { kind: kind === 'action' ? 'warning' : 'neutral', word: 'Open', icon: 'open' };
}

/** Links to the device and its owner. */
async function describeSubject(
  { reads }: PortalContext,
  response: PortalResponse,
  { deviceId, deviceType, ownerId }: ToldItem,
) {
  const scope = getScope(response);
  if (ownerId === null) return { audience: 'Everybody of the organization' };
  const names = await reads.nameUsers(scope.orgId, [ownerId]);
  const owner = { owner: userPath(scope, ownerId), ownerName: names.get(ownerId) ?? 'The owner' };
  if (deviceId === null || deviceType === null) return owner;
  const named = { userId: ownerId, deviceId, deviceType };
  return {
    ...owner,
    device: devicePath(scope, named),
    history: devicePath(scope, named, 'history/'),
    deviceType: toWords(deviceType),
  };
}

/** Puts a notice away, or leads to the page where an action is resolved: 303. */
export const resolveFromForm = withItem(async (context, _request, response, item) => {
  const scope = getScope(response);
  const operation = toOperationContext(context, response, 'resolveNotificationItem');
  const page = notificationPath(scope, `${item.id}/`);
  const next = await resolveFromPage(operation, item.id, {
    success: `${context.baseUrl}${withNotice(page, 'item_resolved')}`,
    cancel: `${context.baseUrl}${page}`,
  });
  if (next === undefined) redirectWithNotice(response, page, 'item_dismissed');
  else redirectAfterForm(response, next);
});
