import { sql } from 'kysely';
import type { Sealed } from '../domain/sealed.ts';
import type { CancelReason } from './deliveries.ts';
import type { Db, Tx } from './database.ts';
import { keepPlaces, type LeasedPlace } from './delivery-places.ts';

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

/** Serialises claims, so that workers together keep within the caps and none takes what another has. */
const claimLock = 0x64_6c_76_72;

const lanes = {
  first: { isRetry: sql`false`, isIn: sql`state = 'pending' and attempts = 0` },
  retry: { isRetry: sql`true`, isIn: sql`state = 'pending' and attempts > 0` },
};

const nothing: LaneClaim = { deliveries: [], next: undefined, isCut: false };

/**
 * Leases due deliveries, first attempts and retries apart: within the caps, each organization's in turn, of each
 * organization each webhook's in turn, of each webhook the oldest. due_at stays, so that what is released keeps its
 * turn. The webhooks that wait are found by skipping through the lane's index, so that the cost is theirs, not the
 * backlog's. A webhook or organization gets no more places than the worker then has free (an eighth of
 * them for a webhook) in the lane: the more endpoints hang, the fewer places each of them holds.
 *
 * The lock comes before the statement that reads, whose snapshot then has all earlier claims. A claim need not survive a
 * crash of the database (what it leased is due again), so its commit waits for no disk.
 */
export async function claimDeliveries(
  db: Db,
  limits: ClaimLimits,
  lease: Lease,
  cursor: ClaimCursor = {},
): Promise<Claim> {
  return db.transaction().execute(async (tx) => {
    const hasRetries = await lockClaims(tx, limits, lease.owner);
    const lane = async (name: keyof typeof lanes, isThere: boolean): Promise<LaneClaim> => {
      if (limits[name] <= 0) return { ...nothing, next: cursor[name] };
      return isThere ? claimLane(tx, name, limits, lease, cursor[name]) : nothing;
    };
    const first = await lane('first', true);
    const retry = await lane('retry', hasRetries);
    return {
      deliveries: [...first.deliveries, ...retry.deliveries],
      next: { first: first.next, retry: retry.next },
      isCut: { first: first.isCut, retry: retry.isCut },
    };
  });
}

/**
 * Waits for other claims and sees to the worker's places; tells whether there are retries at all.
 *
 * The planner knows nothing of a queue that is empty now and long then: seqscan would read it whole. Planning
 * anew took ten times as long as claiming one row (4.8 against 0.5 ms).
 */
async function lockClaims(tx: Tx, { first, retry }: ClaimLimits, owner: number): Promise<boolean> {
  const { rows } = await sql<{ free: number; has_retries: boolean }>`/* planned */
    select pg_advisory_xact_lock(${claimLock}), set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true),
      set_config('plan_cache_mode', 'force_generic_plan', true), set_config('synchronous_commit', 'off', true),
      (select count(*) from delivery_places where owner = ${owner} and message_id is null) as free,
      exists (select from deliveries where ${lanes.retry.isIn}) as has_retries
  `.execute(tx);
  const { free = 0, has_retries: hasRetries = false } = rows[0] ?? {};
  const missing = Math.max(first, 0) + Math.max(retry, 0) - free;
  if (missing > 0) await keepPlaces(tx, owner, missing);
  return hasRetries;
}

/** Nothing but what was looked at when nothing was claimed. */
type LaneRow = Omit<ClaimedDelivery, 'secret' | 'message_id'> & {
  readonly message_id: string | null;
  readonly secret_sealed: Buffer;
  readonly secret_key_id: string;
};

const claimedOf = ({
  message_id,
  secret_sealed: box,
  secret_key_id: keyId,
  ...row
}: LaneRow): ClaimedDelivery => ({
  ...row,
  message_id: message_id ?? '',
  secret: { keyId, box },
});

/** The last webhook of a full window; whether one gave all of its share and may have more. */
interface Looked {
  readonly last_org: string | null;
  readonly last_webhook: string | null;
  readonly has_more: boolean;
}

