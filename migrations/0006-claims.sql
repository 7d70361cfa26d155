-- Claims: leases end by the clock of the database, partners take turns, and the lock is let go before the result is sent.

-- The partner of the delivery in flight: its organizations take turns together and have one cap.
alter table in_flight_slots add column partner_id uuid;
update in_flight_slots s
set partner_id = coalesce((select coalesce(o.parent_org_id, o.id) from organizations o where o.id = s.org_id), s.org_id)
where s.message_id is not null;
alter table in_flight_slots
  drop constraint in_flight_slots_lease_check,
  add constraint in_flight_slots_lease_check
    check (num_nulls(org_id, partner_id, message_id, webhook_id, is_retry, lease_token, lease_until) in (0, 7));

-- The claim: per webhook the oldest due rows, first attempts and retries apart. The message's id is in it so that nothing is
-- read from the table where vacuum has been, and so that no other index has this order (see lease_deliveries).
drop index deliveries_due_idx;
create index deliveries_due_idx on deliveries (is_retry, org_id, webhook_id, due_at, message_id) where state = 'pending';

drop function claim_deliveries(
  integer, timestamptz, timestamptz, integer, integer, integer, integer, integer, uuid, uuid, uuid, uuid);

-- Leases due deliveries to a worker under the token `claim`; src/queries/deliveries/delivery-queue.ts tells the rules. A row
-- for each lane that has pending deliveries and free slots: the last webhook of a full window, and whether more can be had from
-- the same window, because a webhook gave all of its share or a partner had its equal part. The lock is held until the caller's
-- transaction ends. A statement in a function sees what was committed before it began: the one that chooses deliveries sees all
-- claims made before the lock was obtained.
create function lease_deliveries(
  worker integer, claim uuid, lease_ms integer, first_slots integer, retry_slots integer,
  per_webhook integer, per_partner integer, window_size integer,
  first_after_org uuid, first_after_webhook uuid, retry_after_org uuid, retry_after_webhook uuid
) returns table (is_retry boolean, last_org uuid, last_webhook uuid, has_more boolean)
language plpgsql
-- The planner does not know whether the queue is empty or long: it would read the whole table, or plan each call anew, which
-- took ten times as long as claiming one row. Without sorts only deliveries_due_idx finds a webhook's oldest deliveries; the
-- other indexes would read a whole backlog where a lane or a webhook has few rows.
set enable_seqscan = off set enable_sort = off set enable_incremental_sort = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  -- Read when the lock is held: now() would be the instant at which the wait for it began.
  as_of timestamptz;
  retries boolean;
  lane_slots bigint;
  after_org uuid;
  after_webhook uuid;
  missing_slots integer;
