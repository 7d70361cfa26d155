import { PartnerEntries } from './partner-entries.ts';

/**
 * Cache that is bounded by entries and divided among the partners that have some; what was not asked for longest goes first. While all
 * are in use, a partner with its part of them loses one of its own for a new one, and never one of another. Values must not be undefined.
 */
export class SharedCache<Value> {
  readonly #entries: PartnerEntries<Value>;
  readonly #capacity: number;

  /** `capacity`: the number of entries kept, at least 1. `onRemoved` hears of each that goes or is replaced. */
  constructor(capacity: number, onRemoved?: (key: string, value: Value) => void) {
    this.#capacity = capacity;
    this.#entries = new PartnerEntries(onRemoved);
  }

  /** The value for `key`, which is asked for now; undefined when it is not kept. */
  find(key: string): Value | undefined {
    return this.#entries.find(key);
  }

  /** The same, and it counts as not asked for. */
  peek(key: string): Value | undefined {
    return this.#entries.peek(key);
  }

  /** Keeps a value in place of the one before. */
  set(key: string, value: Value, partnerId: string): void {
    const entries = this.#entries;
    entries.set(key, value, partnerId, 1);
    if (entries.size <= this.#capacity) return;
    // With more partners than entries one of each is its part.
    const part = Math.max(1, this.#capacity / entries.partners);
    if (entries.sizeOf(partnerId) > part) entries.removeOldestOf(partnerId);
    else entries.removeOldest();
  }

  /** Forgets a value, where one is kept. */
  remove(key: string): void {
    this.#entries.remove(key);
  }

  /** The value for `key`, computed when it is not kept. `partnerId`: always the same for a key. */
  getOrCompute(key: string, partnerId: string, compute: () => Value): Value {
    const found = this.find(key);
    if (found !== undefined) return found;
    const value = compute();
    this.set(key, value, partnerId);
    return value;
  }
}
