import { hash } from 'node:crypto';
import type { Actor } from '../domain/users/actor.ts';
import { Problem } from '../domain/api/problem.ts';
import type { FoundCredential, LookupTurns } from '../shares/credential-memory.ts';
import type { ActiveToken } from '../queries/accounts/access-tokens.ts';
import type { Db } from '../queries/connection/database.ts';
import { TokenMemory } from './token-memory.ts';
import type { TokenOwner } from './token-memory.ts';

export interface AuthenticatorOptions {
  readonly db: Db;
  /** Where many tokens are read that no request waits for: connections that are free for it; `db` by default. */
  readonly checks?: Db;
  readonly clock: () => Date;
  /** Milliseconds that never run backwards: the age of cached tokens. */
  readonly monotonicMs?: () => number;
  /** Turns of addresses for looking up tokens that this process has not seen; without them there is no limit. */
  readonly turns?: LookupTurns;
  /** Until when tokens may come that do not name their organization; none do unless it is given. */
  readonly olderFormatUntil?: Date | undefined;
}

export interface Authenticator {
  /**
   * Who the request acts as. A token that this process has not seen is looked up in the turn of its address. Throws the
   * problem `unauthenticated` or `invalid_token`, with WWW-Authenticate, and `organization_suspended` (403).
   */
  authenticate(authorization: string | undefined, findAddress?: () => string): Promise<Actor>;
  /**
   * Who the tokens of these actors act as, by hex digest: all are read in one statement, and remembered. Those that are unknown,
   * expired or revoked, or of a suspended partner, are left out. Rejects when the database does not answer within 2 s.
   */
  findActors(actors: readonly TokenOwner[]): Promise<ReadonlyMap<string, Actor>>;
  /** The partner of the token of a header `Authorization`, if this process has found it right within a minute: nothing is read. */
  findProvenPartner(authorization: string): string | undefined;
  /** This process has issued the token to an application of the partner: its first request waits for no turn of its address. */
  rememberIssued(tokenDigest: string, issued: FoundCredential): void;
  /** A token was revoked: its next request reads the table. To be called once the change is committed. */
  invalidateCachedToken(tokenDigest: string): void;
  /** The same for every token of a user, of an application, or of the applications that a user owns. */
  invalidateCachedTokensOf(userOrApplicationId: string): void;
}

const BEARER_PATTERN = /^bearer +(.+)$/i;

/** Checks bearer tokens (RFC 6750) through a short-lived cache: 0.6 µs against 173 µs for a read of the database. */
export function createAuthenticator({
  db,
  checks = db,
  clock,
  monotonicMs = () => performance.now(),
  turns,
  olderFormatUntil,
}: AuthenticatorOptions): Authenticator {
  const takesOlderFormat = (): boolean => olderFormatUntil !== undefined && clock() < olderFormatUntil;
  const memory = new TokenMemory({ db, checks, clock, monotonicMs, turns, takesOlderFormat });
  return {
    async authenticate(authorization, findAddress = () => 'unknown') {
      const token = BEARER_PATTERN.exec(authorization ?? '')?.[1];
      if (token === undefined) throw unauthenticatedProblem();
      const tokenDigest = hash('sha256', token, 'hex');
      const active = await memory.find({ token, tokenDigest }, findAddress);
      if (active === undefined || active.expiresAt <= clock()) throw invalidTokenProblem();
      if (active.isSuspended) throw suspendedProblem();
      return toActor(active, tokenDigest);
    },

    async findActors(actors) {
      const tokens = await memory.readTogether(actors);
      const now = clock();
      const usable = [...tokens].filter(([, token]) => token.expiresAt > now && !token.isSuspended);
      return new Map(usable.map(([digest, token]) => [digest, toActor(token, digest)]));
    },

    findProvenPartner(authorization) {
      const token = BEARER_PATTERN.exec(authorization)?.[1];
      return token === undefined ? undefined : memory.findProvenPartner(hash('sha256', token, 'hex'));
    },

    rememberIssued: (tokenDigest, issued) => memory.rememberIssued(tokenDigest, issued),
    invalidateCachedToken: (tokenDigest) => memory.forget(tokenDigest),
    invalidateCachedTokensOf: (id) => memory.forgetTokensOf(id),
  };
}

function toActor(token: ActiveToken, tokenDigest: string): Actor {
  const { orgId, partnerId, userId, applicationId, role, scope } = token;
  return { orgId, partnerId, userId, applicationId, role, scope, tokenDigest };
}

/** No credentials were sent, or of another scheme: RFC 6750, 3.1 wants no error code then. */
function unauthenticatedProblem(): Problem {
  return new Problem('unauthenticated', 'The request carries no access token.', {
    headers: { 'WWW-Authenticate': 'Bearer realm="partners"' },
  });
}

function suspendedProblem(): Problem {
  const detail =
    'The operator has suspended this partner; nothing of it can be read or changed until it is resumed.';
  return new Problem('organization_suspended', detail);
}

function invalidTokenProblem(): Problem {
  const detail = 'The access token is unknown, expired or revoked.';
  return new Problem('invalid_token', detail, {
    headers: {
      'WWW-Authenticate': `Bearer realm="partners", error="invalid_token", error_description="${detail}"`,
    },
  });
}
