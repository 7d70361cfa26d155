import { LRUCache } from 'lru-cache';

/** How many chunks one address may bring. */
export interface AddressChunks {
  /** At once. */
  readonly maxOfAddress: number;
  /** And further ones in each millisecond. */
  readonly perMs: number;
}

/** As many as a server has connections. */
const MAX_ACCOUNTS = 8_192;
/** How long a body that waits is left alone at most. */
const LOOK_MS = 100;

/** The chunks that bodies of one address may still bring. */
export class ChunkAccount {
  readonly #limits: AddressChunks;
  readonly #monotonicMs: () => number;
  readonly #waiting: (() => void)[] = [];
  #left: number;
  #filledAtMs: number;

  constructor(limits: AddressChunks, monotonicMs: () => number) {
    this.#limits = limits;
    this.#monotonicMs = monotonicMs;
    this.#left = limits.maxOfAddress;
    this.#filledAtMs = monotonicMs();
  }

  /** Adds what may come since the last time; not with each chunk, since it asks the clock. */
  fill(): void {
    const { maxOfAddress, perMs } = this.#limits;
    const nowMs = this.#monotonicMs();
    this.#left = Math.min(maxOfAddress, this.#left + (nowMs - this.#filledAtMs) * perMs);
    this.#filledAtMs = nowMs;
  }

  /** Counts a chunk; false when it is beyond. */
  take(): boolean {
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }

  /** Has a body read on: now if half of the chunks are left, otherwise behind those that wait, one after the other. */
  readOn(read: () => void): void {
    if (this.#waiting.length === 0 && this.#hasHalf()) read();
    else if (this.#waiting.push(read) === 1) this.#readNextLater();
  }

  #hasHalf(): boolean {
    this.fill();
    return this.#left >= this.#limits.maxOfAddress / 2;
  }

  #readNextLater(): void {
    const { maxOfAddress, perMs } = this.#limits;
    const missingMs = (maxOfAddress / 2 - this.#left) / perMs;
    setTimeout(
      () => {
        if (this.#hasHalf()) this.#waiting.shift()?.();
        if (this.#waiting.length > 0) this.#readNextLater();
      },
      Math.min(LOOK_MS, missingMs),
    );
  }
}

/** Finds the account of an address. One that was not used for long is full, and may be made anew. */
export function createChunkAccounts(
  limits: AddressChunks,
  monotonicMs: () => number,
): (address: string) => ChunkAccount {
  const accounts = new LRUCache<string, ChunkAccount>({ max: MAX_ACCOUNTS });
  return (address) => {
    const account = accounts.get(address) ?? new ChunkAccount(limits, monotonicMs);
    accounts.set(address, account);
    return account;
  };
}
