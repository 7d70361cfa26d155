import { isIP } from 'node:net';
import { checkDestinationAddress } from '../security/addresses.ts';
import type { FieldError } from '../api/problem.ts';

/** The longest endpoint address, in characters. */
export const MAX_URL_LENGTH = 2048;

/** Ports above 0 that browsers refuse (Fetch Standard, "bad port"): other protocols would read the request. */
const FORBIDDEN_PORTS: ReadonlySet<number> = new Set([
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

/** The URL to call, and as `uri` the text that is stored and shown, which every parser reads alike; or all errors. */
export type EndpointUrlResult =
  { readonly url: URL; readonly uri: string } | { readonly errors: FieldError[] };

/**
 * An endpoint address as the URL parser reads it, so that odd spellings (2130706433, 0177.0.0.1, 127.1,
 * full-width digits) are checked as what would be called. All errors at once, under `pointer`; of a text that is too long
 * that alone. Names are checked when they are resolved, on every delivery.
 */
export function validateEndpointUrl(
  text: string,
  allowedNetworks: readonly string[] = [],
  pointer = '/url',
): EndpointUrlResult {
  const errors: FieldError[] = [];
  const addError = (code: FieldError['code'], detail: string): void => {
    errors.push({ pointer, code, detail });
  };
  const tooLong = `The address has more than ${MAX_URL_LENGTH} characters`;
  if (isLongerThan(text, MAX_URL_LENGTH)) {
    addError('max_length', `${tooLong}.`);
    return { errors };
  }
  const ambiguity = findAmbiguity(text);
  const url = ambiguity === undefined ? URL.parse(text) : null;
  if (url === null || url.hostname === '') {
    addError('invalid_url', ambiguity ?? 'The address is not an absolute URL.');
    return { errors };
  }
  if (url.protocol !== 'https:') addError('https_required', 'The address must start with https://.');
  if (hasUserInfo(text, url))
    addError('credentials_forbidden', 'The address must not hold a user name or password.');
  if (text.includes('#')) addError('fragment_forbidden', 'The address must not hold a fragment.');
  if (url.port === '0' || FORBIDDEN_PORTS.has(Number(url.port))) {
    addError('forbidden_port', `Port ${url.port} belongs to another protocol and is not called.`);
  }
  const refusal = findHostRefusal(url, allowedNetworks);
  if (refusal !== undefined) addError('forbidden_address', refusal);
  const uri = toUri(url);
  if (errors.length === 0 && uri.length > MAX_URL_LENGTH) {
    addError('max_length', `${tooLong} when written as a URI: other letters take several each.`);
  }
  return errors.length > 0 ? { errors } : { url, uri };
}

/** Whether a text has more characters than that, of which each takes two units at most. */
function isLongerThan(text: string, characters: number): boolean {
  return text.length > characters && (text.length > 2 * characters || Array.from(text).length > characters);
}

/**
 * Why programs may read an address differently: the URL parser takes a backslash for a slash, where others (RFC 3986) see the
 * name of a user, so that `https://one\@two/` has two hosts; it drops blanks and control characters, and puts missing
 * slashes in or superfluous ones away.
 */
function findAmbiguity(text: string): string | undefined {
  if (text.includes('\\'))
    return 'The address holds a backslash, which programs read differently. Write a slash, or %5C.';
  if (/[\u0000-\u0020\u007f]/.test(text)) return 'The address holds a blank or a control character.';
  return /^[a-z][a-z0-9+.-]*:\/\/[^/]/i.test(text) ? undefined : 'The address is not an absolute URL.';
}

/** What RFC 3986 permits nowhere behind the host. */
const NOT_IN_URI = /[^A-Za-z0-9._~:/?@!$&'()*+,;=%-]|%(?![0-9A-Fa-f]{2})/g;

/** What the parser has read: the host in ASCII and lower case, no dot segments, characters that a URI must not hold encoded. */
function toUri(url: URL): string {
  return url.origin + (url.pathname + url.search).replace(NOT_IN_URI, encodeURIComponent);
}

/** The host without the brackets of an IPv6 address. */
export function unbracketedHost(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1');
}

/** Why the host, when it is a literal address, is not called; `localhost` is one in all but spelling. */
function findHostRefusal(url: URL, allowedNetworks: readonly string[]): string | undefined {
  const host = unbracketedHost(url).replace(/\.$/, '');
  const literals = /(^|\.)localhost$/.test(host) ? ['127.0.0.1', '::1'] : isIP(host) > 0 ? [host] : [];
  const verdicts = literals.map((ip) => checkDestinationAddress(ip, allowedNetworks));
  if (literals.length === 0 || verdicts.some(({ allowed }) => allowed)) return undefined;
  const refused = verdicts.find((each) => !each.allowed);
  return refused?.allowed === false ? `The address is not called: ${refused.reason}` : undefined;
}

/** Also `https://@host` and `https://:@host`, of which the parser keeps nothing. */
function hasUserInfo(text: string, url: URL): boolean {
  const authority = /^[^:]*:[\\/]*([^\\/?#]*)/.exec(text)?.[1] ?? '';
  return url.username !== '' || url.password !== '' || authority.includes('@');
}
