import { sql } from 'kysely';
import type { Tx } from '../connection/database.ts';
import type { SessionKey } from './portal-sessions.ts';

export interface NewSessionToken {
  /** `sha256Digest(token)` of domain/security/credentials.ts. */
  readonly tokenHash: Buffer;
  readonly session: SessionKey;
  readonly createdAt: Date;
  /** It expires no later than its session. */
  readonly mostExpiresAt: Date;
}

/** Whose token it is, and when it expires. */
export interface SessionToken {
  readonly orgId: string;
  readonly userId: string;
  readonly expiresAt: Date;
}

/** Stores a token of a portal session, which it locks; undefined when the session has ended. */
export async function insertSessionToken(tx: Tx, token: NewSessionToken): Promise<SessionToken | undefined> {
  const { orgId, sessionHash } = token.session;
  const { rows } = await sql<SessionToken>`
    insert into access_tokens (token_hash, org_id, user_id, session_hash, grant_type, scope, created_at, expires_at)
    select ${token.tokenHash}::bytea, org_id, user_id, session_hash, 'session', 'read write', ${token.createdAt}::timestamptz,
      least(expires_at, ${token.mostExpiresAt}::timestamptz)
    from portal_sessions
    where org_id = ${orgId} and session_hash = ${sessionHash} and expires_at > ${token.createdAt}::timestamptz for update
    returning org_id as "orgId", user_id as "userId", expires_at as "expiresAt"
  `.execute(tx);
  return rows[0];
}

/** Ends all but the newest tokens of a portal session. */
export async function deleteSessionTokensBeyond(
  tx: Tx,
  { orgId, sessionHash }: SessionKey,
  kept: number,
): Promise<void> {
  await sql`
    delete from access_tokens where org_id = ${orgId} and token_hash in (
      select token_hash from access_tokens where org_id = ${orgId} and session_hash = ${sessionHash}
      order by created_at desc, token_hash offset ${sql.lit(kept)})
  `.execute(tx);
}
