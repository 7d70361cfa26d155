import { PollingLoop } from '../loops/polling-loop.ts';
import type { Actor } from '../domain/users/actor.ts';

/** From the beginning of a check to that of the next: with one statement less than a second. */
const INTERVAL_MS = 800;
/** What is left of the interval after a slow check, at least: a busy database is not kept busy. */
const MIN_PAUSE_SHARE = 1 / 8;
/**
 * Streams outlast a database that does not answer for this long; the first check that fails then ends them. With the 2 s that a
 * check may take and the pause before it that is less than 8 s, whatever became of a token meanwhile.
 */
const MAX_UNANSWERED_MS = 5_000;

export interface TokenChecksOptions {
  /**
   * Who the tokens of these actors act as now, by hex digest, without those that have ended or are suspended: one statement for
   * all. Rejects within 2 s when the database does not answer.
   */
  readonly findActors: (actors: readonly Actor[]) => Promise<ReadonlyMap<string, Actor>>;
  /** Hears of checks that failed; they are tried again. */
  readonly onError: (error: unknown) => void;
  /** Milliseconds that never run backwards. */
  readonly monotonicMs?: () => number;
  readonly intervalMs?: number;
}

/** Why a stream ends: its caller may not listen any more, or nobody knows as the database does not answer. */
export type EndReason = 'refused' | 'unanswered';

/** An answer without an end, which lasts for as long as its caller may have it. */
interface Watched {
  readonly actor: Actor;
  readonly end: (reason: EndReason) => void;
  /** When it was last known that the caller may. */
  allowedMs: number;
}

/**
 * Ends open event streams whose token has ended, whose caller has another role or is gone, or whose partner is suspended,
 * wherever that was done. All are asked about together, by one check at a time, and nothing is asked while none is open.
 */
export class TokenChecks {
  readonly #options: TokenChecksOptions;
  readonly #monotonicMs: () => number;
  readonly #watched = new Set<Watched>();
  #loop: PollingLoop | undefined;
  #isChecking = false;
  /** When the last check began. */
  #startedMs = 0;

  constructor(options: TokenChecksOptions) {
    this.#options = options;
    this.#monotonicMs = options.monotonicMs ?? (() => performance.now());
  }

  /** Calls `end` once the actor's token may no longer be used, or that is not known, until the returned function is called. */
  watch(actor: Actor, end: (reason: EndReason) => void): () => void {
    const watched: Watched = { actor, end, allowedMs: this.#monotonicMs() };
    this.#watched.add(watched);
    this.#loop ??= this.#startLoop();
    return () => this.#remove(watched);
  }

  #startLoop(): PollingLoop {
    const { intervalMs = INTERVAL_MS, onError } = this.#options;
    const loop = new PollingLoop({
      work: () => this.#check(),
      nextRoundMs: () =>
        Math.max(intervalMs * MIN_PAUSE_SHARE, intervalMs - (this.#monotonicMs() - this.#startedMs)),
      retryMs: intervalMs,
      onError,
    });
    loop.start(intervalMs);
    return loop;
  }

  #remove(watched: Watched): void {
    this.#watched.delete(watched);
    if (this.#watched.size > 0) return;
    void this.#loop?.stop();
    this.#loop = undefined;
  }

  async #check(): Promise<void> {
    // A loop that was stopped may still be in its last check, however slow the database is.
    if (this.#isChecking || this.#watched.size === 0) return;
    this.#isChecking = true;
    this.#startedMs = this.#monotonicMs();
    try {
      await this.#checkAll();
    } finally {
      this.#isChecking = false;
    }
  }

  async #checkAll(): Promise<void> {
    const [startedMs, asked] = [this.#startedMs, [...this.#watched]];
    const byToken = new Map(asked.map(({ actor }) => [actor.tokenDigest, actor]));
    try {
      const actors = await this.#options.findActors([...byToken.values()]);
      for (const watched of asked) {
        if (actors.get(watched.actor.tokenDigest)?.role === watched.actor.role) watched.allowedMs = startedMs;
        else this.#end(watched, 'refused');
      }
    } catch (error) {
      const endedMs = this.#monotonicMs();
      for (const watched of asked)
        if (endedMs - watched.allowedMs >= MAX_UNANSWERED_MS) this.#end(watched, 'unanswered');
      throw error;
    }
  }

  #end(watched: Watched, reason: EndReason): void {
    if (!this.#watched.has(watched)) return;
    this.#remove(watched);
    watched.end(reason);
  }
}
