import { setFlagsFromString } from 'node:v8';
import { Piscina } from 'piscina';
import type { StartTimer } from '../shares/fair-share.ts';

/** What they run, how many they are, and their bounds. */
export type ThreadOptions = NonNullable<ConstructorParameters<typeof Piscina>[0]>;

/**
 * When threads start that nobody has needed yet: processes that end before then, of commands, tests and failed starts, never
 * pay the half a second of processor time that loading them takes, and the start of others has the processor for itself.
 */
const IDLE_START_MS = 10_000;

/** Waits without keeping the process: nobody needs the threads of one that has nothing else to do. */
const startIdleTimer: StartTimer = (waitMs, run) => {
  const timer = setTimeout(run, waitMs);
  timer.unref();
  return () => clearTimeout(timer);
};

/**
 * Piscina keeps each task that is over, and its answer, until V8 collects all garbage (docs/decisions.md, "Heavy work"): it is left
 * an empty one.
 */
function takeOut<Answer extends object>(answer: Answer): Answer {
  if (ArrayBuffer.isView(answer)) return answer;
  const taken = { ...answer };
  for (const key of Object.keys(answer)) Reflect.deleteProperty(answer, key);
  return taken;
}

function startThreads<Task, Answer>(options: ThreadOptions): Piscina<Task, Answer> {
  // What the process was given for its young objects (bin/partner) would count for a thread, and not what its bounds say.
  setFlagsFromString('--max-semi-space-size=0');
  return new Piscina<Task, Answer>({ atomics: 'disabled', ...options });
}

/** Threads that start with their first task, or a while after the start of the process, whichever is first. */
export class LazyThreads<Task, Answer extends object> {
  readonly #options: ThreadOptions;
  readonly #startTimer: StartTimer;
  #pool: Piscina<Task, Answer> | undefined;
  #cancelTimer: (() => void) | undefined;
  #isStopped = false;

  constructor(options: ThreadOptions, startTimer: StartTimer = startIdleTimer) {
    this.#options = options;
    this.#startTimer = startTimer;
  }

  /** Whether they have started, so that a task need not wait for that. */
  get isStarted(): boolean {
    return this.#pool !== undefined;
  }

  /** Starts the threads ten seconds from now, so that the first task after that need not wait for them. */
  startLater(): void {
    this.#cancelTimer ??= this.#startTimer(IDLE_START_MS, () => {
      this.#start();
    });
  }

  /** @throws what the task throws on its thread; an Error when its thread has ended, or when all were stopped. */
  async run(task: Task, options?: Parameters<Piscina<Task, Answer>['run']>[1]): Promise<Answer> {
    return takeOut(await this.#start().run(task, options));
  }

  /** Ends the threads; tasks that run are lost, and nothing starts again. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelTimer?.();
    await this.#pool?.destroy();
  }

  #start(): Piscina<Task, Answer> {
    if (this.#isStopped) throw new Error('The threads were stopped.');
    this.#pool ??= startThreads<Task, Answer>(this.#options);
    return this.#pool;
  }
}
