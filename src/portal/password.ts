import { deletePortalSessionsOfUser } from '../queries/accounts/portal-sessions.ts';
import type { PortalSession } from '../queries/accounts/portal-sessions.ts';
import { setPassword, verifyAccount } from '../queries/accounts/accounts.ts';
import type { PageHandler, PortalContext } from './context.ts';
import { getSession } from './context.ts';
import type { PortalCookies } from './cookies.ts';
import { readFormField, readQueryParameter } from './forms.ts';
import type { FieldMessages } from './forms.ts';
import { LOGIN_PATH } from './guards.ts';
import { homePath, isWithinQuota } from './login.ts';
import { findNoticeText, redirectAfterForm, sendPortalPage } from './pages.ts';
import { beginSession, SESSION_LIFETIME_MS } from './sessions.ts';

const MIN_LENGTH = 12;
const MAX_LENGTH = 1024;
const PASSWORD_RULE = `At least ${MIN_LENGTH} characters, not your username and not the old password.`;

/** What is wrong with the new password, by field (NIST SP 800-63B: length counts, composition rules do not). */
function validateNewPassword(
  person: Pick<PortalSession, 'username' | 'email'>,
  oldPassword: string,
  [first, second]: readonly [string, string],
): FieldMessages {
  const faults: Record<string, string> = {};
  const normal = first.normalize('NFKC');
  const length = Array.from(normal).length;
  const names = [person.username, person.email].map((name) => name.toLowerCase());
  if (length < MIN_LENGTH) faults['new_password1'] = `Use at least ${MIN_LENGTH} characters.`;
  else if (length > MAX_LENGTH) faults['new_password1'] = `Use at most ${MAX_LENGTH} characters.`;
  else if (normal === oldPassword.normalize('NFKC'))
    faults['new_password1'] = 'Choose one that differs from the old password.';
  else if (names.includes(normal.toLowerCase()))
    faults['new_password1'] = 'Choose one that is not your username.';
  if (first !== second) faults['new_password2'] = 'The two new passwords are not the same.';
  return faults;
}

export function passwordPages(context: PortalContext, cookies: PortalCookies) {
  const { db, clock, log } = context;

  const show: PageHandler = (request, response) =>
    sendPortalPage(response, 200, 'password', {
      rule: PASSWORD_RULE,
      errors: {},
      notice: findNoticeText(readQueryParameter(request, 'notice')),
    });

  const submit: PageHandler = async (request, response) => {
    const session = getSession(response);
    const [old, first, second] = ['old_password', 'new_password1', 'new_password2'].map((name) =>
      readFormField(request, name),
    ) as [string, string, string];
    if (!(await isWithinQuota(context, request, response, session.username))) return;
    const isRight = (await verifyAccount(db, session.username, old)) !== undefined;
    const errors = {
      ...(isRight ? {} : { old_password: 'This is not your current password.' }),
      ...validateNewPassword(session, old, [first, second]),
    };
    if (Object.keys(errors).length > 0) {
      sendPortalPage(response, 422, 'password', { rule: PASSWORD_RULE, errors });
      return;
    }
    const cookie = await changePassword(session, first);
    if (cookie === undefined) {
      redirectAfterForm(response, LOGIN_PATH);
      return;
    }
    cookies.setSession(response, cookie, SESSION_LIFETIME_MS);
    log.info('Portal password changed.', { org_id: session.orgId, user_id: session.userId });
    redirectAfterForm(response, `${homePath(session.role)}?notice=password_changed`);
  };

  /** The person stays signed in under a new session id; every other session ends with the old password. */
  function changePassword(session: PortalSession, password: string): Promise<string | undefined> {
    const now = clock();
    return db.transaction().execute(async (tx) => {
      if (!(await setPassword(tx, session, password, now))) return undefined;
      await deletePortalSessionsOfUser(tx, session);
      return beginSession(tx, session, now);
    });
  }

  return { show, submit };
}
