import { PartnerEntries } from './partner-entries.ts';

/**
 * Cache that is bounded by the sizes of its entries, or by their number, and divided among the partners that have some; what was not
 * asked for longest goes first. While all of it is in use, a partner with its part loses its own entries for a new one, and never
 * those of another. Values must not be undefined.
 */
export class SharedCache<Value> {
  readonly #entries: PartnerEntries<Value>;
  readonly #capacity: number;

  /** `capacity`: the sizes of all entries that are kept, together, at least 1. `onRemoved` hears of each that goes or is replaced. */
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

  /** Keeps a value in place of the one before. One that is larger than the whole cache is not kept. */
  set(key: string, value: Value, partnerId: string, size = 1): void {
    const entries = this.#entries;
    entries.remove(key);
    if (size > this.#capacity) return;
    entries.set(key, value, partnerId, size);
    while (entries.size > this.#capacity) {
      // One entry is a part where it is larger: with more partners than entries one of each is.
      const part = Math.max(size, this.#capacity / entries.partners);
      if (entries.sizeOf(partnerId) > part) entries.removeOldestOf(partnerId);
      else entries.removeOldest();
    }
  }

  /** Forgets a value, where one is kept. */
  remove(key: string): void {
    this.#entries.remove(key);
  }

  /** The value for `key`, computed when it is not kept. `partnerId`: always the same for a key. */
  getOrCompute(key: string, partnerId: string, compute: () => Value, size = 1): Value {
    const found = this.find(key);
    if (found !== undefined) return found;
    const value = compute();
    this.set(key, value, partnerId, size);
    return value;
  }
}
