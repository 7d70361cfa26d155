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

/** An item with the organization in which it is looked up. */
interface ConsentItem extends ConsentSubject {
  readonly orgId: string;
}

const MAX_URL_LENGTH = 2048;

/**
 * The query of a consent page's address. The addresses are signed with it: it leads nowhere else. The organization is not: in
 * another one there is no such item.
 */
export function signConsentQuery(key: LinkKey, item: ConsentItem, urls: ReturnUrls, now: Date): string {
  const packed = Buffer.from(`${urls.success}\n${urls.cancel}`).toString('base64url');
  return new URLSearchParams({
    secret: signLink(key, signed(item, packed), now),
    return: packed,
    org: item.orgId,
  }).toString();
}

/** Checks the query of a consent page; the return addresses are there only when the link is valid. */
export function verifyConsentQuery(
  key: LinkKey,
  subject: ConsentSubject,
  query: { readonly secret: string; readonly packed: string },
  now: Date,
):
  | { readonly status: 'valid'; readonly urls: ReturnUrls }
  | { readonly status: Exclude<LinkStatus, 'valid'> } {
  const status = verifyLink(key, signed(subject, query.packed), query.secret, now);
  if (status !== 'valid') return { status };
  const [success = '', cancel = ''] = Buffer.from(query.packed, 'base64url').toString().split('\n');
  return { status, urls: { success, cancel } };
}

/**
 * A return address in the URL parser's normal form, or every error that it has: it must be an absolute https address (or
 * http on localhost) without credentials, at most 2,048 characters long.
 */
export function validateReturnUrl(
  text: string,
  pointer: string,
): { readonly url: string } | { readonly errors: FieldError[] } {
  // The URL parser would drop these characters silently.
  const url = /[\u0000-\u0020\u007f]/.test(text) ? null : URL.parse(text);
  // What is no plain host name or address could end the Content-Security-Policy that the host is put into.
  if (url === null || !/^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])$/.test(url.hostname)) {
    return { errors: [{ pointer, code: 'invalid_url', detail: 'Must be an absolute URL.' }] };
  }
  const errors: FieldError[] = [];
  const addError = (code: FieldError['code'], detail: string): void => {
    errors.push({ pointer, code, detail });
  };
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && url.hostname === 'localhost')) {
    addError('https_required', 'Must start with https://, or with http://localhost.');
  }
  if (url.username !== '' || url.password !== '') {
    addError('credentials_forbidden', 'Must not contain a user name or password.');
  }
  if (url.href.length > MAX_URL_LENGTH) {
    addError('invalid_url', `Must have at most ${MAX_URL_LENGTH} characters, percent-encoded.`);
  }
  return errors.length > 0 ? { errors } : { url: url.href };
}

/** The return addresses are signed as part of the owner's id, behind a line break: base64url has none. */
function signed({ itemId, ownerId }: ConsentSubject, packed: string) {
  return { purpose: 'consent', itemId, ownerId: `${ownerId}\n${packed}` } as const;
}
