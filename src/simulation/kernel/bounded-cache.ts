/** Bounded memory for pure functions: what was computed last is kept, values never depend on it. */
export class BoundedCache<Key, Value> {
  readonly #values = new Map<Key, Value>();
  readonly #most: number;
  readonly #ring: Key[] = [];
  #turn = 0;
  /** The last answer, so that a run of equal questions costs a comparison. */
  #lastKey: Key | undefined;
  #lastValue: Value | undefined;

  constructor(most: number) {
    this.#most = most;
  }

  find(key: Key): Value | undefined {
    return this.#values.get(key);
  }

  /** The value for `key`, computed at most once while it is kept; the oldest goes first. */
  getOrCompute(key: Key, compute: () => Value): Value {
    if (key === this.#lastKey && this.#lastValue !== undefined) return this.#lastValue;
    let value = this.#values.get(key);
    if (value === undefined) {
      value = compute();
      // The keys stand in a ring, since a map finds its oldest entry only past all that were deleted.
      const oldest = this.#ring[this.#turn];
      if (this.#ring.length === this.#most && oldest !== undefined) this.#values.delete(oldest);
      this.#values.set(key, value);
      this.#ring[this.#turn] = key;
      this.#turn = (this.#turn + 1) % this.#most;
    }
    this.#lastKey = key;
    this.#lastValue = value;
    return value;
  }
}

/** The same for days near each other: each has the place of its number modulo `places`, a power of two. */
export class DayCache<Value> {
  readonly #days: number[] = [];
  readonly #values: Value[] = [];
  readonly #mask: number;

  constructor(places: number) {
    this.#mask = places - 1;
  }

  find(day: number): Value | undefined {
    const place = day & this.#mask;
    return this.#days[place] === day ? this.#values[place] : undefined;
  }

  /** Forgets what stands in the place of `day` and gives it, to be written over and kept anew. */
  evict(day: number): Value | undefined {
    const place = day & this.#mask;
    this.#days[place] = NaN;
    return this.#values[place];
  }

  set(day: number, value: Value): Value {
    const place = day & this.#mask;
    this.#days[place] = day;
    this.#values[place] = value;
    return value;
  }
}
