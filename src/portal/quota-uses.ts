import { Problem } from '../domain/api/problem.ts';
import { PROBLEMS } from '../../generated/problems.ts';
import type { PortalContext, PortalResponse } from './context.ts';
import { getSession } from './context.ts';

/**
 * Counts a use of a partner's policy, as the API does before the same operation.
 * @throws Problem quota_exceeded.
 */
export async function requireUse(
  { countUse }: PortalContext,
  response: PortalResponse,
  policy: 'webhook_test' | 'broadcast',
): Promise<void> {
  const { isAllowed, retryAfterSeconds } = await countUse(
    policy,
    `partner ${getSession(response).partnerId}`,
  );
  if (isAllowed) return;
  const headers = { 'Retry-After': String(retryAfterSeconds) };
  throw new Problem('quota_exceeded', PROBLEMS.quota_exceeded.detail, { headers });
}
