import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { OverlongComputation } from '../domain/api/overlong-computation.ts';
import { Problem } from '../domain/api/problem.ts';
import { FairShare, REFUSE_AFTER_MS, startProcessTimer } from '../shares/fair-share.ts';
import type { StartTimer } from '../shares/fair-share.ts';
import { listTransferable } from './bytes.ts';
import type { JobAnswer, JobInput, JobName, JobOutput, JobTask } from './jobs.ts';
import { LazyThreads } from './lazy-threads.ts';
import type { ThreadOptions } from './lazy-threads.ts';

/** Of two a partner has one: no other waits for its jobs, which are not interrupted and may take longer than a wait. */
const MIN_THREADS = 2;
/** Callers of one partner that wait for its turn. */
const MAX_WAITING = 8;
/** Heavy requests of all partners at the same time: their bodies, of 8 MiB at most, are held in memory. */
const MAX_TURNS = 32;
/**
 * Short jobs, of some milliseconds: a partner's come one after the other, since forty that go on by turns are all half done. The wait
 * is long enough for those before it.
 */
const SHORT_JOBS = { capacity: 32, asOfRight: 1, atMost: 1, maxWaiting: 1_000, waitMs: 10_000 };
/**
 * What is computed in slices of the event loop: each holds a device, what was asked of it and its request, up to some 50 kB. Those of a
 * partner are done at about the same time, since they go on by turns: a burst is under way at once, so that none of it waits for 2 s.
 */
const SLICED = {
  capacity: 512,
  asOfRight: 64,
  atMost: 128,
  maxWaiting: 1_000,
  refuseAfterMs: REFUSE_AFTER_MS,
};
/** As COMPUTE_SECONDS: the longest job, a preview of sixteen million cells, takes about a second, and more where all else is busy. */
const DEFAULT_MAX_JOB_MS = 30_000;
/** Of JavaScript objects in one thread; typed arrays lie beside them, and the limits of the document bound these. */
const DEFAULT_MAX_HEAP_MB = 256;
/** Of young JavaScript objects in one thread, which would otherwise grow to 48 MB before the first are looked through. */
const MAX_YOUNG_HEAP_MB = 16;

export interface ComputePoolOptions {
  /** Threads; one less than there are cores, at least two, where it is left out. */
  readonly threads?: number | undefined;
  readonly maxJobMs?: number | undefined;
  readonly maxHeapMb?: number | undefined;
  readonly waitMs?: number | undefined;
  /** When a request is told that too many wait before it. */
  readonly refuseAfterMs?: number | undefined;
  readonly startTimer?: StartTimer | undefined;
  /** The file that runs the jobs. */
  readonly workerFile?: string | undefined;
}

/**
 * Runs jobs on threads, fairly among partners. Each partner has one heavy request at a time as of right, more only while
 * threads are idle; eight wait for their turn, all others are refused.
 */
export class ComputePool {
  readonly #turns: FairShare;
  readonly #units: FairShare;
  readonly #shortJobs: FairShare;
  readonly #sliced: FairShare;
  readonly #options: ComputePoolOptions;
  readonly #threads: LazyThreads<JobTask, JobAnswer>;

