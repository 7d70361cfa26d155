import { LRUCache } from 'lru-cache';
import type { Policy, Quota } from '../config/rate-limits.ts';
import { kindOf, SUBJECT_KINDS } from '../domain/security/quota-subjects.ts';
import type { QuotaSubject, SubjectKind } from '../domain/security/quota-subjects.ts';
import { adopt, endOf, keyOf, lengthOf, totalOf, toUses } from './quota-window.ts';
import type { Window, WindowUses } from './quota-window.ts';

/** Adds what this process has counted to what all have, and resolves to the totals of these windows. */
export type ExchangeCounts = (uses: readonly WindowUses[]) => Promise<readonly WindowUses[]>;

/** What is left of a quota after a use. */
export interface QuotaState {
  readonly policy: Policy;
  readonly quota: Quota;
  /** Uses in the window so far, this one included; `quota + 1` or more says that it was one too many. */
  readonly used: number;
  /** Whole seconds until the window is over, from 1 to the window's length. */
  readonly resetSeconds: number;
}

export interface QuotaCountersOptions {
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly exchange: ExchangeCounts;
  /** Hears of the first exchange that fails; until one succeeds again each process counts for itself. */
  readonly onExchangeFailed: (error: unknown) => void;
  /** Between two exchanges, in milliseconds. */
  readonly exchangeMs?: number;
  /** Subjects of each kind whose windows are kept. */
  readonly maxSubjects?: number;
}

/** Small quotas of dear requests: each use waits for the exchange that tells it. */
const EXACT_POLICIES: ReadonlySet<Policy> = new Set([
  'login',
  'login_address',
  'login_account',
  'signup',
  'preview',
  'webhook_test',
  'broadcast',
]);

/** Large quotas whose uses may be given back too: of a token that was issued to a client that proved itself. */
const RETURNED_POLICIES: ReadonlySet<Policy> = new Set(['token_address']);

const EXCHANGE_MS = 250;
/** A subject that moves fast is told sooner; this is the least time between two exchanges. */
const FAST_EXCHANGE_MS = 50;
/** The share of its quota that a subject uses before it is told at all: callers seen once cost no row. */
const TELL_FROM_SHARE = 0.01;
const TELL_FAST_FROM_SHARE = 0.05;
/** Subjects that one statement tells. */
const BATCH_SIZE = 1_000;
/** A use that is counted exactly goes on alone when the exchange takes longer. */
const MAX_WAIT_MS = 500;
/** A small quota that is used up is asked for again after this time. */
const ASK_AGAIN_MS = 1_000;
/** Some 15 MB for each kind. */
const MAX_SUBJECTS = 50_000;

/**
 * Counts uses of quotas in the process, and exchanges the counts with other processes: one statement for all subjects that
 * have moved, at most every 50 ms, by default every 250 ms, none while nothing moves. What a subject gets beyond its
 * quota is what it uses in the other processes between two exchanges. While the database is away each process counts
 * for itself. A subject whose quota is used up is not counted further, so that hammering costs nothing; a small quota is
 * asked for once a second then, since others may have given uses back.
 *
 * Kinds of subjects have caches of their own: many addresses cannot push the windows of tokens and partners out.
 */
export class QuotaCounters {
  readonly #options: QuotaCountersOptions;
  readonly #windows: Readonly<Record<SubjectKind, LRUCache<string, Window>>>;
  /** What the next exchange tells. */
  readonly #moved = new Set<Window>();
  /** The window that a use was counted in which may be given back, and when that had begun; gone once the use was given back. */
  readonly #counted = new WeakMap<QuotaState, { readonly window: Window; readonly startedAt: number }>();
  #running: Promise<void> | undefined;
  #following: Promise<void> | undefined;
  #timer: { readonly handle: NodeJS.Timeout; readonly waitMs: number } | undefined;
  #isAlone = false;

