import { setImmediate } from 'node:timers/promises';

export interface PollingLoopOptions {
  /** One round of work. It is called again at once when the loop was woken meanwhile. */
  readonly work: () => Promise<unknown>;
  /** Milliseconds until the next round, unless the loop is woken before. Asked after the last round. */
  readonly nextRoundMs: () => number | Promise<number>;
  /** Milliseconds until the next round after one that failed. */
  readonly retryMs: number;
  /** Hears what `work` or `nextRoundMs` rejected with; the loop goes on. */
  readonly onError: (error: unknown) => void;
}

/**
 * Repeats one kind of background work: at once when it is woken, otherwise when the next round is due.
 *
 *   idle -> running (start) -> stopped (stop)
 *
 * Rounds never overlap. A wake-up during a round leads to one more, however many wake-ups there were.
 */
export class PollingLoop {
  readonly #options: PollingLoopOptions;
  #state: 'idle' | 'running' | 'stopped' = 'idle';
  #rounds: Promise<void> | undefined;
  #isWoken = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: PollingLoopOptions) {
    this.#options = options;
  }

  /** The first round begins after `delayMs`, by default at once. */
  start(delayMs = 0): void {
    if (this.#state !== 'idle') return;
    this.#state = 'running';
    if (delayMs === 0) this.wake();
    else this.#schedule(delayMs);
  }

  /** There may be work: begins a round now. Cheap, also when called often; nothing before `start` and after `stop`. */
  wake(): void {
    if (this.#state !== 'running') return;
    this.#isWoken = true;
    this.#rounds ??= this.#runRounds();
  }

  /** Begins no further round; resolves when the present one has ended. */
  async stop(): Promise<void> {
    this.#state = 'stopped';
    clearTimeout(this.#timer);
    await this.#rounds;
  }

  async #runRounds(): Promise<void> {
    const { work, nextRoundMs, retryMs, onError } = this.#options;
    clearTimeout(this.#timer);
    let waitMs = retryMs;
    try {
      while (this.#isWoken && this.#state === 'running') {
        // Wake-ups of one turn of the event loop share a round.
        await setImmediate();
        this.#isWoken = false;
        await work();
      }
      waitMs = await nextRoundMs();
    } catch (error) {
      onError(error);
    }
    this.#rounds = undefined;
    if (this.#state === 'running') this.#schedule(this.#isWoken ? 0 : waitMs);
  }

  #schedule(waitMs: number): void {
    this.#timer = setTimeout(() => this.wake(), waitMs);
  }
}
