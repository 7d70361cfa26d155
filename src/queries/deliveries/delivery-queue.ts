import { sql } from 'kysely';
import type { EncryptedValue } from '../../domain/security/encryption.ts';
import type { CancelReason } from './deliveries.ts';
import type { Db } from '../connection/database.ts';
import { prepare } from '../connection/prepared.ts';
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
 * Claim and commit, call the endpoint, record: no transaction is open during a call. The database's clock alone says what is
 * due and when a lease is over: workers' clocks differ.
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
  /** Attempts in flight for one partner with all its organizations, over all workers. */
  readonly perPartner: number;
}

/** Who takes leases, and for how long. */
export interface LeaseTerms {
  /** 0 for a process that holds no presence lock. */
  readonly workerId: number;
  /** Counted by the database's clock from when the claim has its turn. */
  readonly leaseMs: number;
  /** A UUID of this claim's own, by which its leases can be given back also when its answer was lost. */
  readonly leaseToken: string;
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
  /** Lanes in which slots and due deliveries remain, because each webhook gave only its share or a partner had its equal part. */
  readonly hasMore: { readonly first: boolean; readonly retry: boolean };
}

const NIL_UUID = '00000000-0000-0000-0000-000000000000';

/** What a claim has seen of a lane that has pending deliveries and free slots. */
interface Lane {
  readonly is_retry: boolean;
  /** The last webhook of a full window. */
  readonly last_org: string | null;
  readonly last_webhook: string | null;
  /** Whether a webhook gave all of its share and may have more, or a partner that waits had its equal part. */
  readonly has_more: boolean;
}

/** Instants are ISO 8601 text, bytes base64. */
interface ClaimAnswer {
  readonly lanes: readonly Lane[];
  readonly claimed: {
    readonly deliveries: readonly {
      readonly slot: number;
      readonly message_id: string;
      readonly webhook_id: string;
      readonly attempts: number;
      readonly created_at: string;
      readonly payload: string;
      readonly unwanted: CancelReason | null;
    }[];
    /** Once each. */
    readonly webhooks: readonly {
      readonly org_id: string;
      readonly id: string;
      readonly url: string;
      readonly encrypted_secret: string;
      readonly secret_key_id: string;
      readonly secret_version: number;
    }[];
  };
}

/**
 * Leases due deliveries, first attempts and retries apart: within the limits, partners in turn, within each its
 * organizations, within each of these its webhooks, and of a webhook the oldest delivery first. due_at does not change, so that
 * a released delivery keeps its position. The cost grows with the number of webhooks that wait, not with the backlog. While
 * several partners wait in a lane, the calling worker gives none of them more than its equal part of the lane's slots. One
 * webhook holds at most an eighth of the slots that are then free, or one: the more endpoints do not answer, the fewer slots
 * each of them holds. One call is two transactions, the claim and the reading of what was claimed, so it must not run inside
 * of another: `claim_deliveries` in the migrations.
 */
export async function claimDeliveries(
  db: Db,
  { first, retry, perWebhook, perPartner }: ClaimLimits,
  terms: LeaseTerms,
  cursor: ClaimCursor = {},
): Promise<ClaimedBatch> {
  const start = { org_id: NIL_UUID, webhook_id: NIL_UUID };
  const [afterFirst, afterRetry] = [cursor.first ?? start, cursor.retry ?? start];
  const [answer] = await callClaim(db, {
    ...{ ...terms, first, retry, perWebhook, perPartner },
    ...{ firstOrg: afterFirst.org_id, firstWebhook: afterFirst.webhook_id },
    ...{ retryOrg: afterRetry.org_id, retryWebhook: afterRetry.webhook_id },
  });
  if (answer === undefined) throw new Error('The claim has no answer.');
  const deliveries = toClaimedDeliveries(terms, answer.claimed);
  const firsts = deliveries.filter(({ attempts }) => attempts === 0).length;
  const [firstLane, retryLane] = [false, true].map((isRetry) =>
    answer.lanes.find(({ is_retry }) => is_retry === isRetry),
  );
  const ofFirst = toLaneClaim(firstLane, { claimed: firsts, freeSlots: first, after: cursor.first });
  const ofRetry = toLaneClaim(retryLane, {
    ...{ claimed: deliveries.length - firsts, freeSlots: retry, after: cursor.retry },
  });
  return {
    deliveries,
    nextCursor: { first: ofFirst.next, retry: ofRetry.next },
    hasMore: { first: ofFirst.hasMore, retry: ofRetry.hasMore },
  };
}

interface ClaimValues extends LeaseTerms {
  readonly first: number;
  readonly retry: number;
  readonly perWebhook: number;
  readonly perPartner: number;
  readonly firstOrg: string;
  readonly firstWebhook: string;
  readonly retryOrg: string;
  readonly retryWebhook: string;
}

const callClaim = prepare(
  (_db, values: ClaimValues) => sql<ClaimAnswer>`
    call claim_deliveries(${values.workerId}, ${values.leaseToken}, ${values.leaseMs}, ${values.first}, ${values.retry},
      ${values.perWebhook}, ${values.perPartner}, ${sql.lit(CLAIM_WINDOW)}, ${values.firstOrg}, ${values.firstWebhook},
      ${values.retryOrg}, ${values.retryWebhook}, null, null)
  `,
);

/** A lane without free slots was not read; one that has nothing pending is not there. */
function toLaneClaim(
  lane: Lane | undefined,
  {
    claimed,
    freeSlots,
    after,
  }: { readonly claimed: number; readonly freeSlots: number; readonly after: QueuePosition | undefined },
): { readonly next: QueuePosition | undefined; readonly hasMore: boolean } {
  if (lane === undefined) return { next: freeSlots > 0 ? undefined : after, hasMore: false };
  // What a webhook has beyond its share is claimed from the same position again, as long as that brings something.
  const hasMore = lane.has_more && claimed > 0 && claimed < freeSlots;
  if (hasMore) return { next: after, hasMore };
  const { last_org: orgId, last_webhook: webhookId } = lane;
  const next = orgId === null || webhookId === null ? undefined : { org_id: orgId, webhook_id: webhookId };
  return { next, hasMore };
}

/** The deliveries of a webhook share what is the webhook's: its secret is one object. */
function toClaimedDeliveries(
  { workerId, leaseToken }: LeaseTerms,
  { deliveries, webhooks }: ClaimAnswer['claimed'],
): ClaimedDelivery[] {
  const webhookById = new Map(
    webhooks.map(({ id, encrypted_secret: bytes, secret_key_id: keyId, ...webhook }) => [
      id,
      { ...webhook, secret: { keyId, bytes: Buffer.from(bytes, 'base64') } },
    ]),
  );
  const claimed: ClaimedDelivery[] = [];
  for (const { created_at: createdAt, payload, ...delivery } of deliveries) {
    const webhook = webhookById.get(delivery.webhook_id);
    if (webhook === undefined) continue;
    claimed.push({
      ...delivery,
      ...webhook,
      worker_id: workerId,
      lease_token: leaseToken,
      created_at: new Date(createdAt),
      payload: Buffer.from(payload, 'base64'),
    });
  }
  return claimed;
}
