import type { FieldError } from '../api/problem.ts';
import { signLink, verifyLink, type LinkKey, type LinkStatus } from './signed-links.ts';

/** Where the browser goes from the consent page, both in the URL parser's normal form. */
export interface ReturnUrls {
  readonly success: string;
  readonly cancel: string;
}

export interface ConsentSubject {
  readonly itemId: string;
  readonly ownerId: string;
}

const MAX_URL_LENGTH = 2048;

/** The query of a consent page's address. The addresses are signed with it: it leads nowhere else. */
export function signConsentQuery(key: LinkKey, subject: ConsentSubject, urls: ReturnUrls, now: Date): string {
  const packed = Buffer.from(`${urls.success}\n${urls.cancel}`).toString('base64url');
  return new URLSearchParams({
    secret: signLink(key, signed(subject, packed), now),
    return: packed,
  }).toString();
}

/** What the query of a consent page is worth; the addresses are there only when the link is valid. */
export function verifyConsentQuery(
  key: LinkKey,
  subject: ConsentSubject,
  query: { readonly secret: string; readonly packed: string },
  now: Date,
):
  | { readonly verdict: 'valid'; readonly urls: ReturnUrls }
  | { readonly verdict: Exclude<LinkStatus, 'valid'> } {
  const verdict = verifyLink(key, signed(subject, query.packed), query.secret, now);
  if (verdict !== 'valid') return { verdict };
  const [success = '', cancel = ''] = Buffer.from(query.packed, 'base64url').toString().split('\n');
  return { verdict, urls: { success, cancel } };
}

/** An absolute https address, or http on localhost, in normal form; else every fault. */
export function validateReturnUrl(
  text: string,
  pointer: string,
): { readonly url: string } | { readonly errors: FieldError[] } {
  // The URL parser would drop these characters silently.
  const url = /[\u0000-\u0020\u007f]/.test(text) ? null : URL.parse(text);
  // What is no plain host name or address could end the Content-Security-Policy that the host is put into.
  if (url === null || !/^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])$/.test(url.hostname)) {
    return { errors: [{ pointer, code: 'invalid_url', detail: 'The address is not an absolute URL.' }] };
  }
  const errors: FieldError[] = [];
  const fault = (code: FieldError['code'], detail: string): void => {
    errors.push({ pointer, code, detail });
  };
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && url.hostname === 'localhost')) {
    fault('https_required', 'The address must start with https://, or with http://localhost.');
  }
  if (url.username !== '' || url.password !== '') {
    fault('credentials_forbidden', 'The address must not hold a user name or password.');
  }
  if (url.href.length > MAX_URL_LENGTH) {
    fault('invalid_url', `The address, percent-encoded, has more than ${MAX_URL_LENGTH} characters.`);
  }
  return errors.length > 0 ? { errors } : { url: url.href };
}

/** The addresses stand in the owner's place, behind the owner: base64url holds no line break. */
function signed({ itemId, ownerId }: ConsentSubject, packed: string) {
  return { purpose: 'consent', itemId, ownerId: `${ownerId}\n${packed}` } as const;
}
