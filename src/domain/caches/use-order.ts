/** Where a key stands in an order of use. */
export interface UseMark {
  readonly key: string;
  older: UseMark | undefined;
  newer: UseMark | undefined;
}

/**
 * Keys in the order in which they were last used. What is done to one takes a few steps however many there are: a map, from which
 * the oldest would be deleted again and again, finds the next one only past all that are gone.
 */
export class UseOrder {
  #oldest: UseMark | undefined;
  #newest: UseMark | undefined;

  /** The key that was not used for longest; undefined when there is none. */
  get oldest(): string | undefined {
    return this.#oldest?.key;
  }

  /** Adds a key that is used now; the mark is for what is done to it later. */
  add(key: string): UseMark {
    const mark: UseMark = { key, older: undefined, newer: undefined };
    this.#append(mark);
    return mark;
  }

  /** A key is used again. */
  renew(mark: UseMark): void {
    this.remove(mark);
    this.#append(mark);
  }

  /** Takes a key out. */
  remove({ older, newer }: UseMark): void {
    if (older === undefined) this.#oldest = newer;
    else older.newer = newer;
    if (newer === undefined) this.#newest = older;
    else newer.older = older;
  }

  #append(mark: UseMark): void {
    mark.older = this.#newest;
    mark.newer = undefined;
    if (this.#newest === undefined) this.#oldest = mark;
    else this.#newest.newer = mark;
    this.#newest = mark;
  }
}
