import type { Request } from 'express';
import { INITIAL_PASSWORD_HOURS, isInitialPasswordExpired } from '../accounts/passwords.ts';
import { SESSION_LIFETIME_MS, endSession, newFormToken, replaceSession } from '../accounts/sessions.ts';
import type { OpenSession } from '../accounts/sessions.ts';
import {
  isKnownBrowser as hasSignedInBefore,
  loginUseOfAddress,
  loginUsesOfAccount,
  signKnownBrowser,
} from '../domain/security/login-subjects.ts';
import type { LoginUse } from '../domain/security/login-subjects.ts';
import { toCountedAddress } from '../domain/security/quota-subjects.ts';
import type { Role } from '../domain/users/roles.ts';
import type { PageHandler, PortalContext, PortalResponse } from './context.ts';
import { getSession } from './context.ts';
import { hasCsrfToken, readFormField, readQueryParameter, toLocalPath } from './forms.ts';
import { sendCsrfRefusal } from './guards.ts';
import { HOME_PATH, LOGIN_PATH, PASSWORD_PATH } from './paths.ts';
import { sendMessage } from '../html/messages.ts';
import { sendView } from '../html/render.ts';
import { redirectAfterForm } from './pages.ts';

/** The page that a person of this role begins with. */
export function homePathOfRole(role: Role): string {
  return role === 'user' ? PASSWORD_PATH : HOME_PATH;
}

/** The login form; somebody who is signed in already is led on. */
export const showLogin: PageHandler = (context, request, response) => {
  const { session } = response.locals;
  const next = toLocalPath(readQueryParameter(request, 'next'), context.baseUrl);
  if (session === undefined) {
    sendLogin(context, request, response, 200, { next });
    return;
  }
  redirectAfterForm(
    response,
    session.passwordChangeRequired ? PASSWORD_PATH : (next ?? homePathOfRole(session.role)),
  );
};

/** What a person is told whose initial password is over. */
export const EXPIRED_PASSWORD_TEXT = `The initial password has expired: it is valid for ${INITIAL_PASSWORD_HOURS} hours. Ask an admin of your organization for a new one; the operator of the service can issue one too.`;

/**
 * Signs in from the form: 303, 422 with the form, 403 without the CSRF token or when the partner is suspended, 429 after too
 * many failures.
 */
export const logIn: PageHandler = async (context, request, response) => {
  const { cookies, log } = context;
  if (!hasCsrfToken(request, cookies.login(request))) {
    sendCsrfRefusal(request, response);
    return;
  }
  const [username, password] = [
    readFormField(request, 'username').trim(),
    readFormField(request, 'password'),
  ];
  const attempt = await admitLoginAttempt(context, request, response, username);
  if (attempt === undefined) return;
  const account = await context.verifyAccount(username, password, {
    address: toCountedAddress(request.ip),
    isKnownBrowser: attempt.isKnownBrowser,
  });
  const next = toLocalPath(readFormField(request, 'next'), context.baseUrl);
  if (account === undefined) {
    log.info('Portal login refused.', { address: request.ip });
    const error = 'Username or password is not right. Mind capital letters in the password.';
    sendLogin(context, request, response, 422, { username, next, error });
    return;
  }
  if (account.isSuspended) {
    log.info('Portal login of a suspended partner refused.', {
      org_id: account.orgId,
      user_id: account.userId,
    });
    sendMessage(response, 403, {
      heading: 'Organization suspended',
      text: 'The operator of the service has suspended your organization. Nothing is lost; you can sign in again once it is resumed.',
    });
    return;
  }
  const isExpired = isInitialPasswordExpired(account, context.clock());
  const previous = findPreviousSession(context, request, response);
  const token = isExpired ? undefined : await replaceSession(context.db, account, previous, context.clock());
  if (token === undefined) {
    const error = isExpired ? EXPIRED_PASSWORD_TEXT : 'The password has just been changed. Use the new one.';
    sendLogin(context, request, response, 422, { username, next, error });
    return;
  }
  attempt.giveBack();
  if (previous !== undefined) context.sessions.end(previous.token);
  context.sessions.remember(token, account);
  cookies.setSession(response, token, SESSION_LIFETIME_MS);
  const name = await context.normaliseUsername(account.username);
  cookies.setKnownBrowser(response, signKnownBrowser(context.linkKey, name));
  log.info('Portal login.', { org_id: account.orgId, user_id: account.userId, address: request.ip });
  redirectAfterForm(
    response,
    account.passwordChangeRequired ? PASSWORD_PATH : (next ?? homePathOfRole(account.role)),
  );
};

