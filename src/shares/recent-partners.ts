/**
 * For how long a partner is at work behind its last request. A person who reads a page, or a job that looks once a minute, finds the server as
 * free as somebody who asks all the time.
 */
const RECENT_MS = 120_000;

interface LastRequest {
  readonly partnerId: string;
  readonly atMs: number;
}

/**
 * Whether a partner is alone at work: what is scarce is then its own, and is left to others from the moment at which one of them
 * comes. Remembers two partners, whatever their number.
 */
export class RecentPartners {
  readonly #monotonicMs: () => number;
  #latest: LastRequest | undefined;
  /** The latest of those that are not `#latest`. */
  #other: LastRequest | undefined;

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  /** The partner has sent a request. */
  note(partnerId: string): void {
    if (this.#latest?.partnerId !== partnerId) this.#other = this.#latest;
    this.#latest = { partnerId, atMs: this.#monotonicMs() };
  }

  /** Whether another partner has sent a request within the last two minutes. */
  hasOthers(partnerId: string): boolean {
    const other = this.#latest?.partnerId === partnerId ? this.#other : this.#latest;
    return other !== undefined && this.#monotonicMs() - other.atMs < RECENT_MS;
  }
}

/** How many units of something a partner has at most: as many as these when it is alone at work, fewer beside others. */
export function whenAlone(
  recentPartners: Pick<RecentPartners, 'hasOthers'>,
  alone: number,
  besideOthers: number,
): (partnerId: string) => number {
  return (partnerId) => (recentPartners.hasOthers(partnerId) ? besideOthers : alone);
}
