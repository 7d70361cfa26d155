import { LRUCache } from 'lru-cache';
import { CredentialMemory } from '../shares/credential-memory.ts';
import type { FoundCredential, LookupTurns } from '../shares/credential-memory.ts';
import { readOrganizationId } from '../domain/security/credentials.ts';
import type { Actor } from '../domain/users/actor.ts';
import {
  findActiveToken,
  findActiveTokenOfOlderFormat,
  findActiveTokens,
} from '../queries/accounts/access-tokens.ts';
import type { ActiveToken } from '../queries/accounts/access-tokens.ts';
import type { Db } from '../queries/connection/database.ts';
import { assignRequestToPartner, runWithin } from '../queries/connection/request-scope.ts';

/** Revocation, deletion and a new role take effect within this time in other processes. */
const CACHE_LIFETIME_MS = 900;
const MAX_CACHED_TOKENS = 10_000;
/** All that a read of many tokens may wait for the database. */
const READ_TOGETHER_MS = 2_000;

/** The read of one token, ended or not. Its age counts from the beginning of the read. */
interface CachedRead {
  readonly startedMs: number;
  readonly token: Promise<ActiveToken | undefined>;
  /** Undefined until the read has ended. */
  active: ActiveToken | undefined;
}

/** A token as it was presented, and its hex SHA-256. */
interface PresentedToken {
  readonly token: string;
  readonly tokenDigest: string;
}

/** Whose token it was when it was found. */
export type TokenOwner = Pick<Actor, 'orgId' | 'tokenDigest'>;

export interface TokenMemoryOptions {
  readonly db: Db;
  /** Where many tokens are read that no request waits for: connections that are free for it. */
  readonly checks: Db;
  readonly clock: () => Date;
  /** Milliseconds that never run backwards. */
  readonly monotonicMs: () => number;
  /** Unknown tokens that are remembered; beyond them those that were used longest ago are forgotten. */
  readonly maxUnknown?: number;
  /** Milliseconds that a read of many tokens may wait for the database in all; 2 s where it is left out. */
  readonly readTogetherMs?: number | undefined;
  /** Turns of addresses for tokens that this process has not seen; without them there is no limit. */
  readonly turns?: LookupTurns | undefined;
  /** Whether tokens may come that do not name their organization; none do where it is left out. */
  readonly takesOlderFormat?: () => boolean;
}

/** What the tables said of tokens, by hex digest, for less than a second. */
export class TokenMemory {
  readonly #options: TokenMemoryOptions;
  readonly #readings = new LRUCache<string, CachedRead>({ max: MAX_CACHED_TOKENS });
  readonly #credentials: CredentialMemory;
  #announcedChanges = 0;

  constructor(options: TokenMemoryOptions) {
    this.#options = options;
    this.#credentials = new CredentialMemory(options);
  }

  /**
   * The token as it was a moment ago at most, in the turn of its address unless this process has seen it. Throws the problem
   * overloaded (503) when too many callers of the address wait; rejects when the database does not answer.
   */
  find(presented: PresentedToken, findAddress: () => string): Promise<ActiveToken | undefined> {
    const { tokenDigest } = presented;
    // Asked again when the turn has come: another request may have read the token meanwhile.
    const find = (): Promise<ActiveToken | undefined> =>
      this.#findFresh(tokenDigest) ?? this.#read(presented);
    return this.#readings.has(tokenDigest)
      ? find()
      : this.#credentials.lookUp(tokenDigest, findAddress(), find);
  }

