/** Hears that something has changed, and not what. */
type OnChange = () => void;

/** The open pages of a process that show what no message tells of, by the organizations whose changes they show. */
export class ChangeFeed {
  readonly #listeners = new Map<string, Set<OnChange>>();

  /** Calls `onChange` for each change of one of these organizations until the returned function is called. */
  listen(orgIds: readonly string[], onChange: OnChange): () => void {
    for (const orgId of orgIds) {
      const listeners = this.#listeners.get(orgId) ?? new Set();
      this.#listeners.set(orgId, listeners.add(onChange));
    }
    return () => {
      for (const orgId of orgIds) {
        const listeners = this.#listeners.get(orgId);
        listeners?.delete(onChange);
        if (listeners?.size === 0) this.#listeners.delete(orgId);
      }
    };
  }

  /** Something of these organizations has changed; of unknown ones where none are named. */
  announceChange(orgIds: readonly string[] = [...this.#listeners.keys()]): void {
    const heard = new Set(orgIds.flatMap((orgId) => [...(this.#listeners.get(orgId) ?? [])]));
    for (const onChange of heard) onChange();
  }
}
