import { parseInstant } from './instants.ts';

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
// The WHATWG pattern of <input type="email">, at least one dot in the domain; lengths by RFC 5321.
const emailPattern =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/i;

/** String formats of the document; `instant` is our own: ISO 8601 that may be naive (then UTC). */
export const formats: Readonly<Record<string, (text: string) => boolean>> = {
  uuid: (text) => uuidPattern.test(text),
  email: (text) => text.length <= 254 && emailPattern.test(text),
  uri: (text) => URL.canParse(text),
  // Also with letters beyond ASCII (RFC 3987).
  iri: (text) => URL.canParse(text),
  'date-time': (text) => parseInstant(text) !== undefined,
  instant: (text) => parseInstant(text) !== undefined,
  // A hint for people who fill in forms; any text may be one.
  password: () => true,
};
