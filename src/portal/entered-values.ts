import type { Request } from 'express';

/** A value that was typed, with the name of its field. */
export interface EnteredValue {
  readonly name: string;
  readonly value: string;
}

/** Of all values together: longer ones come from files, which people still have. */
const MOST_CHARACTERS = 16_384;
/** What a form holds for itself, and what is to be seen by nobody. */
const NOT_TYPED = /^(?:csrf_token|key|version|org|do)$|password|secret/;

/**
 * What was typed into a form that is refused before it is looked at, to be shown for copying: up to 16,384 characters of the fields that come
 * first. Nothing of a form that another site has sent, so that no site writes what stands here.
 */
export function readEnteredValues(request: Request): readonly EnteredValue[] {
  if (request.get('sec-fetch-site') !== 'same-origin') return [];
  const entered: EnteredValue[] = [];
  let left = MOST_CHARACTERS;
  for (const [name, value] of Object.entries((request.body ?? {}) as Readonly<Record<string, unknown>>)) {
    if (typeof value !== 'string' || value.trim() === '' || NOT_TYPED.test(name)) continue;
    left -= value.length;
    if (left < 0) break;
    entered.push({ name, value });
  }
  return entered;
}
