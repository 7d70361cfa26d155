import { INITIAL_PASSWORD_HOURS, issueInitialPassword } from '../accounts/passwords.ts';
import { findUserById } from '../accounts/user-list.ts';
import type { PortalUser } from '../accounts/user-list.ts';
import { sendView } from '../html/render.ts';
import { logChange } from './change-log.ts';
import type { PageHandler, PortalContext, PortalResponse } from './context.ts';
import { getSession } from './context.ts';
import { readVersion } from './form-versions.ts';
import { redirectWithNotice, sendNotFound } from './pages.ts';
import { LOGIN_PATH, USERS_PATH } from './paths.ts';
import { getScope } from './shell.ts';
import type { Request } from 'express';

/** Changes when a password is issued: a form that is sent again by a reload is recognised by it. */
function versionOf(user: PortalUser): string {
  return String(user.updatedAt.getTime());
}

/** The path of the page, with a slash at the end. */
function pathOf({ id }: Pick<PortalUser, 'id'>): string {
  return `${USERS_PATH}${id}/initial-password/`;
}

/**
 * Of the own organization and not the person itself: people change their own password on another page, which asks for the old
 * one, and nobody signs in to a simulation organization.
 */
async function findReceiver(
  { db }: PortalContext,
  request: Request,
  response: PortalResponse,
): Promise<PortalUser | undefined> {
  const { orgId, userId } = getSession(response);
  if (getScope(response).kind !== 'own') return undefined;
  const user = await findUserById(db, orgId, String(request.params['id']));
  return user?.id === userId ? undefined : user;
}

/** Says what an initial password does, and asks. */
export const showPasswordIssue: PageHandler = async (context, request, response) => {
  const user = await findReceiver(context, request, response);
  if (user === undefined) {
    sendNotFound(response);
    return;
  }
  const replaced =
    user.username === null ? '' : ' It takes the place of the present password and ends all sessions.';
  sendView(response, 200, 'confirm', {
    heading: `Issue an initial password to ${user.email}?`,
    text: `It lets ${user.email} sign in once and choose a password, within ${INITIAL_PASSWORD_HOURS} hours, and is shown on the next page only.${replaced}`,
    action: pathOf(user),
    version: versionOf(user),
    submit: 'Issue the initial password',
    back: `${USERS_PATH}${user.id}/`,
    danger: user.username !== null,
  });
};

/** Issues an initial password and shows it once; nothing when the user is another one than the page has shown. */
export const issuePassword: PageHandler = async (context, request, response) => {
  const { db, clock, baseUrl } = context;
  const user = await findReceiver(context, request, response);
  if (user === undefined) {
    sendNotFound(response);
    return;
  }
  const { orgId, partnerId } = getSession(response);
  const { email, updatedAt } = user;
  const isCurrent = readVersion(request) === versionOf(user);
  const issued = isCurrent
    ? await context.hashing.run({ partnerId }, (hasher) =>
        issueInitialPassword(db, { orgId, email, updatedAt }, clock(), hasher),
      )
    : undefined;
  if (issued === undefined) {
    redirectWithNotice(response, USERS_PATH, 'password_stale');
    return;
  }
  context.invalidateCachedTokensOf(issued.userId);
  logChange(context, response, 'Initial password issued.', { id: user.id });
  sendView(response, 200, 'initial-password', {
    loginUrl: `${baseUrl}${LOGIN_PATH}`,
    username: issued.username,
    password: issued.password.reveal(),
    hours: INITIAL_PASSWORD_HOURS,
    back: `${USERS_PATH}${user.id}/`,
  });
};
