import { setMaxListeners } from 'node:events';

/** Open event streams of one partner and its simulation organizations in one process: each queries the database itself. */
export const MAX_STREAMS_PER_PARTNER = 50;

/** Tells the open event streams of a process that messages were announced, and when the service stops. */
export class EventFeed {
  readonly #waitingForNews = new Set<() => void>();
  readonly #pausing = new Set<() => void>();
  readonly #stop = new AbortController();
  readonly #openStreams = new Map<string, number>();
  #newsCount = 0;

  constructor() {
    // Each open stream listens to it.
    setMaxListeners(0, this.#stop.signal);
  }

  /** Aborted when the service stops. */
  get stopSignal(): AbortSignal {
    return this.#stop.signal;
  }

  /** How often there was news: read it before the query, and pass it to `waitForNews` after it. */
  get newsCount(): number {
    return this.#newsCount;
  }

  /** Messages were announced: wakes all streams that wait. */
  announceNews(): void {
    this.#newsCount += 1;
    for (const resolve of [...this.#waitingForNews]) resolve();
  }

  /**
   * Counts one more open stream of a partner organization; the returned function, to be called once, counts it off
   * again. Undefined when the partner has `limit` streams already.
   */
  reserveStream(partnerId: string, limit = MAX_STREAMS_PER_PARTNER): (() => void) | undefined {
    const others = this.#openStreams.get(partnerId) ?? 0;
    if (others >= limit) return undefined;
    this.#openStreams.set(partnerId, others + 1);
    return () => {
      const remaining = (this.#openStreams.get(partnerId) ?? 1) - 1;
      if (remaining === 0) this.#openStreams.delete(partnerId);
      else this.#openStreams.set(partnerId, remaining);
    };
  }

  /** Ends every stream. */
  stop(): void {
    this.#stop.abort();
    this.announceNews();
    for (const resolve of [...this.#pausing]) resolve();
  }

  /** Resolves when there was news since `count`, after `maxMs`, or when `closed` is aborted. */
  waitForNews(count: number, maxMs: number, closed: AbortSignal): Promise<void> {
    return this.#newsCount === count ? this.#wait(this.#waitingForNews, maxMs, closed) : Promise.resolve();
  }

  /** Resolves after `ms`, whatever news there is, or when `closed` is aborted or the service stops. */
  pause(ms: number, closed: AbortSignal): Promise<void> {
    return this.#wait(this.#pausing, ms, closed);
  }

  #wait(waiting: Set<() => void>, maxMs: number, closed: AbortSignal): Promise<void> {
    if (this.stopSignal.aborted || closed.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const finish = (): void => {
        clearTimeout(timer);
        waiting.delete(finish);
        closed.removeEventListener('abort', finish);
        resolve();
      };
      const timer = setTimeout(finish, maxMs);
      waiting.add(finish);
      closed.addEventListener('abort', finish);
    });
  }
}