begin
  -- One claim at a time, so that all workers together keep within the limits and no delivery is claimed twice.
  perform pg_advisory_xact_lock(1684829810);
  -- A claim need not survive a crash of the database: its deliveries are then due again.
  perform set_config('synchronous_commit', 'off', true);
  as_of := clock_timestamp();

  missing_slots := greatest(first_slots, 0) + greatest(retry_slots, 0)
    - (select count(*) from in_flight_slots s where s.worker_id = worker and s.message_id is null);
  if missing_slots > 0 then
    insert into in_flight_slots (worker_id, slot)
    select worker, last_slot + n
    from (select coalesce(max(s.slot), 0) as last_slot from in_flight_slots s where s.worker_id = worker) existing,
      generate_series(1, missing_slots) n;
  end if;

  foreach retries in array array[false, true] loop
    lane_slots := case when retries then retry_slots else first_slots end;
    after_org := case when retries then retry_after_org else first_after_org end;
    after_webhook := case when retries then retry_after_webhook else first_after_webhook end;
    continue when lane_slots <= 0;
    perform from (
      select d.is_retry from deliveries d where d.state = 'pending' and d.is_retry >= retries
      order by d.is_retry, d.org_id, d.webhook_id, d.due_at limit 1
    ) first where first.is_retry = retries;
    continue when not found;
    return query
    -- The webhooks with pending deliveries, by a loose index scan: one step each, however long the backlog.
    with recursive waiting as (
      select first.org_id, first.webhook_id, first.due_at, 1 as step from (
        select d.is_retry, d.org_id, d.webhook_id, d.due_at from deliveries d
        where d.state = 'pending' and (d.is_retry, d.org_id, d.webhook_id) > (retries, after_org, after_webhook)
        order by d.is_retry, d.org_id, d.webhook_id, d.due_at limit 1
      ) first where first.is_retry = retries
      union all
      select next.org_id, next.webhook_id, next.due_at, step + 1
      from waiting, lateral (
        select d.is_retry, d.org_id, d.webhook_id, d.due_at from deliveries d
        where d.state = 'pending'
          and (d.is_retry, d.org_id, d.webhook_id) > (retries, waiting.org_id, waiting.webhook_id)
        order by d.is_retry, d.org_id, d.webhook_id, d.due_at limit 1
      ) next
      where step < window_size and next.is_retry = retries
    ), in_flight as materialized (
      select s.partner_id, s.org_id, s.message_id, s.webhook_id, s.lease_until > as_of as is_leased,
        s.worker_id = worker and s.is_retry = retries as is_own
      from in_flight_slots s where s.message_id is not null
    ), webhook_load as materialized (
      select partner_id, org_id, webhook_id, count(*) as leased, count(*) filter (where is_own) as own
      from in_flight where is_leased group by partner_id, org_id, webhook_id
    ), partner_load as (
      select partner_id, sum(leased) as leased, sum(own) as own from webhook_load group by partner_id
    ), due as (
      select coalesce(own.parent_org_id, own.id) as partner_id, w.org_id, w.webhook_id, w.due_at as oldest_due_at
      from waiting w join organizations own on own.id = w.org_id
        left join organizations parent on parent.id = own.parent_org_id
      where w.due_at <= as_of and coalesce(parent.suspended_at, own.suspended_at) is null
    -- Who waits: webhooks below their limits with a due delivery that is not in flight.
    ), available as materialized (
      select * from (
        select due.*, coalesce(p.own, 0) as partner_own, per_partner - coalesce(p.leased, 0) as below_cap,
          least(per_webhook - coalesce(h.leased, 0), greatest(lane_slots / 8, 1) - coalesce(h.own, 0)) as webhook_limit,
          h.leased is not null as is_loaded
        from due left join webhook_load h using (partner_id, org_id, webhook_id) left join partner_load p using (partner_id)
      ) each where webhook_limit > 0 and below_cap > 0 and (not is_loaded or (
        select true from deliveries d
        where d.state = 'pending' and d.is_retry = retries and d.org_id = each.org_id
          and d.webhook_id = each.webhook_id and d.due_at between each.oldest_due_at and as_of
          and (d.message_id, d.webhook_id) not in (select f.message_id, f.webhook_id from in_flight f)
        order by d.due_at, d.message_id limit 1))
    -- No partner gets beyond its equal part of the worker's slots in the lane while others wait; a single one gets all.
    ), limited as materialized (
      select *, least(below_cap, ceil((lane_slots + (select coalesce(sum(own), 0) from partner_load))
                                      / (select count(distinct partner_id) from available)) - partner_own)
        as partner_limit
      from available
    -- The lane's free slots are shared by the partners that wait, and the share of each by its webhooks.
    ), shared as (
      select *, ceil(lane_slots::numeric / (select count(distinct partner_id) from limited where partner_limit > 0)
                     / count(*) over (partition by partner_id))::bigint as share
      from limited where partner_limit > 0
    -- From the oldest on, which is known by now: what has been delivered before it stays in the index until vacuum comes.
    ), candidates as (
      select oldest.*, partner_id, partner_limit, share from shared, lateral (
        select d.org_id, d.message_id, d.webhook_id, d.due_at from deliveries d
        where d.state = 'pending' and d.is_retry = retries and d.org_id = shared.org_id
          and d.webhook_id = shared.webhook_id and d.due_at between shared.oldest_due_at and as_of
          and (d.message_id, d.webhook_id) not in (select f.message_id, f.webhook_id from in_flight f)
        order by d.due_at, d.message_id
        limit least(shared.webhook_limit, shared.share)
      ) oldest
    ), webhook_rank as materialized (
      select *, row_number() over (partition by org_id, webhook_id order by due_at, message_id) as nth_of_webhook
      from candidates
    ), organization_rank as (
      select *, row_number() over (partition by org_id order by nth_of_webhook, due_at, message_id) as nth_of_org
      from webhook_rank
    ), partner_rank as (
      select *, row_number() over (partition by partner_id order by nth_of_org, due_at, message_id) as nth_of_partner
      from organization_rank
    ), chosen as materialized (
      select *, row_number() over (order by nth_of_partner, due_at, message_id) as nth from partner_rank
      where nth_of_partner <= partner_limit
      order by nth_of_partner, due_at, message_id limit lane_slots
    ), free_slots as (
      select array(select s.ctid from in_flight_slots s where s.worker_id = worker and s.message_id is null
                   order by s.slot limit lane_slots) as ctids
    ), leased as (
      update in_flight_slots s
      set partner_id = c.partner_id, org_id = c.org_id, message_id = c.message_id, webhook_id = c.webhook_id,
        is_retry = retries, lease_token = claim, lease_until = as_of + lease_ms * interval '1 millisecond'
      from chosen c
      where s.ctid = (select ctids[c.nth] from free_slots)
    )
    select retries, (select org_id from waiting where step = window_size),
      (select webhook_id from waiting where step = window_size),
      exists (select from webhook_rank where nth_of_webhook = share)
        or exists (select from limited where partner_limit <= 0);
  end loop;
