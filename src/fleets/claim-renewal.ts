import type { Db } from '../queries/connection/database.ts';
import { renewFleetClaim } from '../queries/fleets/fleet-work.ts';
import type { ClaimedFleet } from '../queries/fleets/fleet-work.ts';

export interface RenewalContext {
  readonly db: Db;
  readonly leaseUntil: () => Date;
  /** Resolves when a claim is to be renewed, well before its lease ends, or once the signal is aborted. */
  readonly untilRenewal: (signal: AbortSignal) => Promise<unknown>;
  /** Hears why a claim could not be renewed; that is tried again. */
  readonly onError: (error: unknown) => void;
}

/**
 * Does work that takes long and writes nothing with its claim renewed meanwhile, so that no other worker begins the same: two that take
 * longer than a lease would take the fleet from each other for ever. The claim of a worker that is killed ends with its lease.
 * What the work resolves to, or rejects with; a claim that was lost is renewed no more, and is found out by the next step.
 */
export async function keepClaimDuring<Result>(
  context: RenewalContext,
  claim: ClaimedFleet,
  work: () => Promise<Result>,
): Promise<Result> {
  const end = new AbortController();
  const renewals = renewUntil(end.signal, context, claim);
  try {
    return await work();
  } finally {
    end.abort();
    await renewals;
  }
}

async function renewUntil(
  signal: AbortSignal,
  { db, leaseUntil, untilRenewal, onError }: RenewalContext,
  claim: ClaimedFleet,
): Promise<void> {
  for (let isHeld = true; isHeld;) {
    await untilRenewal(signal);
    if (signal.aborted) return;
    try {
      isHeld = await renewFleetClaim(db, claim, leaseUntil());
    } catch (error) {
      onError(error);
    }
  }
}
