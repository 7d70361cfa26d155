import { sql } from 'kysely';
import type { ErrorClass } from '../domain/retry.ts';
import type { Sealed } from '../domain/sealed.ts';
import type { CancelReason } from './deliveries.ts';
import type { Db, Tx } from './database.ts';

/*
 * The life of a delivery:
 *
 *   pending, due        claimable
 *   pending, leased     an attempt is under way. When its worker is gone (its session lock is free) or
 *                       the lease is over (the backstop), delivery-leases.ts makes it due again
 *   delivered           answered with 2xx
 *   exhausted           the last attempt failed
 *   cancelled           dropped with a reason; an attempt then under way is logged, not repeated
 *
 * Claim, let go, call, record: no transaction is open during a call.
 */

/** A delivery for whose next attempt the caller holds a lease. */
export interface ClaimedDelivery {
  readonly org_id: string;
  readonly id: string;
  readonly webhook_id: string;
  readonly message_id: string;
  /** Attempts that have ended. */
  readonly attempts: number;
  readonly lease_token: string;
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
}

const nil = '00000000-0000-0000-0000-000000000000';

/** Serialises claims, so that workers together keep within the caps. */
const claimLock = 0x64_6c_76_72;

const lanes = { first: sql`attempts = 0`, retry: sql`attempts > 0` };

/**
 * Leases due deliveries to `owner` until `leaseUntil`, first attempts and retries apart: within the caps,
 * each organization's in turn, of each organization each webhook's in turn, of each webhook the oldest. due_at
 * stays, so that what is released keeps its turn. The webhooks that wait are found by skipping through the lane's index, so that the cost is theirs, not the
 * backlog's. A webhook or organization gets no more places than the worker then has free (an eighth of
 * them for a webhook) in the lane: the more endpoints hang, the fewer places each of them holds.
 */
export async function claimDeliveries(
  db: Db,
  limits: ClaimLimits,
  now: Date,
  leaseUntil: Date,
  owner: number | null = null,
  cursor: ClaimCursor = {},
): Promise<Claim> {
  return db.transaction().execute(async (tx) => {
    // The planner knows nothing of a queue that is empty now and long then: seqscan would read it whole. Planning
    // anew took ten times as long as claiming one row (4.8 against 0.5 ms).
    await sql`
      select pg_advisory_xact_lock(${claimLock}), set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true),
        set_config('plan_cache_mode', 'force_generic_plan', true)
    `.execute(tx);
    const lease = { now, leaseUntil, owner };
    const first = limits.first > 0 ? await claimLane(tx, 'first', limits, lease, cursor.first) : undefined;
    const retry = limits.retry > 0 ? await claimLane(tx, 'retry', limits, lease, cursor.retry) : undefined;
    return {
      deliveries: [...(first?.deliveries ?? []), ...(retry?.deliveries ?? [])],
      next: {
        first: first === undefined ? cursor.first : first.next,
        retry: retry === undefined ? cursor.retry : retry.next,
      },
    };
  });
}

type LaneRow = Omit<ClaimedDelivery, 'secret'> & { secret_sealed: Buffer; secret_key_id: string };

async function claimLane(
  tx: Tx,
  lane: keyof typeof lanes,
  limits: ClaimLimits,
  { now, leaseUntil, owner }: { now: Date; leaseUntil: Date; owner: number | null },
  after: Position | undefined,
): Promise<{ deliveries: ClaimedDelivery[]; next: Position | undefined }> {
  const places = limits[lane];
  const isOfLane = lanes[lane];
  const isIn = sql`state = 'pending' and ${isOfLane} and lease_token is null`;
  const start = after ?? { org_id: nil, webhook_id: nil };
  const { rows } = await sql<LaneRow & { last_org: string | null; last_webhook: string | null }>`/* planned */
    with recursive waiting as (
      (select org_id, webhook_id, 1 as step from deliveries
       where ${isIn} and (org_id, webhook_id) > (${start.org_id}::uuid, ${start.webhook_id}::uuid)
       order by org_id, webhook_id limit 1)
      union all
      select next.org_id, next.webhook_id, step + 1
      from waiting, lateral (
        select d.org_id, d.webhook_id from deliveries d
        where ${isIn} and (d.org_id, d.webhook_id) > (waiting.org_id, waiting.webhook_id)
        order by d.org_id, d.webhook_id limit 1
      ) next
      where step < ${claimWindow}
    ), busy as materialized (
      select org_id, webhook_id, count(*) as held, count(*) filter (where lease_owner = ${owner}::integer and ${isOfLane}) as own
      from deliveries where lease_token is not null and lease_until > ${now}
      group by org_id, webhook_id
    ), busy_organizations as (
      select org_id, sum(held) as held, sum(own) as own from busy group by org_id
    ), free as (
      select w.org_id, w.webhook_id,
        least(${limits.perWebhook}::bigint - coalesce(b.held, 0),
              greatest(${places}::bigint / 8, 1) - coalesce(b.own, 0)) as places,
        least(${limits.perOrganization}::bigint - coalesce(o.held, 0),
              ${places}::bigint - coalesce(o.own, 0)) as org_places
      from waiting w left join busy b using (org_id, webhook_id) left join busy_organizations o using (org_id)
    ), candidates as (
      select due.*, org_places from free, lateral (
        select d.org_id, d.id, d.webhook_id, d.due_at from deliveries d
        where ${isIn} and d.org_id = free.org_id and d.webhook_id = free.webhook_id and d.due_at <= ${now}
        order by d.due_at limit least(free.places, ${places}::bigint)
      ) due
      where free.places > 0 and org_places > 0
    ), in_turn as (
      select *, row_number() over (partition by org_id, webhook_id order by due_at, id) as turn from candidates
    ), ranked as (
      select *, row_number() over (partition by org_id order by turn, due_at, id) as org_turn from in_turn
    ), chosen as materialized (
      select org_id, id from ranked where org_turn <= org_places
      order by org_turn, due_at, id limit ${places}::bigint
    ), held as materialized (
      select d.org_id, d.id from chosen join deliveries d using (org_id, id)
      where ${isIn} order by d.id
      for update of d skip locked
    ), claimed as (
      update deliveries d
      set lease_token = gen_random_uuid(), lease_until = ${leaseUntil},
        lease_owner = ${owner}::integer
      from held, messages m, webhooks w
      where d.org_id = held.org_id and d.id = held.id
        and m.org_id = d.org_id and m.id = d.message_id
        and w.org_id = d.org_id and w.id = d.webhook_id
      returning d.org_id, d.id, d.webhook_id, d.message_id, d.attempts, d.lease_token, d.created_at,
        m.payload, w.url, w.secret_sealed, w.secret_key_id, w.secret_version,
        case when w.deleted_at is not null then 'deleted'
             when not w.enabled then 'disabled'
             when not w.topics @> array[m.message_type] then 'topic_removed' end as unwanted
    ), looked as (
      select (select org_id from waiting where step = ${claimWindow}) as last_org,
        (select webhook_id from waiting where step = ${claimWindow}) as last_webhook
    )
    select last_org, last_webhook, claimed.org_id, id, webhook_id, message_id, attempts, lease_token, created_at, payload,
      url, secret_sealed, secret_key_id, secret_version, unwanted
    from looked left join claimed on true
  `.execute(tx);
  const deliveries: ClaimedDelivery[] = [];
  let next: Position | undefined;
  for (const { last_org, last_webhook, secret_sealed: box, secret_key_id: keyId, ...row } of rows) {
    if (last_org !== null && last_webhook !== null) next = { org_id: last_org, webhook_id: last_webhook };
    if ((row.id as string | null) !== null) deliveries.push({ ...row, secret: { keyId, box } });
  }
  return { deliveries, next };
}