end
$$;

-- What a worker needs to send what it has leased under the token `claim`: the deliveries, and their webhooks once each. Bytes
-- are in base64.
create function read_claimed_deliveries(worker integer, claim uuid) returns json
language plpgsql stable
set enable_seqscan = off set jit = off set plan_cache_mode = force_generic_plan
as $$
begin
  return (
    with leased as materialized (
      select s.slot, s.org_id, s.message_id, s.webhook_id, s.is_retry from in_flight_slots s
      where s.worker_id = worker and s.lease_token = claim
    ), claimed as (
      select l.slot, l.message_id, l.webhook_id, m.created_at, encode(m.payload, 'base64') as payload,
        case when l.is_retry then (
          select d.attempts from deliveries d
          where d.org_id = l.org_id and d.message_id = l.message_id and d.webhook_id = l.webhook_id) else 0 end as attempts,
        case when w.deleted_at is not null then 'deleted'
             when not w.enabled then 'disabled'
             when not w.topics @> array[m.message_type] then 'topic_removed' end as unwanted
      from leased l join messages m on m.org_id = l.org_id and m.id = l.message_id
      join webhooks w on w.org_id = l.org_id and w.id = l.webhook_id
      order by l.slot
    ), calling as (
      select w.org_id, w.id, w.url, encode(w.encrypted_secret, 'base64') as encrypted_secret, w.secret_key_id, w.secret_version
      from webhooks w where (w.org_id, w.id) in (select l.org_id, l.webhook_id from leased l)
    )
    select json_build_object(
      'deliveries', (select coalesce(json_agg(claimed), '[]') from claimed),
      'webhooks', (select coalesce(json_agg(calling), '[]') from calling)));
end
$$;

-- A claim: leases, commits, and reads what was leased, so that no lock is held while the result is sent and read, which takes
-- as long as the worker likes. The token is the worker's: it can give back the leases of a claim whose answer is lost. One call, because it is made for every few deliveries and each further statement took longer
-- than the work itself.
create procedure claim_deliveries(
  worker integer, claim uuid, lease_ms integer, first_slots integer, retry_slots integer,
  per_webhook integer, per_partner integer, window_size integer,
  first_after_org uuid, first_after_webhook uuid, retry_after_org uuid, retry_after_webhook uuid,
  inout lanes json, inout claimed json
)
language plpgsql
as $$
begin
  select coalesce(json_agg(lane), '[]') into lanes from lease_deliveries(worker, claim, lease_ms, first_slots, retry_slots,
    per_webhook, per_partner, window_size, first_after_org, first_after_webhook, retry_after_org, retry_after_webhook) lane;
  commit;
  claimed := read_claimed_deliveries(worker, claim);
end
$$;

-- As before, but a retry is due so long after this instant of the database, and a slot is locked and cleared in one step.
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
      duration_ms integer, error_class text, status_code integer, detail text, address text, secret_version integer)
  ), leased as (
    update in_flight_slots s
    set org_id = null, partner_id = null, message_id = null, webhook_id = null, is_retry = null, lease_token = null,
      lease_until = null
    from result r join in_flight_slots held
      on held.worker_id = r.worker_id and held.slot = r.slot and held.lease_token = r.lease_token
    where s.worker_id = r.worker_id and s.slot = r.slot and s.lease_token = r.lease_token
    returning held.org_id, held.message_id, held.webhook_id, r.state, r.retry_after_ms, r.started_at, r.duration_ms,
      r.error_class, r.status_code, r.detail, r.address, r.secret_version
  ), locked as (
    select l.* from deliveries d
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
      l.error_class, l.status_code, l.detail, l.address, l.secret_version
  ), logged as (
    insert into delivery_attempts (org_id, message_id, webhook_id, attempt, started_at, duration_ms, outcome,
      error_class, status_code, detail, address, secret_version, request_id)
    select org_id, message_id, webhook_id, attempts, started_at, duration_ms,
      case when error_class is null then 'delivered' else 'failed' end, error_class,
      status_code, detail, address, secret_version, request_id
    from finished
  )
  select message_id, webhook_id, state from finished;
end
$$;
