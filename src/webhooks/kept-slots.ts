import type { ClaimCursor, ClaimedBatch, ClaimLimits } from '../queries/deliveries/delivery-queue.ts';
import { QueueReader, type Lanes, type QueueReaderOptions } from './queue-reader.ts';

/*
 * A partner that waits alone may fill the slots of a lane, but not the last eighth: this is kept for partners that have few attempts in
 * flight, over all processes. So a message finds a slot at once, although nothing ends for seconds where another partner's endpoints do not
 * answer. Who has few gets no more than few of what is kept, so that it is not taken by the next one alone.
 */

const KEPT_PART = 8;
/** Fewer attempts are few. */
const FEW_IN_FLIGHT = 4;
/** A webhook holds at most an eighth of the slots that are free (`claim_deliveries`). Where so many others are, each has few without the kept ones. */
const ENOUGH_FOR_FEW = 8 * FEW_IN_FLIGHT;

export interface SlotClaimsOptions extends Omit<QueueReaderOptions, 'claim'> {
  readonly slots: Lanes;
  readonly limits: Omit<ClaimLimits, keyof Lanes>;
  readonly claim: (limits: ClaimLimits, cursor: ClaimCursor) => Promise<ClaimedBatch>;
}

/** Claims for the slots of a process: for whoever waits, and behind each such claim for partners that have few attempts in flight. */
export class SlotClaims {
  readonly #rest: QueueReader;
  readonly #kept: QueueReader;

  constructor({ slots, limits, claim, freeSlots, ...options }: SlotClaimsOptions) {
    const few = { ...limits, perPartner: Math.min(FEW_IN_FLIGHT, limits.perPartner) };
    this.#rest = new QueueReader({
      ...options,
      freeSlots: () => subtractKept(slots, freeSlots()),
      claim: (free, cursor) => claim({ ...free, ...limits }, cursor),
    });
    this.#kept = new QueueReader({
      ...options,
      freeSlots: () => freeForFew(slots, freeSlots()),
      claim: (free, cursor) => claim({ ...free, ...few }, cursor),
    });
  }

  /** The number of deliveries. */
  async claimUntilFull(): Promise<number> {
    let claimed = 0;
    let kept = this.#kept.claimUntilFull();
    for await (const ofRest of this.#rest.claimUntilFull()) {
      let ofKept = await kept.next();
      if (ofKept.done === true) {
        kept = this.#kept.claimUntilFull();
        ofKept = await kept.next();
      }
      claimed += ofRest + (ofKept.value ?? 0);
    }
    for await (const ofKept of kept) claimed += ofKept;
    return claimed;
  }
}

/** The free slots that are not kept, by lane; negative where some of the kept ones are in use. */
function subtractKept(slots: Lanes, free: Lanes): Lanes {
  return { first: free.first - keptOf(slots.first), retry: free.retry - keptOf(slots.retry) };
}

/** All free slots of those lanes of which few others are free, whether all of these are in use or nobody else may have one. */
function freeForFew(slots: Lanes, free: Lanes): Lanes {
  const others = subtractKept(slots, free);
  return {
    first: others.first < ENOUGH_FOR_FEW ? free.first : 0,
    retry: others.retry < ENOUGH_FOR_FEW ? free.retry : 0,
  };
}

/** A lane of less than eight slots keeps none. */
function keptOf(slots: number): number {
  return Math.floor(slots / KEPT_PART);
}
