import type { Request } from 'express';
import { digest } from '../domain/security/credentials.ts';
import { loginSubjects } from '../domain/security/login-subjects.ts';
import type { Role } from '../domain/users/roles.ts';
import { verifyAccount } from '../queries/accounts/accounts.ts';
import { deleteExpiredPortalSessions, deletePortalSession } from '../queries/accounts/portal-sessions.ts';
import type { Page, PortalContext, PortalResponse } from './context.ts';
import type { Cookies } from './cookies.ts';
import { carriesToken, field, localPath, queryText } from './forms.ts';
import { applicationsPath, loginPath, passwordPath, sendForgery } from './guards.ts';
import { seeOther, sendMessage, sendPortalPage } from './pages.ts';
import { beginSession, newToken, sessionLifeMs } from './sessions.ts';

export function homeOf(role: Role): string {
  return role === 'user' ? passwordPath : applicationsPath;
}

export function loginPages(context: PortalContext, cookies: Cookies) {
  const { db, clock, baseUrl, log } = context;

  const show: Page = (request, response) => {
    const { session } = response.locals;
    const next = localPath(queryText(request, 'next'), baseUrl);
    if (session !== undefined) {
      seeOther(response, session.passwordChangeRequired ? passwordPath : (next ?? homeOf(session.role)));
      return;
    }
    sendLogin(request, response, 200, { next });
  };

  const submit: Page = async (request, response) => {
    if (!carriesToken(request, cookies.login(request))) {
      sendForgery(response, loginPath);
      return;
    }
    const [username, password] = [field(request, 'username').trim(), field(request, 'password')];
    if (!(await isWithinQuota(context, request, response, username))) return;
    const account = await verifyAccount(db, username, password);
    const next = localPath(field(request, 'next'), baseUrl);
    if (account === undefined) {
      log.info('Portal login refused.', { address: request.ip });
      const error = 'Username or password is not right. Mind capital letters in the password.';
      sendLogin(request, response, 422, { username, next, error });
      return;
    }
    const former = cookies.session(request);
    if (former !== undefined) await deletePortalSession(db, digest(former));
    const now = clock();
    await deleteExpiredPortalSessions(db, now);
    cookies.setSession(response, await beginSession(db, account, now), sessionLifeMs);
    log.info('Portal login.', { org_id: account.orgId, user_id: account.userId, address: request.ip });
    seeOther(response, account.passwordChangeRequired ? passwordPath : (next ?? homeOf(account.role)));
  };

  const showLogout: Page = (_request, response) => sendPortalPage(response, 200, 'logout');

  const logout: Page = async (request, response) => {
    const value = cookies.session(request);
    if (value !== undefined) await deletePortalSession(db, digest(value));
    cookies.clearSession(response);
    seeOther(response, loginPath);
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
  for (const subject of loginSubjects(username, request.ip)) {
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
