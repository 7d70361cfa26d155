import type { Request } from 'express';
import { sha256Digest } from '../domain/security/credentials.ts';
import { listLoginQuotaSubjects } from '../domain/security/login-subjects.ts';
import type { Role } from '../domain/users/roles.ts';
import { verifyAccount } from '../queries/accounts/accounts.ts';
import { deleteExpiredPortalSessions, deletePortalSession } from '../queries/accounts/portal-sessions.ts';
import type { PageHandler, PortalContext, PortalResponse } from './context.ts';
import type { PortalCookies } from './cookies.ts';
import { hasCsrfToken, readFormField, toLocalPath, readQueryParameter } from './forms.ts';
import { APPLICATIONS_PATH, LOGIN_PATH, PASSWORD_PATH, sendCsrfRefusal } from './guards.ts';
import { redirectAfterForm, sendMessage, sendPortalPage } from './pages.ts';
import { beginSession, newToken, SESSION_LIFETIME_MS } from './sessions.ts';

export function homePath(role: Role): string {
  return role === 'user' ? PASSWORD_PATH : APPLICATIONS_PATH;
}

export function loginPages(context: PortalContext, cookies: PortalCookies) {
  const { db, clock, baseUrl, log } = context;

  const show: PageHandler = (request, response) => {
    const { session } = response.locals;
    const next = toLocalPath(readQueryParameter(request, 'next'), baseUrl);
    if (session !== undefined) {
      redirectAfterForm(
        response,
        session.passwordChangeRequired ? PASSWORD_PATH : (next ?? homePath(session.role)),
      );
      return;
    }
    sendLogin(request, response, 200, { next });
  };

  const submit: PageHandler = async (request, response) => {
    if (!hasCsrfToken(request, cookies.login(request))) {
      sendCsrfRefusal(response, LOGIN_PATH);
      return;
    }
    const [username, password] = [
      readFormField(request, 'username').trim(),
      readFormField(request, 'password'),
    ];
    if (!(await isWithinQuota(context, request, response, username))) return;
    const account = await verifyAccount(db, username, password);
    const next = toLocalPath(readFormField(request, 'next'), baseUrl);
    if (account === undefined) {
      log.info('Portal login refused.', { address: request.ip });
      const error = 'Username or password is not right. Mind capital letters in the password.';
      sendLogin(request, response, 422, { username, next, error });
      return;
    }
    const former = cookies.session(request);
    if (former !== undefined) await deletePortalSession(db, sha256Digest(former));
    const now = clock();
    await deleteExpiredPortalSessions(db, now);
    cookies.setSession(response, await beginSession(db, account, now), SESSION_LIFETIME_MS);
    log.info('Portal login.', { org_id: account.orgId, user_id: account.userId, address: request.ip });
    redirectAfterForm(
      response,
      account.passwordChangeRequired ? PASSWORD_PATH : (next ?? homePath(account.role)),
    );
  };

  const showLogout: PageHandler = (_request, response) => sendPortalPage(response, 200, 'logout');

  const logout: PageHandler = async (request, response) => {
    const value = cookies.session(request);
    if (value !== undefined) await deletePortalSession(db, sha256Digest(value));
    cookies.clearSession(response);
    redirectAfterForm(response, LOGIN_PATH);
  };

  function sendLogin(
    request: Request,
    response: PortalResponse,
    status: number,
    data: Readonly<Record<string, unknown>>,
  ): void {
    const csrf = cookies.login(request) ?? newToken();
    cookies.setLogin(response, csrf);
    sendPortalPage(response, status, 'login', { csrf, ...data });
  }

  return { show, submit, showLogout, logout };
}

/** Counts one try; beyond a quota answers 429 and gives false. */
export async function isWithinQuota(
  { throttle }: PortalContext,
  request: Request,
  response: PortalResponse,
  username: string,
): Promise<boolean> {
  for (const subject of listLoginQuotaSubjects(username, request.ip)) {
    const { allowed, retryAfterSeconds } = await throttle('login', subject);
    if (allowed) continue;
    response.set('Retry-After', String(retryAfterSeconds));
    sendMessage(response, 429, {
      heading: 'Too many tries',
      text: `There were too many tries to log in. Try again in ${retryAfterSeconds} seconds.`,
      back: request.path,
      backLabel: 'Back to the form',
    });
    return false;
  }
  return true;
}
