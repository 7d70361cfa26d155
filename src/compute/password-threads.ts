import { fileURLToPath } from 'node:url';
import { createPasswordHasher } from '../domain/security/passwords.ts';
import type { KeyTask, PasswordHasher } from '../domain/security/passwords.ts';
import type { StartTimer } from '../shares/fair-share.ts';
import { LazyThreads } from './lazy-threads.ts';

/** One for strangers or a partner; the other is started when a second caller has its turn, and ends when it is idle. */
const THREADS = { minThreads: 1, maxThreads: 2, idleTimeout: 60_000 };
/** A thread computes for a fifth of a second without a pause: on one core everybody else has ten times as much of it (nice(2)). */
const NICE_INCREMENT = 10;
/** Of JavaScript objects, old and young, in MB; what a hash takes lies beside them, until it is done. */
const HEAP_LIMITS = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 };

/**
 * Hashes passwords on threads of their own, which leave the processor to all others: Node's own threads for such work would
 * take as much of it as the main thread. Callers bound how many are hashed at once.
 */
export class PasswordThreads {
  readonly hasher: PasswordHasher = createPasswordHasher((task) => this.#threads.run(task));
  readonly #threads: LazyThreads<KeyTask, Uint8Array>;

  constructor(startTimer?: StartTimer) {
    this.#threads = new LazyThreads(
      {
        filename: fileURLToPath(new URL('password-worker.ts', import.meta.url)),
        ...THREADS,
        niceIncrement: NICE_INCREMENT,
        resourceLimits: HEAP_LIMITS,
      },
      startTimer,
    );
  }

  /** Starts the first thread in a while: a password that comes before waits for it, some 0.1 s. */
  startLater(): void {
    this.#threads.startLater();
  }

  /** Ends the threads; hashes under way are lost. */
  async stop(): Promise<void> {
    await this.#threads.stop();
  }
}
