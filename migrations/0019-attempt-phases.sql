-- Where the time of an attempt went: looking the name up, connecting, TLS, and from then to the first byte of the answer. Null: it did
-- not come so far, or a connection was used again.
alter table delivery_attempts
  add column lookup_ms integer,
  add column connect_ms integer,
  add column tls_ms integer,
  add column answer_ms integer;

create or replace function record_finished_attempts(results jsonb, recorded_at timestamptz)
returns table (message_id uuid, webhook_id uuid, state text)
language plpgsql
as $$
#variable_conflict use_column
begin
  return query
  with result as (
    select * from jsonb_to_recordset(results) as result (
      worker_id integer, slot integer, lease_token uuid, state text, retry_after_ms integer, started_at timestamptz,
      duration_ms integer, error_class text, status_code integer, detail text, address text, secret_version integer, lookup_ms integer, connect_ms integer, tls_ms integer, answer_ms integer)
  ), leased as (
    update in_flight_slots s
    set org_id = null, partner_id = null, message_id = null, webhook_id = null, is_retry = null, lease_token = null,
      lease_until = null
    from result r join in_flight_slots held
      on held.worker_id = r.worker_id and held.slot = r.slot and held.lease_token = r.lease_token
    where s.worker_id = r.worker_id and s.slot = r.slot and s.lease_token = r.lease_token
    returning held.org_id, held.partner_id, held.message_id, held.webhook_id, r.state, r.retry_after_ms, r.started_at, r.duration_ms,
      r.error_class, r.status_code, r.detail, r.address, r.secret_version, r.lookup_ms, r.connect_ms, r.tls_ms, r.answer_ms
  ), locked as (
    select l.*, d.state = 'pending' as was_pending from deliveries d
    join leased l on d.org_id = l.org_id and d.message_id = l.message_id and d.webhook_id = l.webhook_id
    order by d.message_id, d.webhook_id
    for update of d
  ), finished as (
    update deliveries d
    set attempts = d.attempts + 1,
      state = case when l.state = 'delivered' or d.state = 'pending' then l.state else d.state end,
      cancel_reason = case when l.state = 'delivered' then null else d.cancel_reason end,
      due_at = coalesce(clock_timestamp() + l.retry_after_ms * interval '1 millisecond', d.due_at),
      finished_at = case when l.state = 'pending' and d.state = 'pending' then null
                         else coalesce(d.finished_at, recorded_at) end
    from locked l
    where d.org_id = l.org_id and d.message_id = l.message_id and d.webhook_id = l.webhook_id
    returning d.org_id, d.message_id, d.webhook_id, d.attempts, d.state, d.request_id, l.started_at, l.duration_ms,
      l.error_class, l.status_code, l.detail, l.address, l.secret_version, l.lookup_ms, l.connect_ms, l.tls_ms, l.answer_ms, l.partner_id, l.was_pending
  ), counted as (
    insert into pending_delivery_counts as c (org_id, shard, deliveries)
    select partner_id, 32 + pg_backend_pid() % 32, -count(*) from finished
    where was_pending and state <> 'pending' group by partner_id order by partner_id
    on conflict on constraint pending_delivery_counts_pkey do update set deliveries = c.deliveries + excluded.deliveries
  ), logged as (
    insert into delivery_attempts (org_id, message_id, webhook_id, attempt, started_at, duration_ms, outcome,
      error_class, status_code, detail, address, secret_version, request_id, lookup_ms, connect_ms, tls_ms, answer_ms)
    select org_id, message_id, webhook_id, attempts, started_at, duration_ms,
      case when error_class is null then 'delivered' else 'failed' end, error_class,
      status_code, detail, address, secret_version, request_id, lookup_ms, connect_ms, tls_ms, answer_ms
    from finished
  )
  select message_id, webhook_id, state from finished;
end
$$;
