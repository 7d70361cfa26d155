import type { RequestListener } from 'node:http';
import { Registry } from 'prom-client';
import type { RateLimits } from '../config/rate-limits.ts';
import { createApp } from '../http/app.ts';
import type { AnyHandler, Locate } from '../http/pipeline.ts';
import { RateLimiter } from '../http/limits.ts';
import type { Log } from '../log/log.ts';
import { createAuthenticator } from '../oauth/authenticate.ts';
import { issueInitialPassword } from '../accounts/bootstrap.ts';
import { authorizationServerMetadata } from '../oauth/metadata.ts';
import { createTokenEndpoint } from '../oauth/token-endpoint.ts';
import type { Handler } from '../contract/handlers.ts';
import type { OpenContext, Services } from '../operations/context.ts';
import { handlers, judges, locators } from '../operations/handlers.ts';
import { createConsent } from '../portal/consent.ts';
import { createPortal } from '../portal/portal.ts';
import { createReference } from '../reference/reference.ts';
import { isUnavailable, violatedConstraint } from '../queries/connection/database.ts';
import type { Db } from '../queries/connection/database.ts';
import { isReachable } from '../queries/accounts/organizations.ts';
import { useQuota } from '../queries/accounts/rate-limits.ts';

/** Ten hours, as the specification says is typical. */
const ACCESS_TOKEN_SECONDS = 36_000;

export interface ApiParts {
  readonly db: Db;
  /** Made once the authenticator is there, which has to forget tokens of changed users. */
  readonly services: (forgetTokensOf: Services['forgetTokensOf']) => Services;
  readonly clock: () => Date;
  readonly rateLimits: RateLimits;
  readonly trustedProxies: readonly string[];
  readonly log: Log;
  readonly registry?: Registry;
  /** Why the process cannot serve now, beside a database that does not answer. */
  readonly notReadyBecause: () => Promise<string | undefined>;
}

/** Binds operations, token endpoints and pages to the HTTP surface. */
export function composeApi(parts: ApiParts): RequestListener {
  const { db, clock, log } = parts;
  const authenticator = createAuthenticator({ db, clock });
  const services = parts.services((id) => authenticator.forgetTokensOf(id));
  const { baseUrl } = services;
  const getAuthorizationServerMetadata: Handler<OpenContext, 'getAuthorizationServerMetadata'> = () =>
    Promise.resolve({ status: 200, body: authorizationServerMetadata(baseUrl) });
  const tokens = createTokenEndpoint({
    db,
    clock,
    forgetToken: (token) => authenticator.forgetToken(token),
    settings: { accessTokenSeconds: ACCESS_TOKEN_SECONDS },
  });
  const limiter = new RateLimiter(
    parts.rateLimits,
    (policy, subject, { quota, windowSeconds }) =>
      useQuota(db, policy, subject, quota, windowSeconds, clock()),
    () => clock().getTime(),
  );
  return createApp({
    services,
    limiter,
    clock,
    log,
    baseUrl,
    isUnavailable,
    isOrganizationGone: (error) => violatedConstraint(error)?.endsWith('_org_fkey') === true,
    locators: locators as unknown as Readonly<Record<string, Locate>>,
    judges,
    trustedProxies: parts.trustedProxies,
    registry: parts.registry ?? new Registry(),
    notReadyBecause: parts.notReadyBecause,
    authenticate: (authorization) => authenticator.authenticate(authorization),
    // The partner's admin and staff keep their roles in its simulation organizations; its users have none there.
    reaches: async (actor, orgId) => actor.role !== 'user' && (await isReachable(db, actor.orgId, orgId)),
    // The typed map has bound each operation to the document; the pipeline hands over what the document has checked.
    handlers: { ...handlers, getAuthorizationServerMetadata } as unknown as Readonly<
      Record<string, AnyHandler>
    >,
    oauth: {
      issueToken: (request) => tokens.issue(request),
      issueTokenAtRoot: (request) => tokens.issue(request),
      revokeToken: (request) => tokens.revoke(request),
    },
    pages: pagesOf(services, parts, limiter),
  });
}

function pagesOf(
  services: Services,
  { clock, log }: ApiParts,
  limiter: RateLimiter,
): Parameters<typeof createApp>[0]['pages'] {
  const { db, baseUrl, linkKey } = services;
  return [
    createConsent({ db, clock, linkKey, log }),
    createPortal({
      db,
      clock,
      baseUrl,
      log,
      issueInitialPassword,
      forgetTokensOf: services.forgetTokensOf,
      throttle: (policy, subject) => limiter.allow(policy, subject),
    }),
    createReference({ baseUrl }),
  ];
}