  constructor(options: QuotaCountersOptions) {
    this.#options = options;
    const max = options.maxSubjects ?? MAX_SUBJECTS;
    const cache = (): LRUCache<string, Window> =>
      new LRUCache({ max, dispose: (window) => this.#moved.delete(window) });
    this.#windows = Object.fromEntries(SUBJECT_KINDS.map((kind) => [kind, cache()])) as Record<
      SubjectKind,
      LRUCache<string, Window>
    >;
  }

  /** Counts one use, which `giveBack` can undo when the policy has that; beyond the quota it is told and not counted. */
  async use(policy: Policy, subject: QuotaSubject, quota: Quota): Promise<QuotaState> {
    const window = this.#window(policy, subject, quota);
    if (totalOf(window) >= quota.quota) {
      const now = this.#options.clock();
      if (!EXACT_POLICIES.has(policy) || now - window.askedAt < ASK_AGAIN_MS)
        return this.#stateOf(window, quota.quota + 1);
      // Another process may have given uses back.
      window.askedAt = now;
      await this.#tellNow(window);
      return this.use(policy, subject, quota);
    }
    window.counted += 1;
    if (!EXACT_POLICIES.has(policy)) {
      this.#tellSoon(window);
      const state = this.#stateOf(window, totalOf(window));
      if (RETURNED_POLICIES.has(policy)) this.#counted.set(state, { window, startedAt: window.startedAt });
      return state;
    }
    const position = window.counted;
    await this.#tellNow(window);
    // Uses that were given back meanwhile stood before this one.
    const used = Math.min(window.known + position - window.told, totalOf(window));
    const state = this.#stateOf(window, Math.max(1, used));
    this.#counted.set(state, { window, startedAt: window.startedAt });
    // Processes that used the quota up at once have together counted more than it.
    if (state.used > quota.quota) this.giveBack(state);
    return state;
  }

  /**
   * Undoes the use that this state tells of, once, in all processes: they are told soon, this one counts without it at once.
   * Nothing is given back of a use that was not counted, is neither of a small quota nor of one of `RETURNED_POLICIES`, or whose window is over or
   * was pushed out.
   */
  giveBack(state: QuotaState): void {
    const { window, startedAt } = this.#counted.get(state) ?? {};
    this.#counted.delete(state);
    if (window === undefined || window.startedAt !== startedAt || endOf(window) <= this.#options.clock())
      return;
    const { policy, subject } = window;
    const isKept = this.#windowsOf(subject).peek(keyOf(policy, subject)) === window;
    if (!isKept || totalOf(window) <= 0) return;
    window.counted -= 1;
    this.#tellSoon(window);
  }

  /** Tells what has moved up to now; resolves also when that failed. */
  exchange(): Promise<void> {
    if (this.#running === undefined) {
      this.#running = this.#exchangeMoved().finally(() => (this.#running = undefined));
      return this.#running;
    }
    // The statement that is under way does not tell what was counted since.
    this.#following ??= this.#running.then(() => {
      this.#following = undefined;
      return this.exchange();
    });
    return this.#following;
  }

  #windowsOf(subject: QuotaSubject): LRUCache<string, Window> {
    return this.#windows[kindOf(subject)];
  }

  #window(policy: Policy, subject: QuotaSubject, quota: Quota): Window {
    const windows = this.#windowsOf(subject);
    const key = keyOf(policy, subject);
    const now = this.#options.clock();
    const present = windows.get(key);
    if (present !== undefined && now < endOf(present)) return present;
    const lengthMs = lengthOf(quota);
    const startedAt = Math.floor(now / lengthMs) * lengthMs;
    const window: Window = { policy, subject, quota, startedAt, known: 0, counted: 0, told: 0, askedAt: now };
    windows.set(key, window);
    return window;
  }

  #stateOf(window: Window, used: number): QuotaState {
    const { policy, quota } = window;
    const leftSeconds = Math.ceil((endOf(window) - this.#options.clock()) / 1000);
    return { policy, quota, used, resetSeconds: Math.min(quota.windowSeconds, Math.max(1, leftSeconds)) };
  }

  #tellSoon(window: Window): void {
    const share = Math.abs(window.counted - window.told) / window.quota.quota;
    // Small quotas are told of every use: whether one of them moved is not known while a statement is under way.
    if (share < TELL_FROM_SHARE && !EXACT_POLICIES.has(window.policy)) return;
    this.#moved.add(window);
    this.#schedule(
      share < TELL_FAST_FROM_SHARE ? (this.#options.exchangeMs ?? EXCHANGE_MS) : FAST_EXCHANGE_MS,
    );
  }

  async #tellNow(window: Window): Promise<void> {
    this.#moved.add(window);
    if (this.#isAlone) {
      this.#schedule(this.#options.exchangeMs ?? EXCHANGE_MS);
      return;
    }
    let timer: NodeJS.Timeout | undefined;
    const isLate = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        this.#isAlone = true;
        resolve();
      }, MAX_WAIT_MS);
    });
    await Promise.race([this.exchange(), isLate]);
    clearTimeout(timer);
  }

  #schedule(waitMs: number): void {
    if (this.#timer !== undefined && this.#timer.waitMs <= waitMs) return;
    clearTimeout(this.#timer?.handle);
    const handle = setTimeout(() => {
      this.#timer = undefined;
      void this.exchange();
    }, waitMs);
    // A process that ends does not wait for it.
    handle.unref();
    this.#timer = { handle, waitMs };
  }

  async #exchangeMoved(): Promise<void> {
    const now = this.#options.clock();
    for (const window of this.#moved) if (endOf(window) <= now) this.#moved.delete(window);
    const batch = [...this.#moved].slice(0, BATCH_SIZE).map((window) => ({ window, until: window.counted }));
    if (batch.length === 0) return;
    for (const { window } of batch) this.#moved.delete(window);
    try {
      const totals = await this.#options.exchange(batch.map(({ window, until }) => toUses(window, until)));
      const totalsByKey = new Map(totals.map((total) => [keyOf(total.policy, total.subject), total]));
      for (const { window, until } of batch)
        adopt(window, until, totalsByKey.get(keyOf(window.policy, window.subject)));
      this.#isAlone = false;
    } catch (error) {
      for (const { window } of batch) this.#moved.add(window);
      if (!this.#isAlone) this.#options.onExchangeFailed(error);
      this.#isAlone = true;
    }
    if (this.#moved.size > 0) this.#schedule(this.#options.exchangeMs ?? EXCHANGE_MS);
  }
}
