import { setMaxListeners } from 'node:events';

/** Tells the open event streams of a process that messages were announced, and when the service stops. */
export class EventFeed {
  readonly #waiting = new Set<() => void>();
  readonly #resting = new Set<() => void>();
  readonly #stop = new AbortController();
  readonly #streams = new Map<string, number>();
  #count = 0;

  constructor() {
    // One for each open stream.
    setMaxListeners(0, this.#stop.signal);
  }

  get stopSignal(): AbortSignal {
    return this.#stop.signal;
  }

  /** How often there was news; take it before you look, and hand it to `newsSince`. */
  get newsCount(): number {
    return this.#count;
  }

  announceNews(): void {
    this.#count += 1;
    for (const done of [...this.#waiting]) done();
  }

  /** Counts one more stream of a partner, unless it has `most` already; what is answered counts it off again. */
  reserveStream(partner: string, most: number): (() => void) | undefined {
    const others = this.#streams.get(partner) ?? 0;
    if (others >= most) return undefined;
    this.#streams.set(partner, others + 1);
    return () => {
      const left = (this.#streams.get(partner) ?? 1) - 1;
      if (left === 0) this.#streams.delete(partner);
      else this.#streams.set(partner, left);
    };
  }

  /** Ends every stream. */
  stop(): void {
    this.#stop.abort();
    this.announceNews();
    for (const done of [...this.#resting]) done();
  }

  /** Resolves when there was news since `count`, after `maxMs`, or when the listener has gone. */
  waitForNews(count: number, maxMs: number, gone: AbortSignal): Promise<void> {
    return this.#count === count ? this.#wait(this.#waiting, maxMs, gone) : Promise.resolve();
  }

  /** Resolves after `ms`, whatever news there is, or when the listener has gone or the service stops. */
  pause(ms: number, gone: AbortSignal): Promise<void> {
    return this.#wait(this.#resting, ms, gone);
  }

  #wait(those: Set<() => void>, maxMs: number, gone: AbortSignal): Promise<void> {
    if (this.stopSignal.aborted || gone.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        those.delete(done);
        gone.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, maxMs);
      those.add(done);
      gone.addEventListener('abort', done);
    });
  }
}
