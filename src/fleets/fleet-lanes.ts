import { isRefusal, OverlongComputation } from '../domain/api/overlong-computation.ts';
import { isDatabaseUnavailable } from '../queries/connection/database.ts';
import type { ClaimedFleet } from '../queries/fleets/fleet-work.ts';
import { FleetClaims } from './fleet-claims.ts';
import { provisionFleet, recordProvisioningFailure } from './provisioning.ts';
import type { ProvisioningContext } from './provisioning.ts';
import { purgeFleetInBatches } from './purge.ts';

/** Batches of a removal after which its lane is free for others: some 8,000 rows. */
const PURGE_BATCHES_OF_A_TURN = 80;

/** A thread may have been slow by chance; households that take too long so often are given up. */
const MAX_OVERLONG_COMPUTATIONS = 3;

export interface FleetLanesOptions {
  readonly context: ProvisioningContext;
  /** Fleets worked on at once in this process. */
  readonly lanes: number;
  /** A lane is free. */
  readonly onFree: () => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Builds and removes fleets, one in each lane. Partners take turns. A turn is one claim: 1,000 households at most, as one call may
 * ask for, or a part of a removal. A lane that is free takes the next claim whatever the others do, so that nobody waits for the
 * longest one; and a partner has one lane, so that its many or long fleets leave the others free.
 */
export class FleetLanes {
  readonly #options: FleetLanesOptions;
  readonly #claims: FleetClaims;
  readonly #inWork = new Map<ClaimedFleet, Promise<void>>();
  /** How often the households of a fleet took too long. */
  readonly #overlong = new Map<string, number>();

  constructor(options: FleetLanesOptions) {
    this.#options = options;
    this.#claims = new FleetClaims({ ...options.context, lanes: options.lanes });
  }

  /** Begins work in the lanes that are free, as far as there is some; one call at a time. */
  async fill(): Promise<void> {
    const partners = [...this.#inWork.keys()].map(({ org_id: partnerId }) => partnerId);
    for (const claim of await this.#claims.claimBeside(partners)) this.#begin(claim);
  }

  /** Gives back what could not be given back, or postponed, while the database was away. */
  releaseAbandoned(): Promise<void> {
    return this.#claims.releaseAbandoned();
  }

  /** Does all work that there is, without `onFree`. */
  async processAll(): Promise<void> {
    try {
      const isIdle = (): boolean => this.#inWork.size === 0;
      for (;;) {
        const wasIdle = isIdle();
        await this.fill();
        if (!isIdle()) await Promise.race(this.#inWork.values());
        // What was in work when the claims began kept the other fleets of its partner from them, also if it has ended since.
        else if (wasIdle) return;
      }
    } finally {
      await this.waitUntilFree();
    }
  }

  /** Resolves when the work that has begun has ended. */
  async waitUntilFree(): Promise<void> {
    await Promise.all(this.#inWork.values());
  }

  #begin(claim: ClaimedFleet): void {
    const { onFree, onError } = this.#options;
    const ended = this.#work(claim)
      .catch(onError)
      .finally(() => {
        this.#inWork.delete(claim);
        onFree();
      });
    this.#inWork.set(claim, ended);
  }

  /** Work that the database cannot do now, or for which there is no thread, is left for later; other errors end it. */
  async #work(claim: ClaimedFleet): Promise<void> {
    const { context, onError } = this.#options;
    try {
      await (claim.status === 'purging' ? this.#purgeInTurn(claim) : provisionFleet(context, claim));
    } catch (error) {
      onError(error);
      if (this.#mayWorkLater(claim, error)) return this.#claims.postpone(claim);
      // The claim runs out, and the removal is tried again.
      if (claim.status === 'purging') return;
      const at = context.now();
      await context.db
        .transaction()
        .execute((tx) => recordProvisioningFailure(tx, claim, reasonOf(error), at));
    }
    this.#claims.forgetWaits(claim);
    this.#overlong.delete(claim.id);
    if (context.isStopping()) await this.#claims.release(claim);
  }

  #mayWorkLater(claim: ClaimedFleet, error: unknown): boolean {
    if (!(error instanceof OverlongComputation)) return isDatabaseUnavailable(error) || isRefusal(error);
    const count = (this.#overlong.get(claim.id) ?? 0) + 1;
    this.#overlong.set(claim.id, count);
    return count < MAX_OVERLONG_COMPUTATIONS;
  }

  /** A fleet of 10,000 households takes many turns: the rest is claimed again. */
  async #purgeInTurn(claim: ClaimedFleet): Promise<void> {
    if (!(await purgeFleetInBatches(this.#options.context, claim, PURGE_BATCHES_OF_A_TURN)))
      await this.#claims.release(claim);
  }
}

/** What the fleet's record says: no more than a partner may know. */
function reasonOf(error: unknown): string {
  const mayBeTold = error instanceof RangeError || error instanceof OverlongComputation;
  const detail = mayBeTold ? ` ${error.message}` : '';
  return `The households could not be created.${detail}`;
}
