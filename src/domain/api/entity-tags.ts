import { hash } from 'node:crypto';
import { PROBLEMS } from '../../../generated/problems.ts';
import { Problem } from './problem.ts';

/** 132 bits of a SHA-256. */
const TAG_CHARACTERS = 22;
/** How a tag ends that belongs to a compressed form of the same body (RFC 9110, 8.8.3.3). */
const CODINGS: ReadonlySet<string> = new Set(['', '-gzip', '-br']);
/** One of a list (RFC 9110, 8.8.3 and 5.6.1), strong or weak, with what divides it from the next. */
const TAG_PATTERN = /(W\/)?"([!#-~\u0080-\u00ff]*)"[ \t]*(?:$|,[ \t,]*)/gy;

/** The strong entity tag of a body that is written as this text, or as these bytes: the same one wherever it is made. */
export function computeEntityTag(body: string | Uint8Array): string {
  return `"${hash('sha256', body, 'base64url').slice(0, TAG_CHARACTERS)}"`;
}

/** The tag by which a client that says `If-None-Match` has this body already, in whatever coding; undefined when it has not. */
export function findKnownTag(ifNoneMatch: string | undefined, tag: string): string | undefined {
  return ifNoneMatch === undefined ? undefined : findTag(ifNoneMatch, tag, true);
}

/**
 * Goes on when `If-Match` names the body as which the object would be answered now; also where it is left out. The object
 * must be locked until it is changed.
 * @throws Problem precondition_failed (412).
 */
export function requireMatch(ifMatch: string | undefined, present: () => unknown): void {
  if (ifMatch === undefined || isForAny(ifMatch)) return;
  const tag = computeEntityTag(JSON.stringify(present()));
  if (findTag(ifMatch, tag, false) === undefined) throw preconditionProblem();
}

/**
 * The same where nothing has an entity tag that could be named.
 * @throws Problem precondition_failed (412).
 */
export function requireAnyMatch(ifMatch: string | undefined): void {
  if (ifMatch !== undefined && !isForAny(ifMatch)) throw preconditionProblem();
}

const isForAny = (tags: string): boolean => tags.trim() === '*';

/** 412 for an object that is another one than the client has seen, or that has no entity tag. */
function preconditionProblem(): Problem {
  return new Problem('precondition_failed', PROBLEMS.precondition_failed.detail);
}

/** The tag of the same body in a content coding. */
export function toCodedTag(tag: string, coding: 'gzip' | 'br'): string {
  return `${tag.slice(0, -1)}-${coding}"`;
}

function findTag(list: string, tag: string, mayBeWeak: boolean): string | undefined {
  if (isForAny(list)) return tag;
  const own = tag.slice(1, -1);
  const found = parseTags(list).find(
    ({ isWeak, opaque }) =>
      (mayBeWeak || !isWeak) && opaque.startsWith(own) && CODINGS.has(opaque.slice(own.length)),
  );
  return found && `"${found.opaque}"`;
}

/** The tags of a list; none of one that is not written as the standard says. */
function parseTags(list: string): { readonly isWeak: boolean; readonly opaque: string }[] {
  const text = list.replace(/^[ \t,]*/, '').trimEnd();
  const tags = [];
  let end = 0;
  for (const [whole, weak, opaque = ''] of text.matchAll(TAG_PATTERN)) {
    tags.push({ isWeak: weak !== undefined, opaque });
    end += whole.length;
  }
  return end === text.length ? tags : [];
}
