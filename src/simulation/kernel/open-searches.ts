/** More than go on at once for one partner. */
const MOST_SEARCHES = 256;

/**
 * Searches that are made in pieces, by what they look for: each of those who ask by turns goes on with its own. What nobody goes on with
 * any more makes room.
 */
export class OpenSearches<Search> {
  readonly #searches = new Map<number, Search>();

  /** Takes the search for `key` out, or one that begins. Put it back with `keep` unless it has found. */
  take(key: number, begin: () => Search): Search {
    const search = this.#searches.get(key) ?? begin();
    this.#searches.delete(key);
    return search;
  }

  /** Keeps a search that was taken, or begun. */
  keep(key: number, search: Search): void {
    this.#searches.set(key, search);
    if (this.#searches.size > MOST_SEARCHES) this.#searches.delete(this.#searches.keys().next().value ?? key);
  }
}
