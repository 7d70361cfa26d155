import type { Fields, Log } from '../log/log.ts';

const INTERVAL_MS = 1_000;

/** Refusals that may be many, and were sent before anything was proven: a bound or a quota stood in the way, or the form. */
const REFUSALS: ReadonlySet<number> = new Set([400, 408, 413, 414, 417, 429, 431, 503]);

/** What a line tells of refusals that were not written one by one. */
interface Refusals {
  readonly status: number;
  readonly code: string | undefined;
  readonly sinceMs: number;
  readonly timer: NodeJS.Timeout;
  count: number;
}

/** Whether an answer of this status is one of those that a caller without credentials can have as many of as it likes. */
export function isRefusal(status: number): boolean {
  return REFUSALS.has(status);
}

/**
 * Lines for refusals of strangers: of each kind (status and problem code) one a second at most, whatever is sent. The first one
 * after a quiet second is written whole, those behind it are counted, and each second ends with a line that tells how many.
 */
export class RefusalLog {
  readonly #log: Log;
  readonly #monotonicMs: () => number;
  readonly #kinds = new Map<string, Refusals>();

  /** `monotonicMs`: milliseconds that never run backwards. */
  constructor(log: Log, monotonicMs: () => number) {
    this.#log = log;
    this.#monotonicMs = monotonicMs;
  }

  /** `line`: what is written of a request. */
  add(status: number, code: string | undefined, line: Fields): void {
    const kind = `${status} ${code ?? ''}`;
    const known = this.#kinds.get(kind);
    if (known === undefined) {
      this.#log.info('request', line);
      this.#begin(kind, status, code);
    } else {
      known.count += 1;
      // What is counted is written, also when the service stops meanwhile.
      known.timer.ref();
    }
  }

  #begin(kind: string, status: number, code: string | undefined): void {
    const timer = setTimeout(() => this.#report(kind), INTERVAL_MS).unref();
    this.#kinds.set(kind, { status, code, count: 0, sinceMs: this.#monotonicMs(), timer });
  }

  #report(kind: string): void {
    const refusals = this.#kinds.get(kind);
    this.#kinds.delete(kind);
    if (refusals === undefined || refusals.count === 0) return;
    const { status, code, count, sinceMs } = refusals;
    const span = Math.round(this.#monotonicMs() - sinceMs);
    this.#log.info('requests refused', { status, code, count, span_ms: span });
    this.#begin(kind, status, code);
  }
}
