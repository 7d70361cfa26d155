import { PartnerEntries } from './partner-entries.ts';

/**
 * Cache that is bounded by entries and divided among the partners that have some; what was not asked for longest goes first. While all
 * are in use, a partner with its part of them loses one of its own for a new one, and never one of another. Values must not be undefined.
 */
export class SharedCache<Value> {
  readonly #entries = new PartnerEntries<Value>();
  readonly #capacity: number;

  /** `capacity`: the number of entries kept, at least 1. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** The value for `key`, computed when it is not kept. `partnerId`: always the same for a key. */
  getOrCompute(key: string, partnerId: string, compute: () => Value): Value {
    const entries = this.#entries;
    const found = entries.find(key);
    if (found !== undefined) return found;
    const value = compute();
    entries.set(key, value, partnerId, 1);
    if (entries.size <= this.#capacity) return value;
    // With more partners than entries one of each is its part.
    const part = Math.max(1, this.#capacity / entries.partners);
    if (entries.sizeOf(partnerId) > part) entries.removeOldestOf(partnerId);
    else entries.removeOldest();
    return value;
  }
}
