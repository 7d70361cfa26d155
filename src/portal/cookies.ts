import { parseCookie } from 'cookie';
import { DAY_MS } from '../domain/api/durations.ts';
import type { Request, Response } from 'express';

export interface PortalCookies {
  /** The value of the signed-in session, undefined when none was sent. */
  session(request: Request): string | undefined;
  setSession(response: Response, value: string, maxAgeMs: number): void;
  clearSession(response: Response): void;
  /** The token that ties the login form to the browser before there is a session. */
  login(request: Request): string | undefined;
  setLogin(response: Response, value: string): void;
  /** What says that this browser has signed in to an account before. */
  knownBrowser(request: Request): string | undefined;
  setKnownBrowser(response: Response, value: string): void;
}

const SESSION_NAME = 'partner_session';

/** How long a browser is known after it has signed in. */
const KNOWN_BROWSER_MS = 180 * DAY_MS;

/** The portal's three cookies. Under https their names carry `__Host-`: a neighbouring sub-domain can then not plant them (RFC 6265bis 4.1.3.2). */
export function createPortalCookies(baseUrl: string): PortalCookies {
  const secure = new URL(baseUrl).protocol === 'https:';
  const prefix = secure ? '__Host-' : '';
  const [sessionName, loginName] = [`${prefix}${SESSION_NAME}`, `${prefix}partner_login`];
  const browserName = `${prefix}partner_browser`;
  const flags = { httpOnly: true, sameSite: 'lax', path: '/', secure } as const;
  return {
    session: (request) => read(request, sessionName),
    setSession: (response, value, maxAgeMs) =>
      response.cookie(sessionName, value, { ...flags, maxAge: maxAgeMs }),
    clearSession: (response) => response.clearCookie(sessionName, flags),
    login: (request) => read(request, loginName),
    setLogin: (response, value) => response.cookie(loginName, value, flags),
    knownBrowser: (request) => read(request, browserName),
    setKnownBrowser: (response, value) =>
      response.cookie(browserName, value, { ...flags, maxAge: KNOWN_BROWSER_MS }),
  };
}

// All values are base64url of 32 bytes; anything else is as good as absent.
const VALUE_PATTERN = /^[A-Za-z0-9_-]{43}$/;
const VALUE_LENGTH = 43;

/** What stands in a header `Cookie` as the value of the session, without the work of reading the header. */
export function findSessionValue(header: string): string | undefined {
  const at = header.indexOf(`${SESSION_NAME}=`);
  if (at === -1) return undefined;
  const start = at + SESSION_NAME.length + 1;
  const value = header.slice(start, start + VALUE_LENGTH);
  return VALUE_PATTERN.test(value) ? value : undefined;
}

/** The first well-formed value of the name: another page of the host may have set a cookie of the same name. */
function read(request: Request, name: string): string | undefined {
  const pairs = (request.headers.cookie ?? '').split(';');
  return pairs
    .map((pair) => parseCookie(pair, { decode: (value) => value })[name])
    .find((value) => value !== undefined && VALUE_PATTERN.test(value));
}
