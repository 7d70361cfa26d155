import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { createPasswordHasher } from '../domain/security/passwords.ts';
import type { KeyTask, PasswordHasher } from '../domain/security/passwords.ts';

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
  readonly hasher: PasswordHasher = createPasswordHasher((task) => this.#derive(task));
  #pool: Piscina<KeyTask, Uint8Array> | undefined;
  #isStopped = false;

  /** Starts the first thread, so that the first password need not wait for it. */
  start(): void {
    if (this.#isStopped) throw new Error('The threads were stopped.');
    this.#pool ??= new Piscina<KeyTask, Uint8Array>({
      filename: fileURLToPath(new URL('password-worker.ts', import.meta.url)),
      ...THREADS,
      atomics: 'disabled',
      niceIncrement: NICE_INCREMENT,
      resourceLimits: HEAP_LIMITS,
    });
  }

  /** Ends the threads; hashes under way are lost. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#pool?.destroy();
  }

  async #derive(task: KeyTask): Promise<Uint8Array> {
    this.start();
    if (this.#pool === undefined) throw new Error('The threads were not started.');
    return this.#pool.run(task);
  }
}
