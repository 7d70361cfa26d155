import { sql } from 'kysely';
import type { InferResult } from 'kysely';
import type { Account, AccountKey } from './accounts.ts';
import type { Db, Tx } from '../connection/database.ts';
import { deleteBatch } from '../connection/delete-batch.ts';
import { prepare } from '../connection/prepared.ts';

export interface SessionKey {
  readonly orgId: string;
  /** SHA-256 of the cookie's value. */
  readonly sessionHash: Buffer;
}

export interface NewPortalSession extends SessionKey, AccountKey {
  readonly csrfSecret: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** A session as stored, without the person. */
export interface SessionTimes {
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** A valid session with the person that it belongs to, both as they are now. */
export interface PortalSession extends Account {
  readonly orgName: string;
  /** The root organization: `orgId` itself or its parent. */
  readonly partnerId: string;
  /** The operator has suspended the partner: the session rests until it is resumed. */
  readonly isSuspended: boolean;
  readonly csrfSecret: string;
  readonly times: SessionTimes;
}

/** Stores a new session of a person. */
export async function insertPortalSession(db: Db, session: NewPortalSession): Promise<void> {
  await db
    .insertInto('portal_sessions')
    .values({
      session_hash: session.sessionHash,
      org_id: session.orgId,
      user_id: session.userId,
      csrf_secret: session.csrfSecret,
      created_at: session.createdAt,
      expires_at: session.expiresAt,
    })
    .execute();
}

/** Undefined when the session is unknown or over, or its user is deleted. */
export async function findPortalSession(
  db: Db,
  key: SessionKey,
  now: Date,
): Promise<PortalSession | undefined> {
  const [row] = await selectSession(db, { ...key, now });
  return toPortalSession(row);
}

/** The same by the digest alone, for cookies that do not name their organization. */
export async function findPortalSessionOfOlderFormat(
  db: Db,
  sessionHash: Buffer,
  now: Date,
): Promise<PortalSession | undefined> {
  const [row] = await selectSessionOfOlderFormat(db, { sessionHash, now });
  return toPortalSession(row);
}

function toPortalSession(row: SessionRow | undefined): PortalSession | undefined {
  if (row === undefined || row.username === null) return undefined;
  return {
    orgId: row.org_id,
    orgName: row.org_name,
    partnerId: row.parent_org_id ?? row.org_id,
    isSuspended: row.suspended_at !== null,
    userId: row.user_id,
    csrfSecret: row.csrf_secret,
    email: row.email,
    username: row.username,
    role: row.role,
    passwordChangeRequired: row.password_change_required,
    initialPasswordExpiresAt: row.initial_password_expires_at,
    times: { createdAt: row.created_at, expiresAt: row.expires_at },
  };
}

function selectSessions(db: Db) {
  return db
    .selectFrom('portal_sessions as session')
    .innerJoin('users as person', (join) =>
      join.onRef('person.org_id', '=', 'session.org_id').onRef('person.id', '=', 'session.user_id'),
    )
    .innerJoin('organizations as organization', 'organization.id', 'session.org_id')
    .leftJoin('organizations as parent', 'parent.id', 'organization.parent_org_id')
    .select((eb) => [
      eb.fn.coalesce('parent.suspended_at', 'organization.suspended_at').as('suspended_at'),
      'session.org_id',
      'organization.name as org_name',
      'organization.parent_org_id',
      'session.user_id',
      'session.csrf_secret',
      'person.email',
      'person.username',
      'person.role',
      'person.password_change_required',
      'person.initial_password_expires_at',
      'session.created_at',
      'session.expires_at',
    ])
    .where('person.deleted_at', 'is', null);
}

type SessionRow = InferResult<ReturnType<typeof selectSessions>>[number];

const selectSession = prepare((db, { orgId, sessionHash, now }: SessionKey & { readonly now: Date }) =>
  selectSessions(db)
    .where('session.org_id', '=', orgId)
    .where('session.session_hash', '=', sessionHash)
    .where('session.expires_at', '>', now),
);

const selectSessionOfOlderFormat = prepare(
  (db, { sessionHash, now }: Pick<SessionKey, 'sessionHash'> & { readonly now: Date }) =>
    selectSessions(db).where('session.session_hash', '=', sessionHash).where('session.expires_at', '>', now),
);

/** A session that is used lasts longer. */
export async function updatePortalSessionEnd(
  db: Db,
  { orgId, sessionHash }: SessionKey,
  expiresAt: Date,
): Promise<void> {
  await db
    .updateTable('portal_sessions')
    .set({ expires_at: expiresAt })
    .where('org_id', '=', orgId)
    .where('session_hash', '=', sessionHash)
    .execute();
}

/** Ends the session, if there is one. */
export async function deletePortalSession(db: Db, { orgId, sessionHash }: SessionKey): Promise<void> {
  await db
    .deleteFrom('portal_sessions')
    .where('org_id', '=', orgId)
    .where('session_hash', '=', sessionHash)
    .execute();
}

/** Joins the transaction that changes the password: no session outlives the password it began with. */
export async function deletePortalSessionsOfUser(tx: Tx, key: AccountKey): Promise<void> {
  await tx
    .deleteFrom('portal_sessions')
    .where('org_id', '=', key.orgId)
    .where('user_id', '=', key.userId)
    .execute();
}

/** Joins the transaction that begins a session: of more than `kept` sessions of a person, those go that end first. */
export async function deletePortalSessionsBeyond(tx: Tx, key: AccountKey, kept: number): Promise<void> {
  const { orgId, userId } = key;
  await sql`
    delete from portal_sessions where org_id = ${orgId} and session_hash in (
      select session_hash from portal_sessions where org_id = ${orgId} and session_hash in (
        select session_hash from portal_sessions where org_id = ${orgId} and user_id = ${userId}
        order by expires_at desc, session_hash offset ${sql.lit(kept)})
      order by session_hash for update)
  `.execute(tx);
}

/** Deletes at most `limit` sessions that expired before `instant`; resolves to their number. */
export async function deletePortalSessionsExpiredBefore(
  db: Db,
  instant: Date,
  limit: number,
): Promise<number> {
  return deleteBatch(db, 'portal_sessions', sql`where expires_at < ${instant} order by expires_at`, limit);
}
