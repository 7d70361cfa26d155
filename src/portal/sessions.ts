import { randomBytes } from 'node:crypto';
import type { Request } from 'express';
import { sha256Digest } from '../domain/security/credentials.ts';
import type { AccountKey } from '../queries/accounts/accounts.ts';
import type { Db } from '../queries/connection/database.ts';
import { findPortalSession, insertPortalSession } from '../queries/accounts/portal-sessions.ts';
import type { PortalSession } from '../queries/accounts/portal-sessions.ts';
import type { PortalCookies } from './cookies.ts';
import { HOUR_MS } from '../domain/api/durations.ts';

export const SESSION_LIFETIME_MS = 8 * HOUR_MS;

/** 256 random bits, base64url: a session's cookie or a form's CSRF token. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Writes a new session and returns the value for its cookie, of which only the SHA-256 is stored. */
export async function beginSession(db: Db, person: AccountKey, now: Date): Promise<string> {
  const value = newToken();
  await insertPortalSession(db, {
    orgId: person.orgId,
    userId: person.userId,
    sessionHash: sha256Digest(value),
    csrfSecret: newToken(),
    createdAt: now,
    expiresAt: new Date(now.getTime() + SESSION_LIFETIME_MS),
  });
  return value;
}

export async function currentSession(
  db: Db,
  cookies: PortalCookies,
  request: Request,
  now: Date,
): Promise<PortalSession | undefined> {
  const value = cookies.session(request);
  return value === undefined ? undefined : findPortalSession(db, sha256Digest(value), now);
}
