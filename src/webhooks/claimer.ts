import { randomUUID } from 'node:crypto';
import type { Db } from '../queries/connection/database.ts';
import { claimDeliveries } from '../queries/deliveries/delivery-queue.ts';
import type {
  ClaimCursor,
  ClaimedBatch,
  ClaimLimits,
  LeaseTerms,
} from '../queries/deliveries/delivery-queue.ts';
import { releaseClaims } from '../queries/deliveries/in-flight-slots.ts';

/** More lost claims are not remembered: the oldest one's leases end by themselves. */
const MOST_LOST_CLAIMS = 100;

/**
 * Claims for a worker. A claim that fails may have taken leases of which the worker does not know, and the database may take
 * them even after the worker has given the claim up. So they are given back before every further claim, for as long as a
 * lease lasts.
 */
export class Claimer {
  readonly #db: Db;
  /** Claims that failed; `untilMs` by `performance.now()`. */
  #lost: readonly { readonly leaseToken: string; readonly untilMs: number }[] = [];

  constructor(db: Db) {
    this.#db = db;
  }

  /** As `claimDeliveries`, under a token of its own. */
  async claim(
    limits: ClaimLimits,
    terms: Omit<LeaseTerms, 'leaseToken'>,
    cursor: ClaimCursor,
  ): Promise<ClaimedBatch> {
    const at = performance.now();
    this.#lost = this.#lost.filter(({ untilMs }) => untilMs > at);
    const lost = this.#lost.map(({ leaseToken }) => leaseToken);
    await releaseClaims(this.#db, terms.workerId, lost);
    const leaseToken = randomUUID();
    try {
      return await claimDeliveries(this.#db, limits, { ...terms, leaseToken }, cursor);
    } catch (error) {
      const failed = { leaseToken, untilMs: performance.now() + terms.leaseMs };
      this.#lost = [...this.#lost, failed].slice(-MOST_LOST_CLAIMS);
      throw error;
    }
  }
}