  constructor(options: ComputePoolOptions = {}) {
    this.#options = options;
    const threads = options.threads ?? Math.max(MIN_THREADS, availableParallelism() - 1);
    const { waitMs, startTimer } = options;
    this.#turns = new FairShare({
      capacity: MAX_TURNS,
      asOfRight: 1,
      atMost: Math.max(1, threads - 1),
      maxWaiting: MAX_WAITING,
      waitMs,
      refuseAfterMs: this.#options.refuseAfterMs ?? REFUSE_AFTER_MS,
      startTimer,
    });
    // Who has a turn waits here for a thread only.
    this.#units = new FairShare({ capacity: threads, maxWaiting: MAX_WAITING, waitMs, startTimer });
    this.#shortJobs = new FairShare({ ...SHORT_JOBS, startTimer });
    this.#sliced = new FairShare({ ...SLICED, startTimer });
    this.#threads = new LazyThreads(toThreadOptions(options, threads), startTimer);
  }

  /** Starts the threads in a while: loading takes each about 0.3 s, for which a job that comes before waits. */
  startLater(): void {
    this.#threads.startLater();
  }

  /** Jobs and turns that run and wait. */
  get usage() {
    return {
      threads: this.#units.usage,
      turns: this.#turns.usage,
      short: this.#shortJobs.usage,
      sliced: this.#sliced.usage,
    };
  }

  /**
   * A turn for one heavy request, to be taken before its body is read; what is returned ends it.
   * @throws Problem overloaded (503); the reason of the signal when that is aborted first.
   */
  acquireTurn(partnerId: string, signal?: AbortSignal): Promise<() => void> {
    return this.#turns.acquire(partnerId, signal);
  }

  /**
   * Runs a job; the bytes of its input are moved, not copied, and are gone afterwards. A signal ends the wait for a thread.
   * @throws Problem overloaded (503) when no thread is free in time; OverlongComputation; the Problem that the job has
   * thrown; an Error when its thread has ended.
   */
  async run<Name extends JobName>(
    partnerId: string,
    name: Name,
    input: JobInput<Name>,
    signal?: AbortSignal,
  ): Promise<JobOutput<Name>> {
    const release = await this.#units.acquire(partnerId, signal);
    return this.#runHolding(release, name, input);
  }

  /** The same on a thread at once; undefined where none has started, or the partner would have to wait for one. */
  tryRun<Name extends JobName>(
    partnerId: string,
    name: Name,
    input: JobInput<Name>,
  ): Promise<JobOutput<Name>> | undefined {
    const release = this.#threads.isStarted ? this.#units.tryAcquire(partnerId) : undefined;
    return release && this.#runHolding(release, name, input);
  }

  async #runHolding<Name extends JobName>(
    release: () => void,
    name: Name,
    input: JobInput<Name>,
  ): Promise<JobOutput<Name>> {
    try {
      const answer = await this.#runOnThread(name, input);
      if ('problem' in answer) {
        const { code, detail, ...options } = answer.problem;
        throw new Problem(code, detail, options);
      }
      return answer.output as JobOutput<Name>;
    } finally {
      release();
    }
  }

  /**
   * Does the work in a turn of the partner; a signal ends the wait for it.
   * @throws Problem overloaded (503); the reason of the signal when that is aborted first; what the work throws.
   */
  inTurn<Result>(partnerId: string, work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    return this.#turns.run(partnerId, work, signal);
  }

  /**
   * Does the work when all short jobs of the partner before it are done; a signal ends the wait for them.
   * @throws Problem overloaded (503); the reason of the signal when that is aborted first; what the work throws.
   */
  inOrder<Result>(partnerId: string, work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    return this.#shortJobs.run(partnerId, work, signal);
  }

  /**
   * Does work that is computed in slices of the event loop, as one of those that its partner may have at once; a signal ends the wait for it.
   * @throws Problem overloaded (503) after 2 s; the reason of the signal when that is aborted first; what the work throws.
   */
  inSlices<Result>(partnerId: string, work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    return this.#sliced.run(partnerId, work, signal);
  }

  /** Ends the threads; jobs that run are lost. */
  async stop(): Promise<void> {
    await this.#threads.stop();
  }

  async #runOnThread(name: JobName, input: JobInput<JobName>): Promise<JobAnswer> {
    const maxJobMs = this.#options.maxJobMs ?? DEFAULT_MAX_JOB_MS;
    const deadline = new AbortController();
    const startTimer = this.#options.startTimer ?? startProcessTimer;
    const cancelTimer = startTimer(maxJobMs, () => deadline.abort());
    try {
      return await this.#threads.run(
        { name, input },
        { signal: deadline.signal, transferList: listTransferable(input) },
      );
    } catch (cause) {
      if (!deadline.signal.aborted) throw cause;
      throw new OverlongComputation(maxJobMs, cause);
    } finally {
      cancelTimer();
    }
  }
}

function toThreadOptions({ workerFile, maxHeapMb }: ComputePoolOptions, threads: number): ThreadOptions {
  return {
    filename: workerFile ?? fileURLToPath(new URL('worker.ts', import.meta.url)),
    minThreads: threads,
    maxThreads: threads,
    resourceLimits: {
      maxOldGenerationSizeMb: maxHeapMb ?? DEFAULT_MAX_HEAP_MB,
      maxYoungGenerationSizeMb: MAX_YOUNG_HEAP_MB,
    },
  };
}
