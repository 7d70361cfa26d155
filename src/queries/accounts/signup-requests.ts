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
 * The newest request that is older than the newest `kept` ones; undefined when there are no more than these. All that are kept are
 * walked over, so it is asked once for many batches.
 */
export async function findSignupRequestBeyond(
  db: Db,
  kept: number,
): Promise<SignupRequestCursor | undefined> {
  return db
    .selectFrom('signup_requests')
    .select(['created_at as createdAt', 'id'])
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .offset(kept)
    .limit(1)
    .executeTakeFirst();
}

/**
 * Deletes at most `limit` requests, the oldest ones, that came before `instant`, or up to `last` and with it where that is later;
 * resolves to their number. Rows that somebody has locked are passed over.
 */
export async function deleteOldSignupRequests(
  db: Db,
  instant: Date,
  last: SignupRequestCursor | undefined,
  limit: number,
): Promise<number> {
  const isOld =
    last === undefined || last.createdAt < instant
      ? sql`created_at < ${instant}`
      : sql`(created_at, id) <= (${last.createdAt}, ${last.id}::uuid)`;
  const { numAffectedRows } = await sql`
    delete from signup_requests where id in (
      select id from signup_requests where ${isOld} order by created_at, id limit ${limit} for update skip locked)
  `.execute(db);
  return Number(numAffectedRows ?? 0);
}
