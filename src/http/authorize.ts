import type { Request, Response } from 'express';
import type { OperationId, Route, SecuredOperationId } from '../../generated/routes.ts';
import { Problem } from '../domain/api/problem.ts';
import { addressSubject, toCountedAddress } from '../domain/security/quota-subjects.ts';
import type { QuotaSubject } from '../domain/security/quota-subjects.ts';
import type { Actor } from '../domain/users/actor.ts';
import { ROLE_TABLE } from '../domain/users/roles.ts';
import { setOwner } from './known-callers.ts';
import { OPERATION_POLICIES } from './rate-limiter.ts';
import type { QuotaUse, RateLimiter } from './rate-limiter.ts';

export interface AuthorizationOptions {
  readonly limiter: RateLimiter;
  /**
   * Who the header `Authorization` stands for; callers whose token is not known yet take turns by address. Throws the problem
   * unauthenticated or invalid_token (401), organization_suspended (403), overloaded (503).
   */
  readonly authenticate: (authorization: string | undefined, findAddress?: () => string) => Promise<Actor>;
  /** From now on the request takes from this partner's share of the database. */
  readonly assignToPartner: (partnerId: string) => void;
  /** Whether the actor's organization reaches another one (a simulation organization of its fleets). */
  readonly isOrganizationReachable: (actor: Actor, orgId: string) => Promise<boolean>;
}

/**
 * Counts a request without a token by its address: against the default policy, and the operation's own if it has one.
 * @throws Problem quota_exceeded (429).
 */
export async function countByAddress(
  limiter: RateLimiter,
  response: Response,
  id: OperationId | undefined,
  address: string | undefined,
): Promise<void> {
  const subject = addressSubject(address);
  await limiter.countRequest(response, [{ policy: 'default', subject }, ...listOperationUses(id, subject)]);
}

/** Counts a request with a token: by the token, and by its partner, whose applications share one quota. */
async function countByActor(
  limiter: RateLimiter,
  response: Response,
  id: SecuredOperationId,
  { tokenDigest, partnerId }: Actor,
): Promise<void> {
  const partner: QuotaSubject = `partner ${partnerId}`;
  await limiter.countRequest(response, [
    { policy: 'default', subject: `token ${tokenDigest}` },
    { policy: 'partner', subject: partner },
    ...listOperationUses(id, partner),
  ]);
}

function listOperationUses(id: OperationId | undefined, subject: QuotaSubject): readonly QuotaUse[] {
  const policy = id === undefined ? undefined : OPERATION_POLICIES[id];
  return policy === undefined ? [] : [{ policy, subject }];
}

/**
 * Who calls, when the quotas of the token and of its partner allow it. A caller without a valid token is counted by address.
 * @throws Problem unauthenticated or invalid_token (401), quota_exceeded (429).
 */
export async function authenticateWithinQuota(
  id: SecuredOperationId,
  { authenticate, assignToPartner, limiter }: AuthorizationOptions,
  request: Request,
  response: Response,
): Promise<Actor> {
  // Reading addresses behind proxies takes longer than finding a token that is known.
  const findAddress = (): string => toCountedAddress(request.ip);
  const actor = await authenticate(request.get('authorization'), findAddress).catch(
    async (error: unknown) => {
      if (error instanceof Problem) await countByAddress(limiter, response, undefined, request.ip);
      throw error;
    },
  );
  assignToPartner(actor.partnerId);
  const { orgId, userId, applicationId } = actor;
  setOwner(response, { orgId, userId, applicationId, operation: id });
  await countByActor(limiter, response, id, actor);
  return actor;
}

/**
 * The caller once more, behind a body that may have taken half a minute: what has ended meanwhile changes nothing. A token that was read
 * less than a second ago costs next to nothing.
 * @throws Problem invalid_token (401), organization_suspended (403).
 */
export function authenticateAgain(
  { authenticate }: Pick<AuthorizationOptions, 'authenticate'>,
  request: Request,
): Promise<Actor> {
  return authenticate(request.get('authorization'), () => toCountedAddress(request.ip));
}

/**
 * The organization that a request is about: that of the path, or the token's own where the path has none.
 * @throws Problem organization_forbidden, role_forbidden or insufficient_scope (403; RFC 6750, 3.1).
 */
export async function authorizeRequest(
  route: Route,
  id: SecuredOperationId,
  { isOrganizationReachable }: AuthorizationOptions,
  actor: Actor,
  pathOrgId: string | undefined,
): Promise<string> {
  const orgId = pathOrgId ?? actor.orgId;
  if (orgId !== actor.orgId && !(await isOrganizationReachable(actor, orgId))) {
    throw new Problem('organization_forbidden', 'The access token gives no access to this organization.');
  }
  if (ROLE_TABLE[id][actor.role] === 'none') {
    throw new Problem('role_forbidden', `The role ${actor.role} may not call ${id}.`);
  }
  if (route.method !== 'get' && !actor.scope.split(' ').includes('write')) {
    const challenge = 'Bearer realm="partners", error="insufficient_scope", scope="read write"';
    throw new Problem(
      'insufficient_scope',
      'The token has the scope "read" and may only read; request one with "read write".',
      { headers: { 'WWW-Authenticate': challenge } },
    );
  }
  return orgId;
}