  /** What is remembered of the token, if that is fresh enough: a read of it, ended or not. */
  #findFresh(tokenDigest: string): Promise<ActiveToken | undefined> | undefined {
    const known = this.#readings.get(tokenDigest);
    if (known === undefined)
      return this.#credentials.isUnknown(tokenDigest) ? Promise.resolve(undefined) : undefined;
    return this.#options.monotonicMs() - known.startedMs < CACHE_LIFETIME_MS ? known.token : undefined;
  }

  /**
   * Reads a token; those that ask for it meanwhile share the read. One that was found before is read in the share of its
   * partner. Rejects when the database does not answer.
   */
  #read(presented: PresentedToken): Promise<ActiveToken | undefined> {
    const { tokenDigest } = presented;
    const partnerId = this.#credentials.findPartner(tokenDigest);
    if (partnerId !== undefined) assignRequestToPartner(partnerId);
    const reading: CachedRead = {
      startedMs: this.#options.monotonicMs(),
      token: this.#select(presented),
      active: undefined,
    };
    this.#readings.set(tokenDigest, reading);
    const drop = (): void => {
      if (this.#readings.peek(tokenDigest) === reading) this.#readings.delete(tokenDigest);
    };
    reading.token.then((active) => {
      reading.active = active;
      if (active !== undefined) {
        this.#credentials.remember(tokenDigest, this.#toFound(active), reading.startedMs);
        return;
      }
      drop();
      this.#credentials.rememberUnknown(tokenDigest, reading.startedMs);
    }, drop);
    return reading.token;
  }

  async #select({ token, tokenDigest }: PresentedToken): Promise<ActiveToken | undefined> {
    const { db, takesOlderFormat } = this.#options;
    const [orgId, tokenHash] = [readOrganizationId(token), Buffer.from(tokenDigest, 'hex')];
    const active = orgId === undefined ? undefined : await findActiveToken(db, { orgId, tokenHash });
    if (active !== undefined || takesOlderFormat?.() !== true) return active;
    return findActiveTokenOfOlderFormat(db, tokenHash);
  }

  /** Reads many tokens in one statement; unknown ones are left out. Rejects when the database does not answer within 2 s. */
  async readTogether(owners: readonly TokenOwner[]): Promise<ReadonlyMap<string, ActiveToken>> {
    const [startedMs, announcedChanges] = [this.#options.monotonicMs(), this.#announcedChanges];
    const keys = owners.map(({ orgId, tokenDigest }) => ({
      orgId,
      tokenHash: Buffer.from(tokenDigest, 'hex'),
    }));
    const { checks, readTogetherMs = READ_TOGETHER_MS } = this.#options;
    const tokens = await runWithin(readTogetherMs, () => findActiveTokens(checks, keys));
    for (const { tokenDigest } of owners) {
      const [active, known] = [tokens.get(tokenDigest), this.#readings.peek(tokenDigest)];
      if (active === undefined) {
        this.#readings.delete(tokenDigest);
        this.#credentials.rememberUnknown(tokenDigest, startedMs);
        continue;
      }
      // What was read later, or was announced meanwhile, must not be forgotten for what was so before.
      if (announcedChanges === this.#announcedChanges && (known?.startedMs ?? startedMs) <= startedMs)
        this.#readings.set(tokenDigest, { startedMs, token: Promise.resolve(active), active });
      this.#credentials.remember(tokenDigest, this.#toFound(active), startedMs);
    }
    return tokens;
  }

  #toFound(active: ActiveToken): FoundCredential {
    const { partnerId, userId, applicationId, applicationOwnerId, expiresAt, isSuspended } = active;
    const leftMs = isSuspended ? 0 : expiresAt.getTime() - this.#options.clock().getTime();
    return { partnerId, leftMs, endsWith: [userId, applicationId, applicationOwnerId] };
  }

  /** The partner of a token that this process has found right within a minute, without a look at the table. */
  findProvenPartner(tokenDigest: string): string | undefined {
    return this.#credentials.findProvenPartner(tokenDigest);
  }

  /** This process has issued the token to an application of the partner: it is read in the share of the partner from the first time. */
  rememberIssued(tokenDigest: string, issued: FoundCredential): void {
    this.#credentials.remember(tokenDigest, issued);
  }

  /** A token was changed: its next use reads the table. */
  forget(tokenDigest: string): void {
    this.#announcedChanges += 1;
    this.#credentials.end(tokenDigest);
    this.#readings.delete(tokenDigest);
  }

  /** The same for every token of a user, of an application, or of the applications that a user owns. */
  forgetTokensOf(id: string): void {
    this.#announcedChanges += 1;
    this.#credentials.endAllOf(id);
    for (const [tokenDigest, { active }] of this.#readings.entries()) {
      // A read that has not ended may have begun before the change.
      if (active === undefined || belongsTo(active, id)) this.#readings.delete(tokenDigest);
    }
  }
}

function belongsTo(token: ActiveToken, id: string): boolean {
  return token.userId === id || token.applicationId === id || token.applicationOwnerId === id;
}
