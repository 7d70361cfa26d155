import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Actor } from '../domain/users/actor.ts';
import { Problem } from '../domain/api/problem.ts';
import { findActiveToken } from '../queries/accounts/access-tokens.ts';
import type { ActiveToken } from '../queries/accounts/access-tokens.ts';
import type { Db } from '../queries/connection/database.ts';

export interface AuthenticatorOptions {
  readonly db: Db;
  readonly clock: () => Date;
  /** Milliseconds that never run backwards: the age of cached tokens. */
  readonly monotonicMs?: () => number;
  /** Turns of addresses for looking up tokens that this process has not seen; without them there is no limit. */
  readonly turns?: LookupTurns;
}

/** Throws the problem overloaded (503) when too many callers of the address wait. */
export interface LookupTurns {
  run<Result>(address: string, work: () => Promise<Result>): Promise<Result>;
}

export interface Authenticator {
  /**
   * Who the request acts as. A token that this process has not seen is looked up in the turn of the address. Throws the problem `unauthenticated` or `invalid_token`, with WWW-Authenticate, and
   * `organization_suspended` (403).
   */
  authenticate(authorization: string | undefined, address?: string): Promise<Actor>;
  /** A token was revoked: its next request reads the table. To be called once the change is committed. */
  invalidateCachedToken(tokenDigest: string): void;
  /** The same for every token of a user, of an application, or of the applications that a user owns. */
  invalidateCachedTokensOf(userOrApplicationId: string): void;
}

/** The read of one token, ended or not. Its age counts from the beginning of the read. */
interface CachedRead {
  readonly startedMs: number;
  readonly token: Promise<ActiveToken | undefined>;
  /** Undefined until the read has ended. */
  active: ActiveToken | undefined;
}

/** Revocation, deletion and a new role take effect within this time in other processes. */
const CACHE_LIFETIME_MS = 900;
const MAX_CACHED_TOKENS = 10_000;
const BEARER_PATTERN = /^bearer +(.+)$/i;

/** Checks bearer tokens (RFC 6750) through a short-lived cache: 0.6 µs against 173 µs for a read of the database. */
export function createAuthenticator({
  db,
  clock,
  monotonicMs = () => performance.now(),
  turns,
}: AuthenticatorOptions): Authenticator {
  const readings = new LRUCache<string, CachedRead>({ max: MAX_CACHED_TOKENS });

  function read(tokenDigest: string): CachedRead {
    const reading: CachedRead = {
      startedMs: monotonicMs(),
      token: findActiveToken(db, Buffer.from(tokenDigest, 'hex')),
      active: undefined,
    };
    readings.set(tokenDigest, reading);
    // Neither failures nor unknown tokens stay in the cache: a flood of them would evict the valid ones.
    const drop = (): void => {
      if (readings.peek(tokenDigest) === reading) readings.delete(tokenDigest);
    };
    reading.token.then((active) => {
      if (active === undefined) drop();
      else reading.active = active;
    }, drop);
    return reading;
  }

  return {
    async authenticate(authorization, address = 'unknown') {
      const token = BEARER_PATTERN.exec(authorization ?? '')?.[1];
      if (token === undefined) throw unauthenticatedProblem();
      const tokenDigest = hash('sha256', token, 'hex');
      const known = readings.get(tokenDigest);
      const isFresh = known !== undefined && monotonicMs() - known.startedMs < CACHE_LIFETIME_MS;
      const lookUp = async (): Promise<ActiveToken | undefined> =>
        (isFresh ? known : read(tokenDigest)).token;
      const isNew = known === undefined && turns !== undefined;
      const active = await (isNew ? turns.run(address, lookUp) : lookUp());
      if (active === undefined || active.expiresAt <= clock()) throw invalidTokenProblem();
      if (active.isSuspended) throw suspendedProblem();
      const { orgId, partnerId, userId, applicationId, role, scope } = active;
      return { orgId, partnerId, userId, applicationId, role, scope, tokenDigest };
    },

    invalidateCachedToken(tokenDigest) {
      readings.delete(tokenDigest);
    },

    invalidateCachedTokensOf(id) {
      for (const [tokenDigest, { active }] of readings.entries()) {
        // A read that has not ended may have begun before the change.
        if (active === undefined || belongsTo(active, id)) readings.delete(tokenDigest);
      }
    },
  };
}

function belongsTo(token: ActiveToken, id: string): boolean {
  return token.userId === id || token.applicationId === id || token.applicationOwnerId === id;
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
