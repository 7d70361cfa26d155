/** Caches of limited size for pure functions: results are kept to save time, values never depend on them. */

/** Cache that drops the oldest entry when it is full. Values must not be undefined. */
export class BoundedCache<Key, Value> {
  readonly #values = new Map<Key, Value>();
  readonly #capacity: number;
  /** The keys in order of insertion: a map finds its oldest entry only past all that were deleted. */
  readonly #ring: Key[] = [];
  #nextSlot = 0;
  /** The last result, so that a run of equal questions costs a comparison. */
  #lastKey: Key | undefined;
  #lastValue: Value | undefined;

  /** `capacity`: the number of entries kept, at least 1. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** The value for `key`; undefined when it is not kept. */
  find(key: Key): Value | undefined {
    return this.#values.get(key);
  }

  /** The value for `key`, computed when it is not kept. */
  getOrCompute(key: Key, compute: () => Value): Value {
    if (key === this.#lastKey && this.#lastValue !== undefined) return this.#lastValue;
    let value = this.#values.get(key);
    if (value === undefined) {
      value = compute();
      const oldest = this.#ring[this.#nextSlot];
      if (this.#ring.length === this.#capacity && oldest !== undefined) this.#values.delete(oldest);
      this.#values.set(key, value);
      this.#ring[this.#nextSlot] = key;
      this.#nextSlot = (this.#nextSlot + 1) % this.#capacity;
    }
    this.#lastKey = key;
    this.#lastValue = value;
    return value;
  }
}

/** Cache for values of days near each other: a day has the slot of its number modulo the number of slots. */
export class DayCache<Value> {
  readonly #days: number[] = [];
  readonly #values: Value[] = [];
  readonly #mask: number;

  /** `slots`: the number of days kept, a power of two. */
  constructor(slots: number) {
    this.#mask = slots - 1;
  }

  /** The value of `day`; undefined when it is not kept. */
  find(day: number): Value | undefined {
    const slot = day & this.#mask;
    return this.#days[slot] === day ? this.#values[slot] : undefined;
  }

  /** Empties the slot of `day` and returns the value that stood there, whose memory may be used again. */
  evict(day: number): Value | undefined {
    const slot = day & this.#mask;
    this.#days[slot] = NaN;
    return this.#values[slot];
  }

  /** Keeps `value` for `day` and returns it. */
  set(day: number, value: Value): Value {
    const slot = day & this.#mask;
    this.#days[slot] = day;
    this.#values[slot] = value;
    return value;
  }
}
