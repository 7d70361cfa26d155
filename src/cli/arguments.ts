import { InvalidArgumentError } from 'commander';
import { decodeCursor } from '../domain/api/cursor.ts';
import type { CursorPosition } from '../domain/api/cursor.ts';
import { isEmailAddress, isUuid } from '../domain/api/formats.ts';
import { QUOTA_NAMES, QUOTA_RULE, parseQuota } from '../domain/api/quotas.ts';
import type { QuotaChanges } from './quotas.ts';

/** 1 to 255 characters in one line, trimmed. @throws InvalidArgumentError for anything else. */
export function parseOrganizationName(text: string): string {
  if (text.trim() === '' || text.length > 255 || /\p{Cc}/u.test(text))
    throw new InvalidArgumentError(
      'Give 1 to 255 characters, none of them a line break or another control character.',
    );
  return text.trim();
}

/** An email address as it is. @throws InvalidArgumentError for anything else. */
export function parseEmailAddress(text: string): string {
  if (!isEmailAddress(text)) throw new InvalidArgumentError('Give an email address.');
  return text;
}

/** A UUID in lower case. @throws InvalidArgumentError for anything else. */
export function parseUuid(text: string): string {
  if (!isUuid(text)) throw new InvalidArgumentError('Give a UUID.');
  return text.toLowerCase();
}

/** An http or https address without credentials. @throws InvalidArgumentError for anything else. */
export function parseWebAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new InvalidArgumentError('Give an http or https address without credentials.');
  }
  return text;
}

/** `whsec_` and 32 bytes in base64. @throws InvalidArgumentError for anything else. */
export function parseSigningSecret(text: string): string {
  if (!/^whsec_[A-Za-z0-9+/]{43}=$/.test(text))
    throw new InvalidArgumentError('Give whsec_ and 32 bytes in base64.');
  return text;
}

/** A whole number of entries on a page, 1 to 1000. @throws InvalidArgumentError for anything else. */
export function parsePageLimit(text: string): number {
  const limit = Number(text);
  if (!/^\d{1,4}$/.test(text) || limit < 1 || limit > 1000) throw new InvalidArgumentError('Give 1 to 1000.');
  return limit;
}

/** The cursor that a page before has printed. @throws InvalidArgumentError for anything else. */
export function parsePageCursor(text: string): CursorPosition {
  const cursor = decodeCursor(text);
  if (cursor === undefined)
    throw new InvalidArgumentError('Give the cursor that the page before has printed.');
  return cursor;
}

/**
 * One more `NAME=NUMBER` or `NAME=default` behind those before; a number has 12 digits at most, and a name comes once.
 * @throws InvalidArgumentError for anything else.
 */
export function parseQuotaChange(text: string, before: QuotaChanges = []): QuotaChanges {
  const [, given, value = ''] = /^([^=]+)=(.*)$/.exec(text) ?? [];
  const name = QUOTA_NAMES.find((each) => each === given);
  if (name === undefined) {
    throw new InvalidArgumentError(
      `Give NAME=NUMBER or NAME=default, with one of ${QUOTA_NAMES.join(', ')}.`,
    );
  }
  if (before.some(([each]) => each === name)) throw new InvalidArgumentError(`Give ${name} once.`);
  if (value === 'default') return [...before, [name, undefined]];
  const quota = parseQuota(value);
  if (quota === undefined) {
    throw new InvalidArgumentError(`Give ${name} ${QUOTA_RULE}, or "default".`);
  }
  return [...before, [name, quota]];
}
