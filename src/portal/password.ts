import { deletePortalSessionsOfUser } from '../queries/accounts/portal-sessions.ts';
import type { PortalSession } from '../queries/accounts/portal-sessions.ts';
import { setPassword, verifyAccount } from '../queries/accounts/accounts.ts';
import type { Page, PortalContext } from './context.ts';
import { sessionOf } from './context.ts';
import type { Cookies } from './cookies.ts';
import { field, queryText } from './forms.ts';
import type { FieldMessages } from './forms.ts';
import { loginPath } from './guards.ts';
import { homeOf, isWithinQuota } from './login.ts';
import { noticeText, seeOther, sendPortalPage } from './pages.ts';
import { beginSession, sessionLifeMs } from './sessions.ts';

const LEAST_LENGTH = 12;
const MOST_LENGTH = 1024;
const rule = `At least ${LEAST_LENGTH} characters, not your username and not the old password.`;

/** What is wrong with the new password, by field (NIST SP 800-63B: length counts, composition rules do not). */
function passwordFaults(
  person: Pick<PortalSession, 'username' | 'email'>,
  oldPassword: string,
  [first, second]: readonly [string, string],
): FieldMessages {
  const faults: Record<string, string> = {};
  const normal = first.normalize('NFKC');
  const length = Array.from(normal).length;
  const names = [person.username, person.email].map((name) => name.toLowerCase());
  if (length < LEAST_LENGTH) faults['new_password1'] = `Use at least ${LEAST_LENGTH} characters.`;
  else if (length > MOST_LENGTH) faults['new_password1'] = `Use at most ${MOST_LENGTH} characters.`;
  else if (normal === oldPassword.normalize('NFKC'))
    faults['new_password1'] = 'Choose one that differs from the old password.';
  else if (names.includes(normal.toLowerCase()))
    faults['new_password1'] = 'Choose one that is not your username.';
  if (first !== second) faults['new_password2'] = 'The two new passwords are not the same.';
  return faults;
}

export function passwordPages(context: PortalContext, cookies: Cookies) {
  const { db, clock, log } = context;

  const show: Page = (request, response) =>
    sendPortalPage(response, 200, 'password', {
      rule,
      errors: {},
      notice: noticeText(queryText(request, 'notice')),
    });

  const submit: Page = async (request, response) => {
    const session = sessionOf(response);
    const [old, first, second] = ['old_password', 'new_password1', 'new_password2'].map((name) =>
      field(request, name),
    ) as [string, string, string];
    if (!(await isWithinQuota(context, request, response, session.username))) return;
    const isRight = (await verifyAccount(db, session.username, old)) !== undefined;
    const errors = {
      ...(isRight ? {} : { old_password: 'This is not your current password.' }),
      ...passwordFaults(session, old, [first, second]),
    };
    if (Object.keys(errors).length > 0) {
      sendPortalPage(response, 422, 'password', { rule, errors });
      return;
    }
    const cookie = await changePassword(session, first);
    if (cookie === undefined) {
      seeOther(response, loginPath);
      return;
    }
    cookies.setSession(response, cookie, sessionLifeMs);
    log.info('Portal password changed.', { org_id: session.orgId, user_id: session.userId });
    seeOther(response, `${homeOf(session.role)}?notice=password_changed`);
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
