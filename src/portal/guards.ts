import type { NextFunction, Request, RequestHandler } from 'express';
import type { PortalContext, PortalResponse } from './context.ts';
import { sessionOf } from './context.ts';
import type { Cookies } from './cookies.ts';
import { carriesToken } from './forms.ts';
import { seeOther, sendMessage } from './pages.ts';
import { currentSession } from './sessions.ts';

export const loginPath = '/accounts/login/';
export const passwordPath = '/accounts/password_change/';
export const applicationsPath = '/oauth2/applications/';

type Guard = (request: Request, response: PortalResponse, next: NextFunction) => void;

/** Leaves the session, if there is one, in `response.locals`. */
export function findSession({ db, clock }: PortalContext, cookies: Cookies): RequestHandler {
  return async (request, response: PortalResponse, next) => {
    const session = await currentSession(db, cookies, request, clock());
    if (session !== undefined) response.locals.session = session;
    next();
  };
}

/** Leads to the login, and from there back to a page that was asked for by GET. */
export const signedIn: Guard = (request, response, next) => {
  if (response.locals.session !== undefined) {
    next();
    return;
  }
  const back =
    request.method === 'GET' && request.originalUrl !== '/'
      ? `?next=${encodeURIComponent(request.originalUrl)}`
      : '';
  seeOther(response, `${loginPath}${back}`);
};

/** Leads to the password change for as long as the password is the initial one. */
export const ownPassword: Guard = (_request, response, next) => {
  if (response.locals.session?.passwordChangeRequired === true) seeOther(response, passwordPath);
  else next();
};

/** Refuses every form without the token of its session. */
export const genuineForm: Guard = (request, response, next) => {
  const isReading = request.method === 'GET' || request.method === 'HEAD';
  if (isReading || carriesToken(request, response.locals.session?.csrfSecret)) next();
  else sendForgery(response, request.path);
};

export function sendForgery(response: PortalResponse, back: string): void {
  sendMessage(response, 403, {
    heading: 'Form refused',
    text: 'The form does not carry the token of this session, so it may come from another site. Nothing was changed. Open the form again and repeat; your browser must accept cookies.',
    back,
    backLabel: 'Open the form again',
  });
}

export const management: Guard = (_request, response, next) => {
  if (sessionOf(response).role === 'user') sendForbidden(response, 'admins and staff');
  else next();
};

export const adminOnly: Guard = (_request, response, next) => {
  if (sessionOf(response).role === 'admin') next();
  else sendForbidden(response, 'admins');
};

function sendForbidden(response: PortalResponse, whose: string): void {
  sendMessage(response, 403, {
    heading: 'Not for your role',
    text: `This page is for ${whose} of the organization.`,
    back: passwordPath,
    backLabel: 'Change your password',
  });
}
