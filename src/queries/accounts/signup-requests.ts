import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Db } from '../connection/database.ts';

/** A stored request to join. It belongs to no organization yet. */
export interface SignupRequest {
  readonly id: string;
  readonly email: string;
  readonly url: string;
  readonly inviteToken: string;
  readonly createdAt: Date;
}

export type NewSignupRequest = Omit<SignupRequest, 'id' | 'createdAt'>;

/** Where a further page begins: after the last entry of the page before. */
export type SignupRequestCursor = Pick<SignupRequest, 'id' | 'createdAt'>;

/** Stores a request to join. */
export async function insertSignupRequest(db: Db, request: NewSignupRequest, now: Date): Promise<void> {
  await db
    .insertInto('signup_requests')
    .values({
      id: randomUUID(),
      email: request.email,
      url: request.url,
      invite_token: request.inviteToken,
      created_at: now,
    })
    .execute();
}

/** Newest first, at most `limit`, from behind `after`. */
export async function listSignupRequests(
  db: Db,
  limit: number,
  after?: SignupRequestCursor,
): Promise<SignupRequest[]> {
  let query = db.selectFrom('signup_requests').select(['id', 'email', 'url', 'invite_token', 'created_at']);
  if (after !== undefined) {
    query = query.where((eb) =>
      eb(eb.refTuple('created_at', 'id'), '<', eb.tuple(after.createdAt, after.id)),
    );
  }
  const rows = await query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute();
  return rows.map((row) => ({
    id: row.id,
    email: row.email,
    url: row.url,
    inviteToken: row.invite_token,
    createdAt: row.created_at,
  }));
}

/**
 * Deletes at most `limit` requests that came before `instant` or that are older than the newest `kept` ones; resolves
 * to their number.
 */
export async function deleteOldSignupRequests(
  db: Db,
  instant: Date,
  kept: number,
  limit: number,
): Promise<number> {
  const result = await sql`
    delete from signup_requests where id in (
      (select id from signup_requests order by created_at desc, id desc offset ${kept} limit ${limit})
      union all (select id from signup_requests where created_at < ${instant} limit ${limit})
      limit ${limit})
  `.execute(db);
  return Number(result.numAffectedRows ?? 0);
}
