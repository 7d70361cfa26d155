import { UseOrder } from './use-order.ts';
import type { UseMark } from './use-order.ts';

interface Entry<Value> {
  readonly value: Value;
  readonly size: number;
  readonly partnerId: string;
  readonly inAll: UseMark;
  readonly inPart: UseMark;
}

/** What one partner has. */
interface Part {
  readonly order: UseOrder;
  size: number;
}

/**
 * What a cache keeps for partners, in the order in which it was last asked for, of all together and of each partner: the oldest of
 * one is found without a look at those of others.
 */
export class PartnerEntries<Value> {
  readonly #entries = new Map<string, Entry<Value>>();
  readonly #order = new UseOrder();
  readonly #parts = new Map<string, Part>();
  readonly #onRemoved: (key: string, value: Value) => void;
  #size = 0;

  /** `onRemoved` hears of each entry that is no longer there, also of one in whose place a new one comes. */
  constructor(onRemoved: (key: string, value: Value) => void = () => undefined) {
    this.#onRemoved = onRemoved;
  }

  /** The sizes of all entries together, in the unit in which they were given. */
  get size(): number {
    return this.#size;
  }

  /** How many partners have entries. */
  get partners(): number {
    return this.#parts.size;
  }

  /** The sizes of a partner's entries together. */
  sizeOf(partnerId: string): number {
    return this.#parts.get(partnerId)?.size ?? 0;
  }

  /** The value for `key`, which is the newest then; undefined when there is none. */
  find(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#order.renew(entry.inAll);
    this.#parts.get(entry.partnerId)?.order.renew(entry.inPart);
    return entry.value;
  }

  /** The same, and its place stays. */
  peek(key: string): Value | undefined {
    return this.#entries.get(key)?.value;
  }

  /** Adds the newest entry, in place of the one that has its key. `size`: more than 0. */
  set(key: string, value: Value, partnerId: string, size: number): void {
    this.remove(key);
    let part = this.#parts.get(partnerId);
    if (part === undefined) this.#parts.set(partnerId, (part = { order: new UseOrder(), size: 0 }));
    const [inAll, inPart] = [this.#order.add(key), part.order.add(key)];
    this.#entries.set(key, { value, size, partnerId, inAll, inPart });
    part.size += size;
    this.#size += size;
  }

  /** Removes an entry, where there is one. */
  remove(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    const { value, partnerId, size, inAll, inPart } = entry;
    this.#entries.delete(key);
    this.#order.remove(inAll);
    this.#size -= size;
    const part = this.#parts.get(partnerId);
    part?.order.remove(inPart);
    if (part !== undefined) part.size -= size;
    if (part?.order.oldest === undefined) this.#parts.delete(partnerId);
    this.#onRemoved(key, value);
  }

  /** Removes what was not asked for longest, where there is anything. */
  removeOldest(): void {
    this.remove(this.#order.oldest ?? '');
  }

  /** The same of one partner. */
  removeOldestOf(partnerId: string): void {
    this.remove(this.#parts.get(partnerId)?.order.oldest ?? '');
  }
}
