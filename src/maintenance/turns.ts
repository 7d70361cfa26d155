// A removal that goes through organizations: each has a batch in its turn, so that none waits for all of another one.
import { PassEnd } from '../queries/connection/database-errors.ts';
import type { RemoveBatch } from './batches.ts';

/** What has failed in a round, in order. */
export class RoundErrors {
  readonly all: unknown[] = [];
  readonly #end = new PassEnd();

  /** A removal, or a turn of one, went well. */
  succeed(): void {
    this.#end.succeed();
  }

  /** Keeps the error; true when nothing else would succeed now either. */
  add(error: unknown): boolean {
    this.all.push(error);
    return this.#end.isReachedBy(error);
  }
}

/** What a removal does in a round. */
export interface TurnsOfRound<Place> {
  /** The organizations of which something may have to go. */
  readonly list: () => Promise<readonly string[]>;
  /**
   * Removes rows of one of them, of which it looks at `limit` at most, from the place on that its last turn came to; resolves to the place of its
   * next turn, undefined when nothing is left of it.
   */
  readonly remove: (orgId: string, limit: number, from: Place | undefined) => Promise<Place | undefined>;
}

/**
 * The organizations that wait for a turn of a removal, in order. It outlives a round: those that are left when the time of one is over come first in the next,
 * also when nothing new is found of them.
 */
export class RemovalTurns<Place> {
  readonly #waiting = new Map<string, Place | undefined>();
  readonly #listsAlways: boolean;

  /**
   * `listsAlways`: also while some wait, as where those of now are found for a while only. Otherwise all that were listed have had their turns
   * before any are listed again, so that a round ends however many there are.
   */
  constructor({ listsAlways }: { readonly listsAlways: boolean }) {
    this.#listsAlways = listsAlways;
  }

  /** The batches of a round, one for each turn. One that fails keeps no other organization waiting: `errors` hears of it. */
  begin({ list, remove }: TurnsOfRound<Place>, errors: RoundErrors): RemoveBatch {
    let isListed = !this.#listsAlways && this.#waiting.size > 0;
    return async (limit) => {
      if (!isListed) {
        for (const orgId of await list()) this.#waiting.set(orgId, this.#waiting.get(orgId));
        isListed = true;
      }
      const [next] = this.#waiting;
      if (next === undefined) return 0;
      const [orgId, from] = next;
      this.#waiting.delete(orgId);
      try {
        const place = await remove(orgId, limit, from);
        if (place !== undefined) this.#waiting.set(orgId, place);
        errors.succeed();
      } catch (error) {
        // The removal ends with an error that has been added: who adds it again is told the same.
        if (errors.add(error)) throw error;
      }
      return this.#waiting.size > 0 ? limit : 0;
    };
  }
}
