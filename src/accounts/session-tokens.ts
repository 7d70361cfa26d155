import { MINUTE_MS } from '../domain/api/durations.ts';
import { newAccessToken, sha256Digest } from '../domain/security/credentials.ts';
import type { Db } from '../queries/connection/database.ts';
import { deleteSessionTokensBeyond, insertSessionToken } from '../queries/accounts/session-tokens.ts';

/** A token of a portal session lasts so long. */
const LIFETIME_MS = 15 * MINUTE_MS;
/** Tokens of a session that work at the same time: those of pages that are open beside each other. */
const MAX_TOKENS = 4;

export interface IssuedSessionToken {
  readonly token: string;
  readonly expiresAt: Date;
}

/**
 * An access token that acts as the person of a portal session, with the person's role, and ends with the session; of more than four
 * of a session the oldest ends. Only its digest is stored. Undefined when the organization's session with this cookie's value has ended.
 */
export async function issueSessionToken(
  db: Db,
  session: { readonly orgId: string; readonly token: string },
  now: Date,
): Promise<IssuedSessionToken | undefined> {
  const { orgId } = session;
  const token = newAccessToken(orgId);
  const key = { orgId, sessionHash: sha256Digest(session.token) };
  const mostExpiresAt = new Date(now.getTime() + LIFETIME_MS);
  const row = { tokenHash: sha256Digest(token), session: key, createdAt: now, mostExpiresAt };
  return db.transaction().execute(async (tx) => {
    const stored = await insertSessionToken(tx, row);
    if (stored === undefined) return undefined;
    await deleteSessionTokensBeyond(tx, key, MAX_TOKENS);
    return { token, expiresAt: stored.expiresAt };
  });
}
