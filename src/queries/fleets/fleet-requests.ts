import { sql } from 'kysely';
import type { Tx, Db } from '../connection/database.ts';
import { deleteBatch } from '../connection/delete-batch.ts';
import type { Fleet } from './fleets.ts';

export interface FleetRequest<Answer = unknown> {
  readonly org_id: string;
  readonly operation: 'create' | 'expand' | 'event';
  readonly request_id: string;
  readonly fleet_id: string;
  /** SHA-256 of the canonical body. */
  readonly body_hash: Buffer;
  /** The answer, given again to every repeat. */
  readonly response: Answer;
  readonly created_at: Date;
  /** When it may be forgotten; null for a creation while its fleet is there. */
  readonly forget_at: Date | null;
}

/** What a request_id was used for. */
export interface UsedRequest extends Pick<FleetRequest, 'fleet_id' | 'body_hash' | 'response'> {
  /** False when the fleet was purged. */
  readonly has_fleet: boolean;
}

/**
 * Takes a request_id; false when it is taken. While another transaction is taking the same one, waits for its end.
 */
export async function insertFleetRequest(tx: Tx, request: FleetRequest): Promise<boolean> {
  const row = await tx
    .insertInto('fleet_requests')
    .values({ ...request, response: JSON.stringify(request.response) })
    .onConflict((conflict) => conflict.columns(['org_id', 'operation', 'request_id']).doNothing())
    .returning('request_id')
    .executeTakeFirst();
  return row !== undefined;
}

/** What a request_id was used for, and its answer; undefined when it is unused. */
export async function findFleetRequest(
  db: Db | Tx,
  orgId: string,
  operation: FleetRequest['operation'],
  requestId: string,
): Promise<UsedRequest | undefined> {
  const request = await db
    .selectFrom('fleet_requests')
    .select(['fleet_id', 'body_hash', 'response'])
    .where('org_id', '=', orgId)
    .where('operation', '=', operation)
    .where('request_id', '=', requestId)
    .executeTakeFirst();
  if (request === undefined) return undefined;
  const fleet = await db
    .selectFrom('fleets')
    .select('id')
    .where('org_id', '=', orgId)
    .where('id', '=', request.fleet_id)
    .executeTakeFirst();
  return { ...request, has_fleet: fleet !== undefined };
}

/** The request_id with which a fleet was created, which is purged now, may be forgotten from `forgetAt` on; others have their time. */
export async function scheduleCreationToForget(
  tx: Tx,
  fleet: Pick<Fleet, 'org_id' | 'request_id'>,
  forgetAt: Date,
): Promise<void> {
  await tx
    .updateTable('fleet_requests')
    .set({ forget_at: forgetAt })
    .where('org_id', '=', fleet.org_id)
    .where('operation', '=', 'create')
    .where('request_id', '=', fleet.request_id)
    .execute();
}

/** Deletes at most `limit` requests that may be forgotten, for the longest time first; the number deleted. */
export function deleteForgettableRequests(db: Db, now: Date, limit: number): Promise<number> {
  return deleteBatch(db, 'fleet_requests', sql`where forget_at <= ${now} order by forget_at`, limit);
}
