import { Problem } from '../domain/api/problem.ts';
import { runWith } from './held-units.ts';

/** How long a caller waits for a unit before it is refused. */
const DEFAULT_WAIT_MS = 2_000;
/**
 * For `refuseAfterMs`: a client that repeats what was refused at once would cost more than one that is served. So a connection
 * costs no more than a refusal a second.
 */
export const REFUSE_AFTER_MS = 1_000;
/** Refusals of one thing that are held back at once; those beyond are told at once. */
const MAX_HELD_REFUSALS = 1_000;

/** Calls `run` once after `waitMs`; the function that it returns prevents it. */
export type StartTimer = (waitMs: number, run: () => void) => () => void;

export interface FairShareOptions {
  /** Units that exist. */
  readonly capacity: number;
  /** Callers of one partner that may wait at the same time. */
  readonly maxWaiting: number;
  /** How long a caller waits; 2 s where it is left out. */
  readonly waitMs?: number | undefined;
  /** When a caller is told that too many wait before it; at once where it is left out. */
  readonly refuseAfterMs?: number | undefined;
  /** Units that a partner has as of right; half of the capacity, at least one, where it is left out. */
  readonly asOfRight?: number | undefined;
  /** Units that a partner has at most, borrowed ones included, each its own or all the same; no such limit where it is left out. */
  readonly atMost?: number | ((partnerId: string) => number) | undefined;
  readonly startTimer?: StartTimer | undefined;
}

interface Waiting {
  readonly grant: () => void;
}

interface Partner {
  held: number;
  readonly waiting: Set<Waiting>;
}

/**
 * Divides the units of one scarce thing among partners. A partner has at most half of them as of right (at least one); what
 * is idle may be borrowed beyond that, but never the last unit. A partner's callers are served in the order in which they
 * came; partners that wait take turns, those within their right before those that borrow. Nobody waits without a limit.
 */
export class FairShare {
  readonly #partners = new Map<string, Partner>();
  /** Partners with waiting callers; who was served goes to the end. */
  readonly #turns = new Map<string, Partner>();
  readonly #capacity: number;
  readonly #asOfRight: number;
  readonly #atMostOf: (partnerId: string) => number;
  readonly #maxWaiting: number;
  readonly #waitMs: number;
  readonly #refuseAfterMs: number;
  readonly #startTimer: StartTimer;
  #free: number;
  #heldRefusals = 0;

  constructor({ capacity, asOfRight, atMost, ...options }: FairShareOptions) {
    this.#capacity = capacity;
    this.#free = capacity;
    this.#asOfRight = asOfRight ?? Math.max(1, Math.floor(capacity / 2));
    this.#atMostOf = toAtMostOf({ capacity, atMost });
    this.#maxWaiting = options.maxWaiting;
    this.#waitMs = options.waitMs ?? DEFAULT_WAIT_MS;
    this.#refuseAfterMs = options.refuseAfterMs ?? 0;
    this.#startTimer = options.startTimer ?? startProcessTimer;
  }

