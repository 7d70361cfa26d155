import { LRUCache } from 'lru-cache';
import type { QuotaSubject } from '../domain/security/quota-subjects.ts';
import { CallerTurns, toPartyName } from './caller-turns.ts';
import type { WaitingLimits } from './caller-turns.ts';
import { endInTurn } from './end-turns.ts';

/** How many chunks the bodies of one party may bring, and what waits for them. */
export interface AccountLimits extends WaitingLimits {
  /** At once. */
  readonly maxAtOnce: number;
  /** And further ones in each millisecond. */
  readonly perMs: number;
  /** And in each turn of the event loop, beyond those. */
  readonly fewOfTurn: number;
  /** How long a body waits to be read on. */
  readonly waitMs: number;
}

/** A body that waits to be read on; one of the two functions is called, once. */
export interface WaitingBody {
  readonly id: symbol;
  readonly readOn: () => void;
  readonly giveUp: () => void;
}

interface Wait {
  readonly caller: QuotaSubject;
  readonly sinceMs: number;
}

/** Beyond them the account that was used longest ago is forgotten; one that was not used for a quarter of a second is full. */
const MAX_ACCOUNTS = 8_192;
/** How long bodies that wait are left alone at most. */
const LOOK_MS = 100;

/** The chunks that bodies of one party may still bring. */
export class ChunkAccount {
  readonly #limits: AccountLimits;
  readonly #monotonicMs: () => number;
  readonly #turns: CallerTurns<WaitingBody>;
  /** The same in the order in which they came. */
  readonly #waits = new Map<WaitingBody, Wait>();
  #left: number;
  #filledAtMs: number;
  #isInTurn = false;
  #beyondOfTurn = 0;
  #isLooking = false;
  /** The body that was read on last, when, and how many chunks it has brought since. */
  #last: { readonly id: symbol; readonly atMs: number; chunks: number } | undefined;

  constructor(limits: AccountLimits, monotonicMs: () => number) {
    this.#limits = limits;
    this.#monotonicMs = monotonicMs;
    this.#turns = new CallerTurns(limits);
    this.#left = limits.maxAtOnce;
    this.#filledAtMs = monotonicMs();
  }

  /** Counts a chunk; false when it is beyond. What the body brings whose turn it was is paid before the next one's turn. */
  take(id: symbol): boolean {
    if (!this.#isInTurn) this.#beginTurn();
    const last = this.#last?.id === id ? this.#last : undefined;
    if (last !== undefined) last.chunks += 1;
    else if (this.#left < 1) return ++this.#beyondOfTurn <= this.#limits.fewOfTurn;
    this.#left -= 1;
    return true;
  }

  /** Whether a body may be read on now: while half of the chunks are left and nobody waits. */
  mayReadOn(): boolean {
    if (this.#waits.size > 0) return false;
    this.#fill();
    return this.#hasHalf();
  }

  /** Has a body read on when it is its caller's turn, or given up: when it has waited too long, or for another that cannot wait. */
  wait(caller: QuotaSubject, body: WaitingBody): void {
    this.#waits.set(body, { caller, sinceMs: this.#fill() });
    const beyond = this.#turns.add(caller, body);
    if (beyond !== undefined) this.#giveUp(beyond);
    this.#lookLater();
  }

  leave(body: WaitingBody): void {
    const wait = this.#waits.get(body);
    if (wait === undefined) return;
    this.#waits.delete(body);
    this.#turns.remove(wait.caller, body);
  }

  /** Adds what may come since the last time; not with each chunk, since it asks the clock. Returns the time. */
  #fill(): number {
    const { maxAtOnce, perMs } = this.#limits;
    const nowMs = this.#monotonicMs();
    this.#left = Math.min(maxAtOnce, this.#left + (nowMs - this.#filledAtMs) * perMs);
    this.#filledAtMs = nowMs;
    return nowMs;
  }

  #beginTurn(): void {
    this.#isInTurn = true;
    this.#beyondOfTurn = 0;
    this.#fill();
    setImmediate(() => (this.#isInTurn = false));
  }

  #hasHalf(): boolean {
    return this.#left >= this.#limits.maxAtOnce / 2;
  }

  #lookLater(): void {
    if (this.#isLooking || this.#waits.size === 0) return;
    this.#isLooking = true;
    setTimeout(
      () => {
        this.#isLooking = false;
        this.#look();
        this.#lookLater();
      },
      Math.min(LOOK_MS, this.#msToNext(this.#filledAtMs)),
    );
  }

  #look(): void {
    const nowMs = this.#fill();
    this.#giveUpOld(nowMs);
    if (this.#msToNext(nowMs) > 0) return;
    for (const body of this.#turns.next() ?? []) {
      this.leave(body);
      this.#last = { id: body.id, atMs: nowMs, chunks: 0 };
      body.readOn();
      return;
    }
  }

  /**
   * Until the next body that waits is read on: half of the chunks are left, or what the last one has brought is paid with half
   * of what time brings. Chunks that come with their heads and cannot wait take no more than the other half from those that wait.
   */
  #msToNext(nowMs: number): number {
    const { maxAtOnce, perMs } = this.#limits;
    const msToHalf = (maxAtOnce / 2 - this.#left) / perMs;
    const paidAtMs = this.#last === undefined ? nowMs : this.#last.atMs + (2 * this.#last.chunks) / perMs;
    return Math.max(0, Math.min(msToHalf, paidAtMs - nowMs));
  }

  #giveUpOld(nowMs: number): void {
    for (const [body, { sinceMs }] of this.#waits) {
      if (nowMs - sinceMs < this.#limits.waitMs) return;
      this.#giveUp(body);
    }
  }

  /** Hundreds may have waited too long at once. */
  #giveUp(body: WaitingBody): void {
    this.leave(body);
    endInTurn(body, () => body.giveUp());
  }
}

/** Finds the account of a caller's party: each partner has its own, and all of whom only the address is known have one together. */
export function createChunkAccounts(
  limits: AccountLimits,
  monotonicMs: () => number,
): (caller: QuotaSubject) => ChunkAccount {
  const accounts = new LRUCache<string, ChunkAccount>({ max: MAX_ACCOUNTS });
  return (caller) => {
    const party = toPartyName(caller);
    const account = accounts.get(party) ?? new ChunkAccount(limits, monotonicMs);
    accounts.set(party, account);
    return account;
  };
}
