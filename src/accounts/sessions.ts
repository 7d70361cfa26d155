import { randomBytes } from 'node:crypto';
import { HOUR_MS } from '../domain/api/durations.ts';
import { sha256Digest } from '../domain/security/credentials.ts';
import type { AccountKey } from '../queries/accounts/accounts.ts';
import type { Db } from '../queries/connection/database.ts';
import {
  deleteExpiredPortalSessions,
  deletePortalSession,
  findPortalSession,
  insertPortalSession,
} from '../queries/accounts/portal-sessions.ts';
import type { PortalSession } from '../queries/accounts/portal-sessions.ts';

export type { PortalSession } from '../queries/accounts/portal-sessions.ts';
export type { Db as AccountsDatabase } from '../queries/connection/database.ts';

/** A portal session lasts eight hours, whether it is used or not. */
export const SESSION_LIFETIME_MS = 8 * HOUR_MS;

/** 256 random bits in base64url (43 characters): the value of a session cookie, or a form's CSRF token. */
export function newSessionToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Stores a new session of a person and resolves to its cookie's value, of which only the SHA-256 is stored. */
export async function createSession(db: Db, person: AccountKey, now: Date): Promise<string> {
  const token = newSessionToken();
  await insertPortalSession(db, {
    orgId: person.orgId,
    userId: person.userId,
    sessionHash: sha256Digest(token),
    csrfSecret: newSessionToken(),
    createdAt: now,
    expiresAt: new Date(now.getTime() + SESSION_LIFETIME_MS),
  });
  return token;
}

/**
 * The session of somebody who has just signed in: ends the session that the browser had before, deletes expired
 * sessions of everybody, and resolves to the new cookie's value.
 */
export async function replaceSession(
  db: Db,
  person: AccountKey,
  previousToken: string | undefined,
  now: Date,
): Promise<string> {
  if (previousToken !== undefined) await endSession(db, previousToken);
  await deleteExpiredPortalSessions(db, now);
  return createSession(db, person, now);
}

/** The session with this cookie value; undefined when it is unknown or expired, or its user is deleted. */
export async function findSession(db: Db, token: string, now: Date): Promise<PortalSession | undefined> {
  return findPortalSession(db, sha256Digest(token), now);
}

/** Ends the session with this cookie value, if there is one. */
export async function endSession(db: Db, token: string): Promise<void> {
  await deletePortalSession(db, sha256Digest(token));
}
