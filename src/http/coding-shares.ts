/** Answers that are coded at once: of all partners, and of one. */
export interface CodingLimits {
  readonly capacity: number;
  readonly ofPartner: number;
}

/**
 * Counts what is coded at once. Nobody waits: an answer for which there is no room is sent as it is, so that no partner pays for
 * another's compression with more than bytes.
 */
export class CodingShare {
  readonly #limits: CodingLimits;
  readonly #held = new Map<string, number>();
  #all = 0;

  constructor(limits: CodingLimits) {
    this.#limits = limits;
  }

  /** The function that gives the room back; undefined when there is none. */
  tryTake(partnerId: string): (() => void) | undefined {
    const held = this.#held.get(partnerId) ?? 0;
    if (this.#all >= this.#limits.capacity || held >= this.#limits.ofPartner) return undefined;
    this.#held.set(partnerId, held + 1);
    this.#all += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#all -= 1;
      const left = (this.#held.get(partnerId) ?? 1) - 1;
      if (left === 0) this.#held.delete(partnerId);
      else this.#held.set(partnerId, left);
    };
  }
}

/** What all partners share of compression. */
export interface SharedCoding {
  /** Bodies that are coded on threads as a whole, some milliseconds each. */
  readonly bodies: CodingShare;
  /** Long answers with a coder of their own, some 100 kB each. */
  readonly streams: CodingShare;
}

/** As many bodies as keep the threads of Node.js busy for a few milliseconds; streams for 6 MB. */
export function createSharedCoding(): SharedCoding {
  return {
    bodies: new CodingShare({ capacity: 8, ofPartner: 4 }),
    streams: new CodingShare({ capacity: 64, ofPartner: 8 }),
  };
}
