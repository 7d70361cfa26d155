import type { Tx, Db } from '../connection/database.ts';

export interface FleetRequest {
  readonly org_id: string;
  readonly operation: 'create' | 'expand';
  readonly request_id: string;
  readonly fleet_id: string;
  /** SHA-256 of the canonical body. */
  readonly body_hash: Buffer;
  /** The answer, given again to every repeat. */
  readonly response: unknown;
  readonly created_at: Date;
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
export function findFleetRequest(
  db: Db | Tx,
  orgId: string,
  operation: FleetRequest['operation'],
  requestId: string,
): Promise<Pick<FleetRequest, 'fleet_id' | 'body_hash' | 'response'> | undefined> {
  return db
    .selectFrom('fleet_requests')
    .select(['fleet_id', 'body_hash', 'response'])
    .where('org_id', '=', orgId)
    .where('operation', '=', operation)
    .where('request_id', '=', requestId)
    .executeTakeFirst();
}
