import { sql } from 'kysely';
import type { EncryptedValue } from '../../domain/security/encryption.ts';
import type { CancelReason } from './deliveries.ts';
import type { Db } from '../connection/database.ts';
import type { LeasedSlot } from './in-flight-slots.ts';

/*
 * The life of a delivery:
 *
 *   pending             can be claimed when it is due and in no slot
 *   pending, in a slot  an attempt is in flight. When its worker is gone (its session lock is free), or when the lease
 *                       has expired (the backstop), in-flight-slots.ts clears the slot
 *   delivered           answered with 2xx
 *   exhausted           the last attempt failed
 *   cancelled           not to be sent, with a reason; an attempt then in flight is logged, not repeated
 *
 * Claim and commit, call the endpoint, record: no transaction is open during a call.
 */

/** A delivery for whose next attempt the caller holds a lease. */
export interface ClaimedDelivery extends LeasedSlot {
  readonly org_id: string;
  readonly webhook_id: string;
  readonly message_id: string;
  /** Attempts that have ended. */
  readonly attempts: number;
  /** When the event wrote it. */
  readonly created_at: Date;
  readonly payload: Buffer;
  readonly url: string;
  readonly secret: EncryptedValue;
  readonly secret_version: number;
  /** Set when the webhook does not want the message any more: the delivery must be cancelled, not sent. */
  readonly unwanted: CancelReason | null;
}

export interface ClaimLimits {
  /** The caller's free slots for first attempts and for retries: each lane has its own. */
  readonly first: number;
  readonly retry: number;
  /** Attempts in flight for one webhook, over all workers. */
  readonly perWebhook: number;
  /** Attempts in flight for one organization, over all workers. */
  readonly perOrganization: number;
}

/** Who takes leases, from when and until when. */
export interface LeaseTerms {
  /** 0 for a process that holds no presence lock. */
  readonly workerId: number;
  readonly now: Date;
  readonly until: Date;
}

/** The webhooks that one claim looks at in each lane; the next claim continues behind them. */
export const CLAIM_WINDOW = 256;

/** A webhook as a position in a lane, which is ordered by organization and webhook. */
export interface QueuePosition {
  readonly org_id: string;
  readonly webhook_id: string;
}

/** Behind which webhook the next claim continues in each lane; undefined is the start. */
export interface ClaimCursor {
  readonly first?: QueuePosition | undefined;
  readonly retry?: QueuePosition | undefined;
}

export interface ClaimedBatch {
  readonly deliveries: ClaimedDelivery[];
  readonly nextCursor: ClaimCursor;
  /** Lanes in which slots and due deliveries remain, because each webhook gave only its share. */
  readonly hasMore: { readonly first: boolean; readonly retry: boolean };
}

interface LaneClaim {
  readonly deliveries: ClaimedDelivery[];
  readonly next: QueuePosition | undefined;
  readonly hasMore: boolean;
}

const NIL_UUID = '00000000-0000-0000-0000-000000000000';

/** One row of a lane. Where nothing was claimed there is one row without a delivery. */
type LaneRow = Omit<ClaimedDelivery, 'secret' | 'message_id'> & {
  readonly is_retry: boolean;
  /** The last webhook of a full window. */
  readonly last_org: string | null;
  readonly last_webhook: string | null;
  /** Whether a webhook gave all of its share and may have more. */
  readonly has_more: boolean;
  readonly message_id: string | null;
  readonly encrypted_secret: Buffer;
  readonly secret_key_id: string;
};

/**
 * Leases due deliveries, first attempts and retries apart: within the limits, organizations in turn, within each the
 * webhooks in turn, within each of these the oldest delivery first. due_at does not change, so that a released delivery
 * keeps its position. The cost grows with the number of webhooks that wait, not with the backlog. In each lane the
 * calling worker keeps no more slots for one organization than it then has free, and for one webhook an eighth of them:
 * the more endpoints do not answer, the fewer slots each of them holds. One call is one transaction:
 * `claim_deliveries` in the migrations.
 */
export async function claimDeliveries(
  db: Db,
  { first, retry, perWebhook, perOrganization }: ClaimLimits,
  { workerId, now, until }: LeaseTerms,
  cursor: ClaimCursor = {},
): Promise<ClaimedBatch> {
  const start = { org_id: NIL_UUID, webhook_id: NIL_UUID };
  const [afterFirst, afterRetry] = [cursor.first ?? start, cursor.retry ?? start];
  const { rows } = await sql<LaneRow>`
    select is_retry, last_org, last_webhook, has_more, worker_id, slot, lease_token, org_id, message_id, webhook_id,
      attempts, created_at, payload, url, encrypted_secret, secret_key_id, secret_version, unwanted
    from claim_deliveries(${workerId}, ${now}, ${until}, ${first}, ${retry}, ${perWebhook}, ${perOrganization},
      ${CLAIM_WINDOW}, ${afterFirst.org_id}, ${afterFirst.webhook_id}, ${afterRetry.org_id}, ${afterRetry.webhook_id})
  `.execute(db);
  const [firstRows, retryRows] = [
    rows.filter(({ is_retry }) => !is_retry),
    rows.filter(({ is_retry }) => is_retry),
  ];
  const firstLane = toLaneClaim(firstRows, first, cursor.first);
  const retryLane = toLaneClaim(retryRows, retry, cursor.retry);
  return {
    deliveries: [...firstLane.deliveries, ...retryLane.deliveries],
    nextCursor: { first: firstLane.next, retry: retryLane.next },
    hasMore: { first: firstLane.hasMore, retry: retryLane.hasMore },
  };
}

/** A lane without free slots was not read; one without rows has nothing pending. */
function toLaneClaim(
  rows: readonly LaneRow[],
  freeSlots: number,
  after: QueuePosition | undefined,
): LaneClaim {
  const [row] = rows;
  if (row === undefined) return { deliveries: [], next: freeSlots > 0 ? undefined : after, hasMore: false };
  const deliveries = rows.filter(({ message_id }) => message_id !== null).map(toClaimedDelivery);
  // What a webhook has beyond its share is claimed from the same position again, as long as that brings something.
  const hasMore = row.has_more && deliveries.length > 0 && deliveries.length < freeSlots;
  if (hasMore) return { deliveries, next: after, hasMore };
  const { last_org: orgId, last_webhook: webhookId } = row;
  const next = orgId === null || webhookId === null ? undefined : { org_id: orgId, webhook_id: webhookId };
  return { deliveries, next, hasMore };
}

function toClaimedDelivery(row: LaneRow): ClaimedDelivery {
  const { message_id, encrypted_secret: bytes, secret_key_id: keyId, ...rest } = row;
  return { ...rest, message_id: message_id ?? '', secret: { keyId, bytes } };
}