/** The session that the browser has had so far, which may have ended. */
function findPreviousSession(
  { cookies }: PortalContext,
  request: Request,
  response: PortalResponse,
): OpenSession | undefined {
  const token = cookies.session(request);
  return token === undefined ? undefined : { token, orgId: response.locals.session?.orgId };
}

/** Asks whether to end the session. */
export const showLogout: PageHandler = (_context, _request, response) =>
  sendView(response, 200, 'logout', {});

/** Ends the session and leads to the login. */
export const logOut: PageHandler = async (context, request, response) => {
  const { db, cookies } = context;
  const token = cookies.session(request);
  const { orgId, userId } = getSession(response);
  if (token !== undefined) await endSession(db, { token, orgId });
  // The tokens of the session have ended with it.
  context.invalidateCachedTokensOf(userId);
  cookies.clearSession(response);
  redirectAfterForm(response, LOGIN_PATH);
};

function sendLogin(
  { cookies }: PortalContext,
  request: Request,
  response: PortalResponse,
  status: number,
  data: Readonly<Record<string, unknown>>,
): void {
  const csrf = cookies.login(request) ?? newFormToken();
  cookies.setLogin(response, csrf);
  sendView(response, status, 'login', { csrf, ...data });
}

/** A try to sign in that was within the quotas. */
interface LoginAttempt {
  /** Whether the browser has signed in to this account before, or is signed in to it now. */
  readonly isKnownBrowser: boolean;
  /** To be called when it succeeded, or when somebody who is signed in gave the right password: only failures count. */
  giveBack(): void;
}

/**
 * Counts one try before its password is looked at, so that tries at once cannot pass a quota; beyond one answers 429 and
 * resolves to undefined.
 */
export async function admitLoginAttempt(
  context: PortalContext,
  request: Request,
  response: PortalResponse,
  username: string,
): Promise<LoginAttempt | undefined> {
  const { normaliseUsername } = context;
  // By address first: whoever tries without end costs no query.
  const byAddress = await admitUse(context, request, response, loginUseOfAddress('portal', request.ip));
  if (byAddress === undefined) return undefined;
  const admitted = [byAddress];
  const name = await normaliseUsername(username);
  const isKnownBrowser = await isBrowserOfAccount(context, request, response, name);
  for (const use of loginUsesOfAccount('portal', name, request.ip, isKnownBrowser)) {
    const counted = await admitUse(context, request, response, use);
    if (counted === undefined) return undefined;
    admitted.push(counted);
  }
  return {
    isKnownBrowser,
    giveBack: () => {
      for (const counted of admitted) counted.giveBack();
    },
  };
}

/** Whether the browser has signed in to the account before, or is signed in to it now; `name` is as the database compares names. */
async function isBrowserOfAccount(
  { cookies, linkKey, normaliseUsername }: PortalContext,
  request: Request,
  response: PortalResponse,
  name: string,
): Promise<boolean> {
  if (hasSignedInBefore(linkKey, name, cookies.knownBrowser(request))) return true;
  const { session } = response.locals;
  return session !== undefined && (await normaliseUsername(session.username)) === name;
}

/** A refusal is held back where an address has had many: a page each would be as much work as what is refused. */
async function admitUse(
  { countUse, slowDown }: PortalContext,
  request: Request,
  response: PortalResponse,
  { policy, subject }: LoginUse,
): Promise<Pick<LoginAttempt, 'giveBack'> | undefined> {
  const { isAllowed, retryAfterSeconds, giveBack } = await countUse(policy, subject);
  if (isAllowed) return { giveBack };
  await slowDown(request, response);
  response.set('Retry-After', String(retryAfterSeconds));
  sendMessage(response, 429, {
    heading: 'Too many tries',
    text: `There were too many tries to log in. Try again in ${retryAfterSeconds} seconds.`,
    back: request.path,
    backLabel: 'Back to the form',
  });
  return undefined;
}
