import { changePassword, isInitialPasswordExpired } from '../accounts/passwords.ts';
import { SESSION_LIFETIME_MS } from '../accounts/sessions.ts';
import type { PortalSession } from '../accounts/sessions.ts';
import type { VerifiedAccount } from '../accounts/sign-in.ts';
import type { PageHandler } from './context.ts';
import { getSession } from './context.ts';
import { readFormField, readQueryParameter } from './forms.ts';
import type { FieldMessages } from './forms.ts';
import { LOGIN_PATH } from './paths.ts';
import { admitLoginAttempt, EXPIRED_PASSWORD_TEXT, homePathOfRole } from './login.ts';
import { sendView } from '../html/render.ts';
import { findNoticeText, redirectAfterForm, redirectWithNotice } from './pages.ts';

const MIN_LENGTH = 12;
const MAX_LENGTH = 1024;
const PASSWORD_RULE = `At least ${MIN_LENGTH} characters, not your username and not the old password.`;

/** What is wrong with the new password, by field (NIST SP 800-63B: length counts, composition rules do not). */
function validateNewPassword(
  person: Pick<PortalSession, 'username' | 'email'>,
  oldPassword: string,
  [first, second]: readonly [string, string],
): FieldMessages {
  const messages: Record<string, string> = {};
  const normal = first.normalize('NFKC');
  const length = Array.from(normal).length;
  const names = [person.username, person.email].map((name) => name.toLowerCase());
  if (length < MIN_LENGTH) messages['new_password1'] = `Use at least ${MIN_LENGTH} characters.`;
  else if (length > MAX_LENGTH) messages['new_password1'] = `Use at most ${MAX_LENGTH} characters.`;
  else if (normal === oldPassword.normalize('NFKC'))
    messages['new_password1'] = 'Choose one that differs from the old password.';
  else if (names.includes(normal.toLowerCase()))
    messages['new_password1'] = 'Choose one that is not your username.';
  if (first !== second) messages['new_password2'] = 'The two new passwords are not the same.';
  return messages;
}

function validateOldPassword(account: VerifiedAccount | undefined, now: Date): FieldMessages {
  if (account === undefined) return { old_password: 'This is not your current password.' };
  return isInitialPasswordExpired(account, now) ? { old_password: EXPIRED_PASSWORD_TEXT } : {};
}

/** The form to change the password. */
export const showPasswordChange: PageHandler = (_context, request, response) =>
  sendView(response, 200, 'password', {
    rule: PASSWORD_RULE,
    errors: {},
    notice: findNoticeText(readQueryParameter(request, 'notice')),
  });

/**
 * Changes the password. The person stays signed in under a new session; every other session ends. One that was changed or reset while
 * the new one was hashed stays, and the person has to sign in again.
 */
export const changePasswordFromForm: PageHandler = async (context, request, response) => {
  const { db, clock, cookies, hashing, log } = context;
  const session = getSession(response);
  const old = readFormField(request, 'old_password');
  const first = readFormField(request, 'new_password1');
  const second = readFormField(request, 'new_password2');
  const attempt = await admitLoginAttempt(context, request, response, session.username);
  if (attempt === undefined) return;
  const account = await context.verifyAccount(session.username, old, { partnerId: session.partnerId });
  if (account !== undefined) attempt.giveBack();
  const errors = {
    ...validateOldPassword(account, clock()),
    ...validateNewPassword(session, old, [first, second]),
  };
  if (account === undefined || Object.keys(errors).length > 0) {
    sendView(response, 422, 'password', { rule: PASSWORD_RULE, errors });
    return;
  }
  const token = await hashing.run({ partnerId: session.partnerId }, (hasher) =>
    changePassword(db, account, first, clock(), hasher),
  );
  context.invalidateCachedTokensOf(session.userId);
  if (token === undefined) {
    redirectAfterForm(response, LOGIN_PATH);
    return;
  }
  context.sessions.remember(token, session);
  cookies.setSession(response, token, SESSION_LIFETIME_MS);
  log.info('Portal password changed.', { org_id: session.orgId, user_id: session.userId });
  redirectWithNotice(response, homePathOfRole(session.role), 'password_changed');
};
