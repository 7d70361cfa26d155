import { LRUCache } from 'lru-cache';
import { findActiveToken, findActiveTokens } from '../queries/accounts/access-tokens.ts';
import type { ActiveToken } from '../queries/accounts/access-tokens.ts';
import type { Db } from '../queries/connection/database.ts';
import { assignRequestToPartner } from '../queries/connection/request-scope.ts';

/** Revocation, deletion and a new role take effect within this time in other processes. */
const CACHE_LIFETIME_MS = 900;
const MAX_CACHED_TOKENS = 10_000;
/** Kept apart: a flood of unknown tokens must not evict valid ones. */
const MAX_UNKNOWN_TOKENS = 10_000;

/** The read of one token, ended or not. Its age counts from the beginning of the read. */
interface CachedRead {
  readonly startedMs: number;
  readonly token: Promise<ActiveToken | undefined>;
  /** Undefined until the read has ended. */
  active: ActiveToken | undefined;
}

export interface TokenMemoryOptions {
  readonly db: Db;
  /** Where tokens are read that no request waits for. */
  readonly background: Db;
  /** Milliseconds that never run backwards. */
  readonly monotonicMs: () => number;
  /** Unknown tokens that are remembered; beyond them those that were used longest ago are forgotten. */
  readonly maxUnknown?: number;
}

/** What the tables said of tokens, by hex digest, for less than a second. */
export class TokenMemory {
  readonly #options: TokenMemoryOptions;
  readonly #readings = new LRUCache<string, CachedRead>({ max: MAX_CACHED_TOKENS });
  /** Whose the tokens are that were found, however long ago: that does not change, and outlasts reads that fail. */
  readonly #partners = new LRUCache<string, string>({ max: MAX_CACHED_TOKENS });
  /** When the reads began that did not find these tokens. */
  readonly #unknown: LRUCache<string, number>;
  #announcedChanges = 0;

  constructor(options: TokenMemoryOptions) {
    this.#options = options;
    this.#unknown = new LRUCache({ max: options.maxUnknown ?? MAX_UNKNOWN_TOKENS });
  }

  /** Whether this process has found the token before, however long ago, or has just not found it. */
  has(tokenDigest: string): boolean {
    return this.#readings.has(tokenDigest) || this.#partners.has(tokenDigest) || this.#isUnknown(tokenDigest);
  }

  /** What is remembered of the token, if that is fresh enough: a read of it, ended or not. */
  findFresh(tokenDigest: string): Promise<ActiveToken | undefined> | undefined {
    const known = this.#readings.get(tokenDigest);
    if (known === undefined) return this.#isUnknown(tokenDigest) ? Promise.resolve(undefined) : undefined;
    return this.#isFresh(known.startedMs) ? known.token : undefined;
  }

  /**
   * Whether a read has just not found the token. One that is issued meanwhile works at once all the same: it is drawn at random
   * and in the table before anybody has it, so that nobody can have asked for it earlier.
   */
  #isUnknown(tokenDigest: string): boolean {
    const startedMs = this.#unknown.get(tokenDigest);
    return startedMs !== undefined && this.#isFresh(startedMs);
  }

  #isFresh(startedMs: number): boolean {
    return this.#options.monotonicMs() - startedMs < CACHE_LIFETIME_MS;
  }

  /**
   * Reads a token; those that ask for it meanwhile share the read. One that was found before is read in the share of its
   * partner. Rejects when the database does not answer.
   */
  read(tokenDigest: string): Promise<ActiveToken | undefined> {
    const { db, monotonicMs } = this.#options;
    const partnerId = this.#partners.get(tokenDigest);
    if (partnerId !== undefined) assignRequestToPartner(partnerId);
    const reading: CachedRead = {
      startedMs: monotonicMs(),
      token: findActiveToken(db, Buffer.from(tokenDigest, 'hex')),
      active: undefined,
    };
    this.#readings.set(tokenDigest, reading);
    const drop = (): void => {
      if (this.#readings.peek(tokenDigest) === reading) this.#readings.delete(tokenDigest);
    };
    reading.token.then((active) => {
      reading.active = active;
      if (active !== undefined) {
        this.#partners.set(tokenDigest, active.partnerId);
        return;
      }
      drop();
      this.#partners.delete(tokenDigest);
      this.#unknown.set(tokenDigest, reading.startedMs);
    }, drop);
    return reading.token;
  }

  /** Reads many tokens in one statement; unknown ones are left out. Rejects when the database does not answer. */
  async readTogether(tokenDigests: readonly string[]): Promise<ReadonlyMap<string, ActiveToken>> {
    const [startedMs, announcedChanges] = [this.#options.monotonicMs(), this.#announcedChanges];
    const hashes = tokenDigests.map((digest) => Buffer.from(digest, 'hex'));
    const tokens = await findActiveTokens(this.#options.background, hashes);
    for (const tokenDigest of tokenDigests) {
      const [active, known] = [tokens.get(tokenDigest), this.#readings.peek(tokenDigest)];
      if (active === undefined) this.#readings.delete(tokenDigest);
      // What was read later, or was announced meanwhile, must not be forgotten for what was so before.
      else if (announcedChanges === this.#announcedChanges && (known?.startedMs ?? startedMs) <= startedMs)
        this.#readings.set(tokenDigest, { startedMs, token: Promise.resolve(active), active });
      if (active !== undefined) this.#partners.set(tokenDigest, active.partnerId);
    }
    return tokens;
  }

  /** A token was changed: its next use reads the table. */
  forget(tokenDigest: string): void {
    this.#announcedChanges += 1;
    this.#readings.delete(tokenDigest);
  }

  /** The same for every token of a user, of an application, or of the applications that a user owns. */
  forgetTokensOf(id: string): void {
    this.#announcedChanges += 1;
    for (const [tokenDigest, { active }] of this.#readings.entries()) {
      // A read that has not ended may have begun before the change.
      if (active === undefined || belongsTo(active, id)) this.#readings.delete(tokenDigest);
    }
  }
}

function belongsTo(token: ActiveToken, id: string): boolean {
  return token.userId === id || token.applicationId === id || token.applicationOwnerId === id;
}
