/** Bounded memory for pure functions: what was computed last is kept, values never depend on it. */
export class Memory<Key, Value> {
  readonly #values = new Map<Key, Value>();
  readonly #most: number;
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
  get(key: Key, compute: () => Value): Value {
    if (key === this.#lastKey && this.#lastValue !== undefined) return this.#lastValue;
    let value = this.#values.get(key);
    if (value === undefined) {
      value = compute();
      this.#values.set(key, value);
      if (this.#values.size > this.#most) {
        for (const oldest of this.#values.keys()) {
          this.#values.delete(oldest);
          break;
        }
      }
    }
    this.#lastKey = key;
    this.#lastValue = value;
    return value;
  }
}
