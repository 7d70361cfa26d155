import { sql } from 'kysely';
import type { ErrorClass } from '../domain/retry.ts';
import type { Sealed } from '../domain/sealed.ts';
import type { CancelReason } from './deliveries.ts';
import type { Db } from './database.ts';

/*
 * The life of a delivery:
 *
 *   pending, due        claimable
 *   pending, leased     an attempt is under way; due_at stands at the end of the lease, so that a dead
 *                       worker's row becomes due again by itself
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
}

/** Serialises claims, so that two workers together keep within the cap of a webhook. */
const claimLock = 0x64_6c_76_72;

/**
 * Leases due deliveries: from each webhook with free places its oldest, first attempts and retries
 * apart, and in turn over the webhooks, so that a backlog of one delays no other. The webhooks that
 * wait are found by skipping through the index, not by reading the backlog.
 */
export async function claimDeliveries(
  db: Db,
  limits: ClaimLimits,
  now: Date,
  leaseUntil: Date,
): Promise<ClaimedDelivery[]> {
  const { rows } = await db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${claimLock})`.execute(tx);
    return sql<Omit<ClaimedDelivery, 'secret'> & { secret_sealed: Buffer; secret_key_id: string }>`
      with recursive waiting as (
        (select org_id, webhook_id from deliveries where state = 'pending' order by org_id, webhook_id limit 1)
        union all
        select next.org_id, next.webhook_id
        from waiting, lateral (
          select d.org_id, d.webhook_id from deliveries d
          where d.state = 'pending' and (d.org_id, d.webhook_id) > (waiting.org_id, waiting.webhook_id)
          order by d.org_id, d.webhook_id limit 1
        ) next
      ), busy as (
        select org_id, webhook_id, count(*) as busy from deliveries
        where state = 'pending' and lease_until > ${now}
        group by org_id, webhook_id
      ), free as (
        select org_id, webhook_id, ${limits.perWebhook}::bigint - coalesce(busy, 0) as places
        from waiting left join busy using (org_id, webhook_id)
        where coalesce(busy, 0) < ${limits.perWebhook}
      ), candidates as (
        select due.*, false as is_retry from free, lateral (
          select d.org_id, d.id, d.webhook_id, d.due_at from deliveries d
          where d.org_id = free.org_id and d.webhook_id = free.webhook_id
            and d.state = 'pending' and d.due_at <= ${now} and d.attempts = 0
          order by d.due_at limit least(free.places, ${limits.first}::bigint)
          for update skip locked
        ) due
        union all
        select due.*, true as is_retry from free, lateral (
          select d.org_id, d.id, d.webhook_id, d.due_at from deliveries d
          where d.org_id = free.org_id and d.webhook_id = free.webhook_id
            and d.state = 'pending' and d.due_at <= ${now} and d.attempts > 0
          order by d.due_at limit least(free.places, ${limits.retry}::bigint)
          for update skip locked
        ) due
      ), in_turn as (
        select candidates.*, row_number() over (webhook order by due_at, id) as webhook_place,
          row_number() over (partition by org_id, webhook_id, is_retry order by due_at, id) as turn
        from candidates window webhook as (partition by org_id, webhook_id)
      ), placed as (
        select in_turn.*, row_number() over (partition by is_retry order by turn, due_at, id) as place
        from in_turn join free using (org_id, webhook_id)
        where webhook_place <= places
      )
      update deliveries d
      set lease_token = gen_random_uuid(), lease_until = ${leaseUntil}, due_at = ${leaseUntil}
      from placed, messages m, webhooks w
      where d.org_id = placed.org_id and d.id = placed.id
        and place <= case when is_retry then ${limits.retry}::bigint else ${limits.first}::bigint end
        and m.org_id = d.org_id and m.id = d.message_id
        and w.org_id = d.org_id and w.id = d.webhook_id
      returning d.org_id, d.id, d.webhook_id, d.message_id, d.attempts, d.lease_token,
        m.payload, w.url, w.secret_sealed, w.secret_key_id, w.secret_version,
        case when w.deleted_at is not null then 'deleted'
             when not w.enabled then 'disabled'
             when not w.topics @> array[m.message_type] then 'topic_removed' end as unwanted
    `.execute(tx);
  });
  return rows.map(({ secret_sealed: box, secret_key_id: keyId, ...row }) => ({
    ...row,
    secret: { keyId, box },
  }));
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
  const { rows } = await sql<{ id: string; state: string }>`
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
      set attempts = d.attempts + 1, lease_token = null, lease_until = null,
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
    set state = 'cancelled', cancel_reason = r.unwanted, lease_token = null, lease_until = null, finished_at = ${now}
    from jsonb_to_recordset(${JSON.stringify(unwanted.map(({ org_id, id, lease_token, unwanted: reason }) => ({ org_id, id, lease_token, unwanted: reason })))}::jsonb)
      as r (org_id uuid, id uuid, lease_token uuid, unwanted text)
    where d.org_id = r.org_id and d.id = r.id and d.lease_token = r.lease_token
  `.execute(db);
}

/** Gives leases back, so that another worker need not wait for their end. */
export async function releaseDeliveries(
  db: Db,
  leases: readonly { readonly org_id: string; readonly id: string; readonly lease_token: string }[],
  now: Date,
): Promise<void> {
  if (leases.length === 0) return;
  const held = leases.map(({ org_id, id, lease_token }) => ({ org_id, id, lease_token }));
  await sql`
    update deliveries d set lease_token = null, lease_until = null, due_at = ${now}
    from jsonb_to_recordset(${JSON.stringify(held)}::jsonb) as r (org_id uuid, id uuid, lease_token uuid)
    where d.org_id = r.org_id and d.id = r.id and d.lease_token = r.lease_token
  `.execute(db);
}
