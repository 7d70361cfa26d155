import { randomUUID } from 'node:crypto';
import type { LoggedRequest } from '../../src/domain/requests/logged-request.ts';

/** A request that succeeded, as the log keeps it, but for `fields`. */
export function loggedRequest(orgId: string, fields: Partial<LoggedRequest> = {}): LoggedRequest {
  return {
    orgId,
    sentAt: new Date('2026-06-15T12:00:00.000Z'),
    id: randomUUID(),
    requestId: randomUUID(),
    operation: 'getUser',
    method: 'GET',
    path: `/api/partners/v2.0/org/${orgId}/users/…`,
    status: 200,
    durationMs: 3,
    userId: null,
    applicationId: null,
    code: null,
    errors: null,
    body: null,
    ...fields,
  };
}
