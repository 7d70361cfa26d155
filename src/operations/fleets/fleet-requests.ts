/** One fleet, expansion or event for each request_id, however often the request is sent. */
import { createHash } from 'node:crypto';
import { requireStoredWithinQuota } from '../../accounts/quotas.ts';
import type { QuotaScope } from '../../accounts/quotas.ts';
import { Problem, validationProblem } from '../../domain/api/problem.ts';
import type { Tx } from '../../queries/connection/database.ts';
import { findFleetRequest, insertFleetRequest } from '../../queries/fleets/fleet-requests.ts';
import type { FleetRequest, UsedRequest } from '../../queries/fleets/fleet-requests.ts';

/**
 * Claims the request_id for this body and returns undefined; or, when it was claimed before, returns the first answer.
 * Throws a validation problem (`request_id_reused`) when it was claimed for another body, 410 `request_purged` when its
 * fleet was purged, 422 `quota_reached` when the partner has used as many as it may.
 */
export async function claimRequestId<Answer>(
  tx: Tx,
  scope: QuotaScope,
  request: FleetRequest<Answer>,
): Promise<Answer | undefined> {
  if (await insertFleetRequest(tx, request)) {
    await requireStoredWithinQuota(tx, scope, 'fleet_requests');
    return undefined;
  }
  const first = await findFleetRequest(tx, request.org_id, request.operation, request.request_id);
  return requireFirstAnswer(first, request.body_hash) as Answer;
}

/**
 * The first answer to a repeat with the same body; a validation problem (`request_id_reused`) with another one, 410
 * `request_purged` when the fleet is gone.
 */
export function requireFirstAnswer(
  first: Pick<UsedRequest, 'body_hash' | 'response' | 'has_fleet'> | undefined,
  bodyHash: Buffer,
): unknown {
  if (first?.body_hash.equals(bodyHash) !== true) {
    const detail = 'This request_id was used before, with another body; make a new one for a new request.';
    throw validationProblem([{ pointer: '/request_id', code: 'request_id_reused', detail }]);
  }
  if (!first.has_fleet) {
    throw new Problem(
      'request_purged',
      'The fleet of this request_id was purged; send a new request_id to make another one.',
    );
  }
  return first.response;
}

/** SHA-256 of the canonical text of a body, or of the pieces of its bytes. */
export function hashRequestBody(...parts: readonly (string | Uint8Array)[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}
