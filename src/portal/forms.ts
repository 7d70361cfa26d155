import express from 'express';
import type { Request } from 'express';
import { sha256Digest, matchesDigest } from '../domain/security/credentials.ts';

/** Messages by field name; empty when the form is in order. */
export type FieldMessages = Readonly<Record<string, string>>;

/** Reads form bodies of at most 32 kB and 50 fields into `request.body`. */
export const parseFormBody = express.urlencoded({ extended: false, limit: '32kb', parameterLimit: 50 });

/**
 * A field of the form as it was typed; empty when absent or sent twice. NUL characters, which PostgreSQL text
 * cannot store, are dropped.
 */
export function readFormField(request: Request, name: string): string {
  const value = (request.body as Readonly<Record<string, unknown>> | undefined)?.[name];
  return typeof value === 'string' ? value.replaceAll('\0', '') : '';
}

/** A parameter of the query, NUL characters dropped; undefined when absent. Independent of the app's query parser. */
export function readQueryParameter(request: Request, name: string): string | undefined {
  const at = request.originalUrl.indexOf('?');
  if (at === -1) return undefined;
  return new URLSearchParams(request.originalUrl.slice(at)).get(name)?.replaceAll('\0', '');
}

/** Whether the form has the CSRF token that was put into it; compared in constant time. */
export function hasCsrfToken(request: Request, expected: string | undefined): boolean {
  return (
    expected !== undefined && matchesDigest(readFormField(request, 'csrf_token'), sha256Digest(expected))
  );
}

/**
 * `next` as a path of this service, undefined for anything that a browser could read as an address elsewhere:
 * `//host`, `/\host`, control characters, other schemes.
 */
export function toLocalPath(next: string | undefined, baseUrl: string): string | undefined {
  if (next === undefined || !/^\/(?![/\\])/.test(next) || /[\\\u0000-\u001f\u007f]/.test(next))
    return undefined;
  if (!URL.canParse(next, baseUrl)) return undefined;
  const target = new URL(next, baseUrl);
  // `/..//host` becomes `//host` only here.
  const isLocal = target.origin === new URL(baseUrl).origin && !target.pathname.startsWith('//');
  return isLocal ? `${target.pathname}${target.search}` : undefined;
}