async function claimLane(
  tx: Tx,
  lane: keyof typeof lanes,
  limits: ClaimLimits,
  { owner, now, until }: Lease,
  after: Position | undefined,
): Promise<LaneClaim> {
  const places = limits[lane];
  const { isRetry, isIn } = lanes[lane];
  const start = after ?? { org_id: nil, webhook_id: nil };
  const { rows } = await sql<LaneRow & Looked>`/* planned */
    with recursive waiting as (
      (select org_id, webhook_id, due_at, 1 as step from deliveries
       where ${isIn} and (org_id, webhook_id) > (${start.org_id}::uuid, ${start.webhook_id}::uuid)
       order by org_id, webhook_id, due_at limit 1)
      union all
      select next.org_id, next.webhook_id, next.due_at, step + 1
      from waiting, lateral (
        select d.org_id, d.webhook_id, d.due_at from deliveries d
        where ${isIn} and (d.org_id, d.webhook_id) > (waiting.org_id, waiting.webhook_id)
        order by d.org_id, d.webhook_id, d.due_at limit 1
      ) next
      where step < ${claimWindow}
    ), under_way as materialized (
      select org_id, message_id, webhook_id, lease_until > ${now} as holds,
        owner = ${owner}::integer and is_retry = ${isRetry} as is_own
      from delivery_places where message_id is not null
    ), busy as materialized (
      select org_id, webhook_id, count(*) as held, count(*) filter (where is_own) as own
      from under_way where holds group by org_id, webhook_id
    ), busy_organizations as (
      select org_id, sum(held) as held, sum(own) as own from busy group by org_id
    ), free as materialized (
      select * from (
        select w.org_id, w.webhook_id,
          least(${limits.perWebhook}::bigint - coalesce(b.held, 0),
                greatest(${places}::bigint / 8, 1) - coalesce(b.own, 0)) as places,
          least(${limits.perOrganization}::bigint - coalesce(o.held, 0),
                ${places}::bigint - coalesce(o.own, 0)) as org_places
        from waiting w left join busy b using (org_id, webhook_id) left join busy_organizations o using (org_id)
        where w.due_at <= ${now}
      ) room where places > 0 and org_places > 0
    ), share as (
      select ceil(${places}::numeric / greatest(count(*), 1))::bigint as size from free
    ), candidates as (
      select due.*, org_places from free, lateral (
        select d.org_id, d.message_id, d.webhook_id, d.attempts, d.due_at, d.created_at from deliveries d
        where ${isIn} and d.org_id = free.org_id and d.webhook_id = free.webhook_id and d.due_at <= ${now}
          and (d.message_id, d.webhook_id) not in (select u.message_id, u.webhook_id from under_way u)
        order by d.due_at limit least(free.places, (select size from share))
      ) due
    ), in_turn as (
      select *, row_number() over (partition by org_id, webhook_id order by due_at, message_id) as turn from candidates
    ), ranked as (
      select *, row_number() over (partition by org_id order by turn, due_at, message_id) as org_turn from in_turn
    ), chosen as materialized (
      select *, row_number() over (order by org_turn, due_at, message_id) as nth from ranked
      where org_turn <= org_places
      order by org_turn, due_at, message_id limit ${places}::bigint
    ), empty as (
      select array(select ctid from delivery_places where owner = ${owner}::integer and message_id is null
                   order by place limit ${places}::bigint) as places
    ), taken as (
      update delivery_places p
      set org_id = c.org_id, message_id = c.message_id, webhook_id = c.webhook_id, is_retry = ${isRetry},
        lease_token = gen_random_uuid(), lease_until = ${until}
      from chosen c
      where p.ctid = (select places[c.nth] from empty)
      returning p.owner, p.place, p.lease_token, p.org_id, p.message_id, p.webhook_id, c.attempts, c.created_at
    ), claimed as (
      select t.*, m.payload, w.url, w.secret_sealed, w.secret_key_id, w.secret_version,
        case when w.deleted_at is not null then 'deleted'
             when not w.enabled then 'disabled'
             when not w.topics @> array[m.message_type] then 'topic_removed' end as unwanted
      from taken t join messages m on m.org_id = t.org_id and m.id = t.message_id
      join webhooks w on w.org_id = t.org_id and w.id = t.webhook_id
    ), looked as (
      select (select org_id from waiting where step = ${claimWindow}) as last_org,
        (select webhook_id from waiting where step = ${claimWindow}) as last_webhook,
        exists (select from in_turn where turn = (select size from share)) as has_more
    )
    select last_org, last_webhook, has_more, owner, place, lease_token, claimed.org_id, message_id, webhook_id, attempts,
      created_at, payload, url, secret_sealed, secret_key_id, secret_version, unwanted
    from looked left join claimed on true
  `.execute(tx);
  const [looked] = rows;
  const deliveries = rows.filter(({ message_id }) => message_id !== null).map(claimedOf);
  // What a webhook has beyond its share is looked at again from the same place, as long as that brings something.
  const isCut = looked?.has_more === true && deliveries.length > 0 && deliveries.length < places;
  if (isCut) return { deliveries, next: after, isCut };
  const { last_org: orgId = null, last_webhook: webhookId = null } = looked ?? {};
  const next = orgId === null || webhookId === null ? undefined : { org_id: orgId, webhook_id: webhookId };
  return { deliveries, next, isCut };
}
