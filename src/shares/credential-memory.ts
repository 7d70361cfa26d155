import { LRUCache } from 'lru-cache';
import { SharedCache } from '../domain/caches/shared-cache.ts';

/** A credential that was not found is taken for unknown for so long. */
const UNKNOWN_MS = 900;
/** One that was found has its partner's turn for so long: what ends it is not told to every process. */
const PROVEN_MS = 60_000;
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

/** A credential that was found. */
export interface FoundCredential {
  readonly partnerId: string;
  /** How long it is right from now on, as far as that is known; nothing where it is right no more (its partner is suspended). */
  readonly leftMs: number;
  /** Its user and application, and the owner of that: what changes of these may end it. */
  readonly endsWith: readonly (string | null)[];
}

interface KnownCredential extends Pick<FoundCredential, 'partnerId' | 'endsWith'> {
  provenUntilMs: number;
}

/**
 * What look-ups found out about credentials (access tokens, session cookies, secrets of clients), by digest: whose they are,
 * however long ago, as that does not change and outlasts look-ups that fail; until when they are taken for right without a look;
 * and of those that are drawn at random that nobody has them, for a moment. So that only a credential of which nothing is known is
 * looked up in the name of its address, and only one that was right a moment ago has its partner's turn.
 */
export class CredentialMemory {
  readonly #known = new SharedCache<KnownCredential>(MAX_KNOWN, (digest, { endsWith }) => {
    for (const id of endsWith) if (id !== null) removeFrom(this.#digestsOf, id, digest);
  });
  /** Of the known ones those that end with a user or an application. */
  readonly #digestsOf = new Map<string, Set<string>>();
  /** When the look-ups began that did not find these. */
  readonly #unknown: LRUCache<string, number>;
  readonly #monotonicMs: () => number;
  readonly #turns: LookupTurns | undefined;
  /** When this process was told that a credential, or all of a user or an application, had ended or may have. */
  readonly #ended = new LRUCache<string, number>({ max: MAX_KNOWN });

  constructor({ monotonicMs, maxUnknown, turns }: CredentialMemoryOptions) {
    this.#monotonicMs = monotonicMs;
    this.#turns = turns;
    this.#unknown = new LRUCache({ max: maxUnknown ?? MAX_UNKNOWN });
  }

  /** The partner that the credential belonged to when it was last found. */
  findPartner(digest: string): string | undefined {
    return this.#known.find(digest)?.partnerId;
  }

  /** The same of one that was right within a minute and has not ended since, as far as this process knows: it has that partner's turn. */
  findProvenPartner(digest: string): string | undefined {
    const known = this.#known.find(digest);
    return known !== undefined && this.#monotonicMs() < known.provenUntilMs ? known.partnerId : undefined;
  }

  /**
   * Whether a look-up has just not found the credential. One that is issued meanwhile works at once all the same: it is drawn at
   * random and in the table before anybody has it, so that nobody can have asked for it earlier.
   */
  isUnknown(digest: string): boolean {
    const startedMs = this.#unknown.get(digest);
    return startedMs !== undefined && this.#monotonicMs() - startedMs < UNKNOWN_MS;
  }

  /** A look-up that began at `startedMs` has found the credential, or it was issued then; now unless that is given. */
  remember(digest: string, found: FoundCredential, startedMs = this.#monotonicMs()): void {
    const { partnerId, endsWith, leftMs } = found;
    // The look-up may have found what was so before an end.
    const isOutdated = [digest, ...endsWith].some((key) => (this.#ended.get(key ?? '') ?? -1) > startedMs);
    const provenUntilMs = isOutdated ? -Infinity : startedMs + Math.min(PROVEN_MS, leftMs);
    this.#known.set(digest, { partnerId, endsWith, provenUntilMs }, partnerId);
    for (const id of endsWith) if (id !== null) addTo(this.#digestsOf, id, digest);
  }

  /** The credential has ended, or may have: it has no partner's turn until it is found again. */
  end(digest: string): void {
    this.#ended.set(digest, this.#monotonicMs());
    this.#endTurn(digest);
  }

  /** The same for all that end with a user or an application. */
  endAllOf(id: string): void {
    this.#ended.set(id, this.#monotonicMs());
    for (const digest of this.#digestsOf.get(id) ?? []) this.#endTurn(digest);
  }

  #endTurn(digest: string): void {
    const known = this.#known.peek(digest);
    if (known !== undefined) known.provenUntilMs = -Infinity;
  }

  /** Nobody has the credential. */
  forget(digest: string): void {
    this.#known.remove(digest);
  }

  /** A look-up that began at `startedMs` did not find the credential. */
  rememberUnknown(digest: string, startedMs: number): void {
    this.forget(digest);
    this.#unknown.set(digest, startedMs);
  }

  /** Looks a credential up, in the turn of the address unless something is known of it. Throws what the turns and the work throw. */
  lookUp<Result>(digest: string, address: string, work: () => Promise<Result>): Promise<Result> {
    const isSeen =
      this.#turns === undefined || this.#known.peek(digest) !== undefined || this.isUnknown(digest);
    return isSeen ? work() : this.#turns.run(address, work);
  }
}

function addTo(index: Map<string, Set<string>>, id: string, digest: string): void {
  index.set(id, (index.get(id) ?? new Set()).add(digest));
}

function removeFrom(index: Map<string, Set<string>>, id: string, digest: string): void {
  const digests = index.get(id);
  digests?.delete(digest);
  if (digests?.size === 0) index.delete(id);
}
