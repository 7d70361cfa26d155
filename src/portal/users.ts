import { issueInitialPassword } from '../accounts/passwords.ts';
import { findUserById, listUsersByEmail } from '../accounts/user-list.ts';
import type { PortalUser } from '../accounts/user-list.ts';
import type { PageHandler } from './context.ts';
import { getSession } from './context.ts';
import { readFormField, readQueryParameter } from './forms.ts';
import { sendView } from '../html/render.ts';
import { findNoticeText, redirectAfterForm, sendNotFound } from './pages.ts';

const USERS_PATH = '/portal/users/';

/** Changes when a password is issued: a form that is sent again by a reload is recognised by it. */
function versionOf(user: PortalUser): string {
  return String(user.updatedAt.getTime());
}

/** The users of the organization by email, page by page, with a search by the beginning of the email. */
export const showUsers: PageHandler = async ({ db }, request, response) => {
  const emailPrefix = readQueryParameter(request, 'q')?.trim() ?? '';
  const afterEmail = readQueryParameter(request, 'after') ?? '';
  const { orgId } = getSession(response);
  const { users, nextAfterEmail } = await listUsersByEmail(db, orgId, { emailPrefix, afterEmail });
  const next = new URLSearchParams({ q: emailPrefix, after: nextAfterEmail ?? '' }).toString();
  sendView(response, 200, 'users', {
    users,
    q: emailPrefix,
    more: nextAfterEmail === undefined ? undefined : `${USERS_PATH}?${next}`,
    version: versionOf,
    notice: findNoticeText(readQueryParameter(request, 'notice')),
    wide: true,
  });
};

/** Issues an initial password and shows it once. A form that was sent before changes nothing. */
export const issuePassword: PageHandler = async (context, request, response) => {
  const { db, clock, baseUrl, log } = context;
  const session = getSession(response);
  const user = await findUserById(db, session.orgId, String(request.params['id']));
  // People change their own password on another page, which asks for the old one.
  if (user === undefined || user.id === session.userId) {
    sendNotFound(response);
    return;
  }
  const version = readFormField(request, 'version');
  if (version !== '' && version !== versionOf(user)) {
    redirectAfterForm(response, `${USERS_PATH}?notice=password_unchanged`);
    return;
  }
  const issued = await context.hashing.run({ partnerId: session.partnerId }, (hasher) =>
    issueInitialPassword(db, { orgId: session.orgId, email: user.email }, clock(), hasher),
  );
  if (issued === undefined) {
    sendNotFound(response);
    return;
  }
  context.invalidateCachedTokensOf(issued.userId);
  log.info('Initial password issued.', { org_id: session.orgId, user_id: session.userId, for: user.id });
  sendView(response, 200, 'initial-password', {
    loginUrl: `${baseUrl}/accounts/login/`,
    username: issued.username,
    password: issued.password.reveal(),
  });
};
