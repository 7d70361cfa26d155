import { sql } from 'kysely';
import type { Sealed } from '../../domain/security/encryption.ts';
import type { CancelReason } from './deliveries.ts';
import type { Db } from '../connection/database.ts';
import type { LeasedPlace } from './in-flight-slots.ts';

/*
 * The life of a delivery:
 *
 *   pending             claimable when due and in nobody's place
 *   pending, in a place an attempt is under way. When its worker is gone (its session lock is free) or
 *                       the lease is over (the backstop), delivery-places.ts empties the place
 *   delivered           answered with 2xx
 *   exhausted           the last attempt failed
 *   cancelled           dropped with a reason; an attempt then under way is logged, not repeated
 *
 * Claim, let go, call, record: no transaction is open during a call.
 */

/** A delivery for whose next attempt the caller holds a lease. */
export interface ClaimedDelivery extends LeasedPlace {
  readonly org_id: string;
  readonly webhook_id: string;
  readonly message_id: string;
  /** Attempts that have ended. */
  readonly attempts: number;
  /** When the event wrote it. */
  readonly created_at: Date;
  readonly payload: Buffer;
  readonly url: string;
  readonly secret: Sealed;
  readonly secret_version: number;
  /** Set when the webhook does not want the message any more: it is to be cancelled, not sent. */
  readonly unwanted: CancelReason | null;
}

export interface ClaimLimits {
  /** Free places for first attempts and for retries: each lane has its own. */
  readonly first: number;
  readonly retry: number;
  /** Attempts under way for one webhook, over all workers. */
  readonly perWebhook: number;
  /** Attempts under way for one organization, over all workers. */
  readonly perOrganization: number;
}

export interface Lease {
  /** The worker's number; 0 for a process that holds no presence. */
  readonly owner: number;
  readonly now: Date;
  readonly until: Date;
}

/** Webhooks that a claim looks at in each lane; the next claim goes on behind them. */
export const claimWindow = 256;

export interface Position {
  readonly org_id: string;
  readonly webhook_id: string;
}

/** Where each lane's next look begins; undefined is the start. */
export interface ClaimCursor {
  readonly first?: Position | undefined;
  readonly retry?: Position | undefined;
}

export interface Claim {
  readonly deliveries: ClaimedDelivery[];
  readonly next: ClaimCursor;
  /** Lanes in which free places and due deliveries are left, since each webhook gave its share only. */
  readonly isCut: { readonly first: boolean; readonly retry: boolean };
}

interface LaneClaim {
  readonly deliveries: ClaimedDelivery[];
  readonly next: Position | undefined;
  readonly isCut: boolean;
}

const nil = '00000000-0000-0000-0000-000000000000';

/** One row of a lane; only what was looked at where nothing was claimed. */
type LaneRow = Omit<ClaimedDelivery, 'secret' | 'message_id'> & {
  readonly is_retry: boolean;
  /** The last webhook of a full window. */
  readonly last_org: string | null;
  readonly last_webhook: string | null;
  /** Whether a webhook gave all of its share and may have more. */
  readonly has_more: boolean;
  readonly message_id: string | null;
  readonly secret_sealed: Buffer;
  readonly secret_key_id: string;
};

/**
 * Leases due deliveries, first attempts and retries apart: within the caps, each organization's in turn, of each
 * organization each webhook's in turn, of each webhook the oldest. due_at stays, so that what is released keeps its
 * turn. The cost is that of the webhooks that wait, not of the backlog. A webhook or organization gets no more places
 * than the worker then has free (an eighth of them for a webhook) in the lane: the more endpoints hang, the fewer
 * places each of them holds. One call is one transaction: `claim_deliveries` in the migrations.
 */
export async function claimDeliveries(
  db: Db,
  { first, retry, perWebhook, perOrganization }: ClaimLimits,
  { owner, now, until }: Lease,
  cursor: ClaimCursor = {},
): Promise<Claim> {
  const start = { org_id: nil, webhook_id: nil };
  const [afterFirst, afterRetry] = [cursor.first ?? start, cursor.retry ?? start];
  const { rows } = await sql<LaneRow>`/* planned */
    select is_retry, last_org, last_webhook, has_more, owner, place, lease_token, org_id, message_id, webhook_id,
      attempts, created_at, payload, url, secret_sealed, secret_key_id, secret_version, unwanted
    from claim_deliveries(${owner}, ${now}, ${until}, ${first}, ${retry}, ${perWebhook}, ${perOrganization},
      ${claimWindow}, ${afterFirst.org_id}, ${afterFirst.webhook_id}, ${afterRetry.org_id}, ${afterRetry.webhook_id})
  `.execute(db);
  const inFirst = laneOf(
    rows.filter(({ is_retry }) => !is_retry),
    first,
    cursor.first,
  );
  const inRetry = laneOf(
    rows.filter(({ is_retry }) => is_retry),
    retry,
    cursor.retry,
  );
  return {
    deliveries: [...inFirst.deliveries, ...inRetry.deliveries],
    next: { first: inFirst.next, retry: inRetry.next },
    isCut: { first: inFirst.isCut, retry: inRetry.isCut },
  };
}

/** A lane without free places was not looked at; one without rows has nothing pending. */
function laneOf(rows: readonly LaneRow[], places: number, after: Position | undefined): LaneClaim {
  const [looked] = rows;
  if (looked === undefined) return { deliveries: [], next: places > 0 ? undefined : after, isCut: false };
  const deliveries = rows.filter(({ message_id }) => message_id !== null).map(claimedOf);
  // What a webhook has beyond its share is looked at again from the same place, as long as that brings something.
  const isCut = looked.has_more && deliveries.length > 0 && deliveries.length < places;
  if (isCut) return { deliveries, next: after, isCut };
  const { last_org: orgId, last_webhook: webhookId } = looked;
  const next = orgId === null || webhookId === null ? undefined : { org_id: orgId, webhook_id: webhookId };
  return { deliveries, next, isCut };
}

function claimedOf(row: LaneRow): ClaimedDelivery {
  const { message_id, secret_sealed: box, secret_key_id: keyId, ...rest } = row;
  return { ...rest, message_id: message_id ?? '', secret: { keyId, box } };
}