  /** Units in use and callers that wait, of all partners. */
  get usage(): { readonly capacity: number; readonly held: number; readonly waiting: number } {
    let waiting = 0;
    for (const partner of this.#turns.values()) waiting += partner.waiting.size;
    return { capacity: this.#capacity, held: this.#capacity - this.#free, waiting };
  }

  /**
   * One unit, waited for no longer than `waitMs`; what is returned gives it back, and may be called more than once.
   * @throws Problem overloaded (503) with Retry-After: after `refuseAfterMs` when too many callers of the partner wait, otherwise
   * after the wait; the reason of the signal when that is aborted first.
   */
  async acquire(partnerId: string, signal?: AbortSignal, waitMs = this.#waitMs): Promise<() => void> {
    signal?.throwIfAborted();
    const granted = Promise.withResolvers<undefined>();
    const waiting: Waiting = { grant: () => granted.resolve(undefined) };
    const partner = this.#enter(partnerId, waiting);
    if (!partner.waiting.has(waiting)) return this.#releaseOf(partnerId, partner);
    if (partner.waiting.size > this.#maxWaiting) {
      this.#leave(partnerId, partner, waiting);
      return this.#refuseLater(signal);
    }
    await this.#awaitFor(waitMs, 'waited too long for it', granted, signal, () =>
      this.#leave(partnerId, partner, waiting),
    );
    return this.#releaseOf(partnerId, partner);
  }

  /** One unit as `acquire` gives it, if the partner need not wait for it; undefined otherwise. */
  tryAcquire(partnerId: string): (() => void) | undefined {
    const waiting: Waiting = { grant: () => undefined };
    const partner = this.#enter(partnerId, waiting);
    if (!partner.waiting.has(waiting)) return this.#releaseOf(partnerId, partner);
    this.#leave(partnerId, partner, waiting);
    return undefined;
  }

  /** The caller waits, and has a unit at once where one is free for it. */
  #enter(partnerId: string, waiting: Waiting): Partner {
    const partner = this.#partners.get(partnerId) ?? { held: 0, waiting: new Set() };
    this.#partners.set(partnerId, partner);
    partner.waiting.add(waiting);
    if (!this.#turns.has(partnerId)) this.#turns.set(partnerId, partner);
    this.#grantFreeUnits();
    return partner;
  }

  /** Resolves as `granted` does; rejects after the time with a refusal, or with the reason of the signal, when `left` was called. */
  async #awaitFor(
    waitMs: number,
    what: string,
    granted: PromiseWithResolvers<undefined>,
    signal: AbortSignal | undefined,
    left?: () => void,
  ): Promise<void> {
    const leave = (reason: unknown): void => {
      left?.();
      granted.reject(reason);
    };
    const cancelTimer = this.#startTimer(waitMs, () => leave(this.#refusal(what)));
    const abort = (): void => leave(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    try {
      await granted.promise;
    } finally {
      cancelTimer();
      signal?.removeEventListener('abort', abort);
    }
  }

  async #refuseLater(signal: AbortSignal | undefined): Promise<never> {
    const what = 'has too many requests waiting for it';
    const refusal = this.#refusal(what);
    if (this.#refuseAfterMs === 0 || this.#heldRefusals >= MAX_HELD_REFUSALS) throw refusal;
    this.#heldRefusals += 1;
    try {
      await this.#awaitFor(this.#refuseAfterMs, what, Promise.withResolvers<undefined>(), signal);
    } finally {
      this.#heldRefusals -= 1;
    }
    throw refusal;
  }

  /** Does the work with one unit; the unit is given back however it ends. Throws what `acquire` and the work throw. */
  run<Result>(partnerId: string, work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    return runWith(() => this.acquire(partnerId, signal), work);
  }

  #grantFreeUnits(): void {
    for (;;) {
      const next = this.#findNext();
      if (next === undefined) return;
      const [partnerId, partner] = next;
      const [first] = partner.waiting;
      this.#turns.delete(partnerId);
      if (first === undefined) continue;
      partner.waiting.delete(first);
      if (partner.waiting.size > 0) this.#turns.set(partnerId, partner);
      partner.held += 1;
      this.#free -= 1;
      first.grant();
    }
  }

  #findNext(): [string, Partner] | undefined {
    if (this.#free === 0) return undefined;
    const mayLend = this.#free > 1;
    return this.#findBelow(() => this.#asOfRight) ?? (mayLend ? this.#findBelow(this.#atMostOf) : undefined);
  }

  #findBelow(unitsOf: (partnerId: string) => number): [string, Partner] | undefined {
    for (const turn of this.#turns) if (turn[1].held < unitsOf(turn[0])) return turn;
    return undefined;
  }

  #releaseOf(partnerId: string, partner: Partner): () => void {
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      partner.held -= 1;
      this.#free += 1;
      this.#forgetIdle(partnerId, partner);
      this.#grantFreeUnits();
    };
  }

  #leave(partnerId: string, partner: Partner, waiting: Waiting): void {
    partner.waiting.delete(waiting);
    if (partner.waiting.size === 0) this.#turns.delete(partnerId);
    this.#forgetIdle(partnerId, partner);
  }

  #forgetIdle(partnerId: string, { held, waiting }: Partner): void {
    if (held === 0 && waiting.size === 0) this.#partners.delete(partnerId);
  }

  #refusal(what: string): Problem {
    const seconds = Math.max(1, Math.ceil(this.#waitMs / 1_000));
    return new Problem(
      'overloaded',
      `The caller's share of the service is in use, and the request ${what}; repeat it after ${seconds} s.`,
      { headers: { 'Retry-After': String(seconds) } },
    );
  }
}

/** How many units a partner has at most. */
export function toAtMostOf({
  capacity,
  atMost = capacity,
}: Pick<FairShareOptions, 'capacity' | 'atMost'>): (partnerId: string) => number {
  return typeof atMost === 'function' ? atMost : () => atMost;
}

/** A timer of Node.js. */
export const startProcessTimer: StartTimer = (waitMs, run) => {
  const timer = setTimeout(run, waitMs);
  return () => clearTimeout(timer);
};
