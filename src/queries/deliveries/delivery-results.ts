import { sql } from 'kysely';
import type { ErrorClass } from '../../domain/notifications/retry.ts';
import type { Db } from '../connection/database.ts';
import { empty, type LeasedPlace } from './in-flight-slots.ts';
import type { ClaimedDelivery } from './delivery-queue.ts';

/** What one attempt came to, and the state it leads to. */
export interface FinishedAttempt extends LeasedPlace {
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
 * Records a batch of attempts in one statement and empties their places. An attempt whose token is not its place's any
 * more (its lease ran out and another worker took the delivery) changes nothing and is not in the answer. A delivery
 * cancelled meanwhile stays so unless it was in fact delivered.
 */
export async function finishDeliveries(
  db: Db,
  attempts: readonly FinishedAttempt[],
  now: Date,
): Promise<{ message_id: string; webhook_id: string; state: string }[]> {
  const { rows } = await sql<{ message_id: string; webhook_id: string; state: string }>`/* planned */
    with result as (
      select * from jsonb_to_recordset(${JSON.stringify(attempts)}::jsonb) as result (
        owner integer, place integer, lease_token uuid, state text, due_at timestamptz, started_at timestamptz,
        duration_ms integer, error_class text, status_code integer, detail text, address text, secret_version integer)
    ), held as (
      select p.org_id, p.message_id, p.webhook_id, r.*
      from result r join delivery_places p
        on p.owner = r.owner and p.place = r.place and p.lease_token = r.lease_token
      order by p.owner, p.place
      for update of p
    ), emptied as (
      update delivery_places p set ${empty}
      from held where p.owner = held.owner and p.place = held.place
    ), locked as (
      select h.* from deliveries d
      join held h on d.org_id = h.org_id and d.message_id = h.message_id and d.webhook_id = h.webhook_id
      order by d.message_id, d.webhook_id
      for update of d
    ), finished as (
      update deliveries d
      set attempts = d.attempts + 1,
        state = case when l.state = 'delivered' or d.state = 'pending' then l.state else d.state end,
        cancel_reason = case when l.state = 'delivered' then null else d.cancel_reason end,
        due_at = coalesce(l.due_at, d.due_at),
        finished_at = case when l.state = 'pending' and d.state = 'pending' then null
                           else coalesce(d.finished_at, ${now}) end
      from locked l
      where d.org_id = l.org_id and d.message_id = l.message_id and d.webhook_id = l.webhook_id
      returning d.org_id, d.message_id, d.webhook_id, d.attempts, d.state, d.request_id, l.started_at, l.duration_ms, l.error_class,
        l.status_code, l.detail, l.address, l.secret_version
    ), logged as (
      insert into delivery_attempts (org_id, message_id, webhook_id, attempt, started_at, duration_ms, outcome,
        error_class, status_code, detail, address, secret_version, request_id)
      select org_id, message_id, webhook_id, attempts, started_at, duration_ms,
        case when error_class is null then 'delivered' else 'failed' end, error_class,
        status_code, detail, address, secret_version, request_id
      from finished
    )
    select message_id, webhook_id, state from finished
  `.execute(db);
  return rows;
}

/** Drops leased deliveries that their webhook does not want any more, each with its reason, and empties their places. */
export async function dropDeliveries(db: Db, unwanted: readonly ClaimedDelivery[], now: Date): Promise<void> {
  const dropped = unwanted.map(({ owner, place, lease_token, unwanted: reason }) => ({
    owner,
    place,
    lease_token,
    reason,
  }));
  await sql`
    with held as (
      select p.owner, p.place, p.org_id, p.message_id, p.webhook_id, r.reason
      from jsonb_to_recordset(${JSON.stringify(dropped)}::jsonb)
        as r (owner integer, place integer, lease_token uuid, reason text)
      join delivery_places p on p.owner = r.owner and p.place = r.place and p.lease_token = r.lease_token
      order by p.owner, p.place
      for update of p
    ), emptied as (
      update delivery_places p set ${empty}
      from held where p.owner = held.owner and p.place = held.place
    )
    update deliveries d
    set state = 'cancelled', cancel_reason = held.reason, finished_at = ${now}
    from held
    where d.org_id = held.org_id and d.message_id = held.message_id and d.webhook_id = held.webhook_id
      and d.state = 'pending'
  `.execute(db);
}
