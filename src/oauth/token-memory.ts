import { LRUCache } from 'lru-cache';
import { findActiveToken, findActiveTokens } from '../queries/accounts/access-tokens.ts';
import type { ActiveToken } from '../queries/accounts/access-tokens.ts';
import type { Db } from '../queries/connection/database.ts';

/** Revocation, deletion and a new role take effect within this time in other processes. */
const CACHE_LIFETIME_MS = 900;
const MAX_CACHED_TOKENS = 10_000;

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
}

/** What the tables said of tokens, by hex digest, for less than a second. */
export class TokenMemory {
  readonly #options: TokenMemoryOptions;
  readonly #readings = new LRUCache<string, CachedRead>({ max: MAX_CACHED_TOKENS });
  #announcedChanges = 0;

  constructor(options: TokenMemoryOptions) {
    this.#options = options;
  }

  /** Whether this process has read the token before, however long ago. */
  has(tokenDigest: string): boolean {
    return this.#readings.has(tokenDigest);
  }

  /** What is remembered of the token, if it may still be used. */
  findFresh(tokenDigest: string): Promise<ActiveToken | undefined> | undefined {
    const known = this.#readings.get(tokenDigest);
    if (known === undefined) return undefined;
    return this.#options.monotonicMs() - known.startedMs < CACHE_LIFETIME_MS ? known.token : undefined;
  }

  /** Reads a token; those that ask for it meanwhile share the read. Rejects when the database does not answer. */
  read(tokenDigest: string): Promise<ActiveToken | undefined> {
    const { db, monotonicMs } = this.#options;
    const reading: CachedRead = {
      startedMs: monotonicMs(),
      token: findActiveToken(db, Buffer.from(tokenDigest, 'hex')),
      active: undefined,
    };
    this.#readings.set(tokenDigest, reading);
    // Neither failures nor unknown tokens stay in the cache: a flood of them would evict the valid ones.
    const drop = (): void => {
      if (this.#readings.peek(tokenDigest) === reading) this.#readings.delete(tokenDigest);
    };
    reading.token.then((active) => {
      if (active === undefined) drop();
      else reading.active = active;
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
