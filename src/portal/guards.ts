import type { NextFunction, Request } from 'express';
import type { PortalSession } from '../accounts/sessions.ts';
import { toCountedAddress } from '../domain/security/quota-subjects.ts';
import type { PortalContext, PortalResponse } from './context.ts';
import { getSession } from './context.ts';
import { hasCsrfToken, parseFleetForm, parseFormBody, parsePageForm, parsePriceForm } from './forms.ts';
import { takeFormTurn } from './form-turns.ts';
import { readEnteredValues } from './entered-values.ts';
import { sendMessage } from '../html/messages.ts';
import { sendView } from '../html/render.ts';
import { redirectAfterForm } from './pages.ts';
import { FLEET_CREATION_PATH, HOME_PATH, LOGIN_PATH, PASSWORD_PATH, PRICE_UPLOAD_PATH } from './paths.ts';

type Guard = (request: Request, response: PortalResponse, next: NextFunction) => void;

/** What a session ends with takes effect within this time. */
const SESSION_AGE_MS = 900;

/** Puts the session of the request's cookie, if it is a valid one, into `response.locals`, and counts the request for its partner. */
export function loadSession(context: PortalContext) {
  return async (request: Request, response: PortalResponse, next: NextFunction): Promise<void> => {
    const session = await readSession(context, request, response);
    if (session !== undefined) await context.countByPartner(response, session.partnerId);
    else if (context.cookies.session(request) !== undefined) await context.slowDown(request, response);
    next();
  };
}

/** Reads the form, and its session once more where that has taken long. */
export function readForm(context: PortalContext) {
  return [parseForm(context), renewSession(context)];
}

/** The same once more behind a form that has come slowly: what its session has ended with meanwhile is not done. */
function renewSession(context: PortalContext) {
  return async (request: Request, response: PortalResponse, next: NextFunction): Promise<void> => {
    const { session, sessionReadAt } = response.locals;
    const ageMs = context.clock().getTime() - (sessionReadAt?.getTime() ?? 0);
    if (session !== undefined && ageMs >= SESSION_AGE_MS) await readSession(context, request, response);
    next();
  };
}

async function readSession(
  { sessions, clock, cookies }: PortalContext,
  request: Request,
  response: PortalResponse,
): Promise<PortalSession | undefined> {
  const [token, now] = [cookies.session(request), clock()];
  const session =
    token === undefined ? undefined : await sessions.find(token, toCountedAddress(request.ip), now);
  Object.assign(response.locals, { session, sessionReadAt: now, isSignedOut: session === undefined });
  return session;
}

/** Reads the form, which may be longer of who is signed in; that for a fleet and that for prices longer still where somebody sends it who may do this. */
function parseForm(context: PortalContext) {
  return async (request: Request, response: PortalResponse, next: NextFunction): Promise<void> => {
    const isManaging = response.locals.session !== undefined && response.locals.session.role !== 'user';
    const isAt = (path: string): boolean => isManaging && `${request.path}/`.startsWith(path);
    const parse = isAt(FLEET_CREATION_PATH)
      ? parseFleetForm
      : isAt(PRICE_UPLOAD_PATH)
        ? parsePriceForm
        : context.cookies.session(request) === undefined
          ? parseFormBody
          : parsePageForm;
    if (parse === parseFleetForm || parse === parsePriceForm) await takeFormTurn(context, request, response);
    parse(request, response, next);
  };
}

/** Leads to the login, and from there back to a page that was asked for by GET; shows what was typed into a form before. */
export const requireSession: Guard = (request, response, next) => {
  if (response.locals.session !== undefined) {
    next();
    return;
  }
  const isForm = request.method === 'POST';
  const back = `${LOGIN_PATH}?next=${encodeURIComponent(request.originalUrl)}`;
  const entered = isForm ? readEnteredValues(request) : [];
  if (entered.length > 0) {
    sendView(response, 403, 'refused-form', {
      heading: 'Signed out',
      text: 'Your session has ended, so that the form was not read. Nothing was changed.',
      back,
      backLabel: 'Log in and open the form again',
      entered,
    });
  } else {
    redirectAfterForm(response, request.method === 'GET' && request.originalUrl !== '/' ? back : LOGIN_PATH);
  }
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
  else sendCsrfRefusal(request, response);
};

/** Answers 403 to a form without the CSRF token of its session, with what was typed and a link to open the form again. */
export function sendCsrfRefusal(request: Request, response: PortalResponse): void {
  sendView(response, 403, 'refused-form', {
    heading: 'Form refused',
    text: 'It does not carry the token of this session: you have signed in again since it was opened, it comes from another site, or the browser accepts no cookies here. Nothing was changed.',
    back: request.path,
    backLabel: 'Open the form again',
    entered: readEnteredValues(request),
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
