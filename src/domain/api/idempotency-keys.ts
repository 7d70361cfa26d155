import { DAY_MS } from './durations.ts';

/** How long the answer to a key is given again, as the document says. */
export const KEY_MEMORY_MS = DAY_MS;

/** The name of the header as the document writes it. */
export const KEY_HEADER = 'Idempotency-Key';

/**
 * The key of a header that the document has accepted: bare, or quoted as a string of structured fields (RFC 9651, 3.3.3), where a
 * backslash stands before a quote or a backslash. Both forms of a key are the same key.
 */
export function parseIdempotencyKey(header: string): string {
  return header.startsWith('"') ? header.slice(1, -1).replaceAll(/\\(["\\])/g, '$1') : header;
}
