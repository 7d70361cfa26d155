import type { NextFunction, Request } from 'express';
import { toCountedAddress } from '../domain/security/quota-subjects.ts';
import type { PortalContext, PortalResponse } from './context.ts';
import { getSession } from './context.ts';
import { hasCsrfToken, parseFleetForm, parseFormBody, parsePriceForm } from './forms.ts';
import { takeFormTurn } from './form-turns.ts';
import { sendMessage } from '../html/messages.ts';
import { redirectAfterForm } from './pages.ts';
import { FLEET_CREATION_PATH, HOME_PATH, LOGIN_PATH, PASSWORD_PATH, PRICE_UPLOAD_PATH } from './paths.ts';

type Guard = (request: Request, response: PortalResponse, next: NextFunction) => void;

/** Puts the session of the request's cookie, if it is a valid one, into `response.locals`, and counts the request for its partner. */
export function loadSession({ sessions, clock, cookies, countByPartner, slowDown }: PortalContext) {
  return async (request: Request, response: PortalResponse, next: NextFunction): Promise<void> => {
    const token = cookies.session(request);
    const address = toCountedAddress(request.ip);
    const session = token === undefined ? undefined : await sessions.find(token, address, clock());
    if (session !== undefined) {
      await countByPartner(response, session.partnerId);
      response.locals.session = session;
    } else if (token !== undefined) {
      await slowDown(request, response);
    }
    response.locals.isSignedOut = session === undefined;
    next();
  };
}

/** Reads the form; that for a fleet and that for prices may be longer where somebody sends it who may do this. */
export function parseForm(context: PortalContext) {
  return async (request: Request, response: PortalResponse, next: NextFunction): Promise<void> => {
    const isManaging = response.locals.session !== undefined && response.locals.session.role !== 'user';
    const isAt = (path: string): boolean => isManaging && `${request.path}/`.startsWith(path);
    const parse = isAt(FLEET_CREATION_PATH)
      ? parseFleetForm
      : isAt(PRICE_UPLOAD_PATH)
        ? parsePriceForm
        : parseFormBody;
    if (parse !== parseFormBody) await takeFormTurn(context, request, response);
    parse(request, response, next);
  };
}

/** Leads to the login, and from there back to a page that was asked for by GET. */
export const requireSession: Guard = (request, response, next) => {
  if (response.locals.session !== undefined) {
    next();
    return;
  }
  const back =
    request.method === 'GET' && request.originalUrl !== '/'
      ? `?next=${encodeURIComponent(request.originalUrl)}`
      : '';
  redirectAfterForm(response, `${LOGIN_PATH}${back}`);
};

/** Leads to the password change for as long as the password is the initial one. */
export const requireChangedPassword: Guard = (_request, response, next) => {
  if (response.locals.session?.passwordChangeRequired === true) redirectAfterForm(response, PASSWORD_PATH);
  else next();
};

/** Refuses every form without the token of its session. */
export const requireCsrfToken: Guard = (request, response, next) => {
  const isReading = request.method === 'GET' || request.method === 'HEAD';
  if (isReading || hasCsrfToken(request, response.locals.session?.csrfSecret)) next();
  else sendCsrfRefusal(response, request.path);
};

/** Answers 403 to a form without the CSRF token, with a link to open the form again. */
export function sendCsrfRefusal(response: PortalResponse, back: string): void {
  sendMessage(response, 403, {
    heading: 'Form refused',
    text: 'It does not carry the token of this session, so it may come from another site. Nothing was changed. Browsers must accept cookies here.',
    back,
    backLabel: 'Open the form again',
  });
}

/** Refuses users with 403. */
export const requireStaffOrAdmin: Guard = (_request, response, next) => {
  if (getSession(response).role === 'user') sendForbidden(response, 'admins and staff');
  else next();
};

/** Refuses staff and users with 403. */
export const requireAdmin: Guard = (_request, response, next) => {
  if (getSession(response).role === 'admin') next();
  else sendForbidden(response, 'admins');
};

function sendForbidden(response: PortalResponse, whose: string): void {
  const isManaging = getSession(response).role !== 'user';
  sendMessage(response, 403, {
    heading: 'Not for your role',
    text: `This page is for ${whose} of the organization.`,
    back: isManaging ? HOME_PATH : PASSWORD_PATH,
    backLabel: isManaging ? 'Home' : 'Change your password',
  });
}
