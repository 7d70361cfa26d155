import { tryParseInstant } from './instants.ts';

const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
// The WHATWG pattern of <input type="email">, at least one dot in the domain; lengths by RFC 5321.
const EMAIL_PATTERN =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/i;

/** Whether the text is a UUID (RFC 9562) of any version, in either letter case. */
export function isUuid(text: string): boolean {
  return UUID_PATTERN.test(text);
}

/** Whether the text is an email address, at most 254 characters long, with a dot in its domain. */
export function isEmailAddress(text: string): boolean {
  return text.length <= 254 && EMAIL_PATTERN.test(text);
}

/**
 * String formats of the document. Two are our own: `instant`, ISO 8601 that may be naive (then UTC), and `path-segment`, a text
 * that can stand in the path of an address: clients take `.` and `..` away before they send a request, encoded or not (RFC 3986,
 * 5.2.4; the URL standard).
 */
export const formats: Readonly<Record<string, (text: string) => boolean>> = {
  uuid: isUuid,
  email: isEmailAddress,
  uri: (text) => URL.canParse(text),
  // Also with letters beyond ASCII (RFC 3987).
  iri: (text) => URL.canParse(text),
  'date-time': (text) => tryParseInstant(text) !== undefined,
  instant: (text) => tryParseInstant(text) !== undefined,
  'path-segment': (text) => text !== '.' && text !== '..',
  // A hint for people who fill in forms; any text may be one.
  password: () => true,
};