/** What one attempt came to, and the state it leads to. */
export interface FinishedAttempt {
  readonly org_id: string;
  readonly delivery_id: string;
  readonly lease_token: string;
  readonly state: 'pending' | 'delivered' | 'exhausted';
  /** When a pending delivery is due again. */
  readonly due_at: Date | undefined;
  readonly started_at: Date;
  readonly duration_ms: number;
  readonly error_class: ErrorClass | undefined;
  readonly status_code: number | undefined;
  readonly detail: string | undefined;
  readonly address: string | undefined;
  readonly secret_version: number;
}

/**
 * Records a batch of attempts in one statement. An attempt whose token is not the delivery's any more
 * (its lease ran out and another worker took it) changes nothing and is not in the answer. A delivery
 * cancelled meanwhile stays so unless it was in fact delivered.
 */
export async function finishDeliveries(
  db: Db,
  attempts: readonly FinishedAttempt[],
  now: Date,
): Promise<{ id: string; state: string }[]> {
  const { rows } = await sql<{ id: string; state: string }>`/* planned */
    with result as (
      select * from jsonb_to_recordset(${JSON.stringify(attempts)}::jsonb) as result (
        org_id uuid, delivery_id uuid, lease_token uuid, state text, due_at timestamptz, started_at timestamptz,
        duration_ms integer, error_class text, status_code integer, detail text, address text, secret_version integer)
    ), held as (
      select d.org_id, d.id from deliveries d
      join result r on d.org_id = r.org_id and d.id = r.delivery_id and d.lease_token = r.lease_token
      order by d.id
      for update of d
    ), finished as (
      update deliveries d
      set attempts = d.attempts + 1, lease_token = null, lease_until = null, lease_owner = null,
        state = case when r.state = 'delivered' or d.state = 'pending' then r.state else d.state end,
        cancel_reason = case when r.state = 'delivered' then null else d.cancel_reason end,
        due_at = coalesce(r.due_at, d.due_at),
        finished_at = case when r.state = 'pending' and d.state = 'pending' then null
                           else coalesce(d.finished_at, ${now}) end
      from result r, held
      where d.org_id = held.org_id and d.id = held.id
        and d.org_id = r.org_id and d.id = r.delivery_id and d.lease_token = r.lease_token
      returning d.org_id, d.id, d.attempts, d.state, r.started_at, r.duration_ms, r.error_class, r.status_code,
        r.detail, r.address, r.secret_version
    ), logged as (
      insert into delivery_attempts (org_id, delivery_id, attempt, started_at, duration_ms, outcome, error_class,
        status_code, detail, address, secret_version)
      select org_id, id, attempts, started_at, duration_ms,
        case when error_class is null then 'delivered' else 'failed' end, error_class,
        status_code, detail, address, secret_version
      from finished
    )
    select id, state from finished
  `.execute(db);
  return rows;
}

/** Drops leased deliveries that their webhook does not want any more, each with its reason. */
export async function dropDeliveries(db: Db, unwanted: readonly ClaimedDelivery[], now: Date): Promise<void> {
  await sql`
    update deliveries d
    set state = 'cancelled', cancel_reason = r.unwanted, lease_token = null, lease_until = null, lease_owner = null, finished_at = ${now}
    from jsonb_to_recordset(${JSON.stringify(unwanted.map(({ org_id, id, lease_token, unwanted: reason }) => ({ org_id, id, lease_token, unwanted: reason })))}::jsonb)
      as r (org_id uuid, id uuid, lease_token uuid, unwanted text)
    where d.org_id = r.org_id and d.id = r.id and d.lease_token = r.lease_token
  `.execute(db);
}
