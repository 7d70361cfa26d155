import { createHash } from 'node:crypto';
import { validationProblem } from '../domain/api/problem.ts';
import type { Tx } from '../queries/connection/database.ts';
import { findFleetRequest, insertFleetRequest } from '../queries/fleets/fleet-requests.ts';
import type { FleetRequest } from '../queries/fleets/fleet-requests.ts';
import type { FleetRecord } from '../presenters/fleets.ts';

/**
 * Takes the request_id for this body and answers undefined; or, when it was taken before, answers what was answered
 * then. 422 when it was taken for another body.
 */
export async function claimRequestId(tx: Tx, request: FleetRequest): Promise<FleetRecord | undefined> {
  if (await insertFleetRequest(tx, request)) return undefined;
  const first = await findFleetRequest(tx, request.org_id, request.operation, request.request_id);
  return replayFirstAnswer(first, request.body_hash);
}

/** The first answer to a repeat with the same body; 422 with another one. */
export function replayFirstAnswer(
  first: Pick<FleetRequest, 'body_hash' | 'response'> | undefined,
  bodyHash: Buffer,
): FleetRecord {
  if (first?.body_hash.equals(bodyHash) !== true) {
    const detail = 'This request_id was used before, with another body; make a new one for a new request.';
    throw validationProblem([{ pointer: '/request_id', code: 'request_id_reused', detail }]);
  }
  return first.response as FleetRecord;
}

/** SHA-256 of a canonical body. */
export function hashRequestBody(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
