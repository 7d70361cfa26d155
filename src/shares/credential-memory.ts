import { LRUCache } from 'lru-cache';

/** A credential that was not found is taken for unknown for so long. */
const UNKNOWN_MS = 900;
const MAX_KNOWN = 10_000;
/** Kept apart: a flood of unknown credentials must not evict known ones. */
const MAX_UNKNOWN = 10_000;

/** Turns of addresses for looking up credentials. Throws the problem overloaded (503) when too many callers of one wait. */
export interface LookupTurns {
  run<Result>(address: string, work: () => Promise<Result>): Promise<Result>;
}

export interface CredentialMemoryOptions {
  /** Milliseconds that never run backwards. */
  readonly monotonicMs: () => number;
  /** Unknown credentials that are remembered; beyond them those that were used longest ago are forgotten. */
  readonly maxUnknown?: number | undefined;
  /** Without them there is no limit. */
  readonly turns?: LookupTurns | undefined;
}

/**
 * What look-ups found out about credentials that are drawn at random (access tokens, session cookies), by hex digest: whose
 * they are, however long ago, as that does not change and outlasts look-ups that fail; and that nobody has them, for a moment. So
 * that only a credential of which nothing is known is looked up in the name of its address.
 */
export class CredentialMemory {
  readonly #partners = new LRUCache<string, string>({ max: MAX_KNOWN });
  /** When the look-ups began that did not find these. */
  readonly #unknown: LRUCache<string, number>;
  readonly #monotonicMs: () => number;
  readonly #turns: LookupTurns | undefined;

  constructor({ monotonicMs, maxUnknown, turns }: CredentialMemoryOptions) {
    this.#monotonicMs = monotonicMs;
    this.#turns = turns;
    this.#unknown = new LRUCache({ max: maxUnknown ?? MAX_UNKNOWN });
  }

  /** The partner that the credential belonged to when it was last found. */
  findPartner(digest: string): string | undefined {
    return this.#partners.get(digest);
  }

  /**
   * Whether a look-up has just not found the credential. One that is issued meanwhile works at once all the same: it is drawn at
   * random and in the table before anybody has it, so that nobody can have asked for it earlier.
   */
  isUnknown(digest: string): boolean {
    const startedMs = this.#unknown.get(digest);
    return startedMs !== undefined && this.#monotonicMs() - startedMs < UNKNOWN_MS;
  }

  /** The credential was found: it is this partner's. */
  remember(digest: string, partnerId: string): void {
    this.#partners.set(digest, partnerId);
  }

  /** A look-up that began at `startedMs` did not find the credential. */
  rememberUnknown(digest: string, startedMs: number): void {
    this.#partners.delete(digest);
    this.#unknown.set(digest, startedMs);
  }

  /** Looks a credential up, in the turn of the address unless something is known of it. Throws what the turns and the work throw. */
  lookUp<Result>(digest: string, address: string, work: () => Promise<Result>): Promise<Result> {
    const isSeen = this.#turns === undefined || this.#partners.has(digest) || this.isUnknown(digest);
    return isSeen ? work() : this.#turns.run(address, work);
  }
}
