import { Backoff } from '../loops/backoff.ts';
import type { Db } from '../queries/connection/database.ts';
import { claimFleet, postponeFleetClaim, releaseFleetClaim } from '../queries/fleets/fleet-work.ts';
import type { ClaimedFleet } from '../queries/fleets/fleet-work.ts';

/** Partners of which is remembered when they were served. */
const MAX_SERVED = 100;
/** Work that the database could not do is tried again after a quarter of a second, later after a second. */
const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 1_000;

interface FleetClaimsOptions {
  readonly db: Db;
  readonly now: () => Date;
  readonly leaseUntil: () => Date;
  readonly isStopping: () => boolean;
  /** Fleets worked on at once in this process. */
  readonly lanes: number;
}

/** The claims of one process on fleets that have work. */
export class FleetClaims {
  readonly #options: FleetClaimsOptions;
  readonly #backoff = new Backoff(FIRST_RETRY_MS, LONGEST_RETRY_MS);
  /** Claims of work that failed together with the database; they would keep all runners off until their leases end. */
  readonly #abandoned = new Set<ClaimedFleet>();
  /** The partners whose fleets were worked on last, the latest last. */
  readonly #served = new Set<string>();

  constructor(options: FleetClaimsOptions) {
    this.#options = options;
  }

  /**
   * A fleet for each lane that is free beside those in which fleets of `inWork` are worked on: one after the other, so that each claim sees
   * which partners are being served. A partner has one lane: what is written for it at the same time competes in the database
   * with the requests of others.
   */
  async claimBeside(inWork: readonly string[]): Promise<readonly ClaimedFleet[]> {
    const { db, now, leaseUntil, isStopping, lanes } = this.#options;
    const claims: ClaimedFleet[] = [];
    try {
      while (inWork.length + claims.length < lanes && !isStopping()) {
        const partners = [...inWork, ...claims.map(({ org_id: partnerId }) => partnerId)];
        const claim = await claimFleet(db, now(), leaseUntil(), [...this.#served], partners);
        if (claim === undefined) break;
        claims.push(claim);
        this.#remember(claim.org_id);
      }
    } catch (error) {
      for (const claim of claims) this.#abandoned.add(claim);
      throw error;
    }
    return claims;
  }

  release(claim: ClaimedFleet): Promise<void> {
    return releaseFleetClaim(this.#options.db, claim);
  }

  /** Nobody works on the fleet for a moment, each time a longer one. */
  async postpone(claim: ClaimedFleet): Promise<void> {
    const { db, now } = this.#options;
    const until = new Date(now().getTime() + this.#backoff.nextMs(claim.id));
    await postponeFleetClaim(db, claim, until).catch(() => this.#abandoned.add(claim));
  }

  /** The work has ended: the next one waits for a short moment again when it is postponed. */
  forgetWaits(claim: ClaimedFleet): void {
    this.#backoff.forget(claim.id);
  }

  /** Releases what could not be released, or postponed, while the database was away. */
  async releaseAbandoned(): Promise<void> {
    for (const claim of this.#abandoned) {
      await this.release(claim);
      this.#abandoned.delete(claim);
    }
  }

  #remember(partnerId: string): void {
    this.#served.delete(partnerId);
    this.#served.add(partnerId);
    const [oldest] = this.#served;
    if (this.#served.size > MAX_SERVED && oldest !== undefined) this.#served.delete(oldest);
  }
}
