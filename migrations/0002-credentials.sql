-- When credentials end, and partners that the operator has suspended.

-- Set on a partner's organization; its simulation organizations are suspended with it.
alter table organizations
  add column suspended_at timestamptz(3),
  add constraint organizations_suspended_check check (suspended_at is null or kind = 'partner');

-- An initial password ends at this instant; one that a person has chosen does not end.
alter table users add column initial_password_expires_at timestamptz(3);
update users set initial_password_expires_at = now() + interval '72 hours' where password_change_required;
alter table users add constraint users_initial_password_check
  check (not password_change_required or initial_password_expires_at is not null);

-- How a token was obtained: a new password ends the tokens that the old one has obtained, and no others.
alter table access_tokens add column grant_type text;
update access_tokens t set grant_type = a.authorization_grant_type
  from applications a where a.org_id = t.org_id and a.id = t.application_id;
alter table access_tokens
  alter column grant_type set not null,
  add constraint access_tokens_grant_check check (grant_type in ('client-credentials', 'password'));

-- As before, but the deliveries of a suspended partner stay pending.
create or replace function claim_deliveries(
  worker integer, as_of timestamptz, until timestamptz, first_slots integer, retry_slots integer,
  per_webhook integer, per_organization integer, window_size integer,
  first_after_org uuid, first_after_webhook uuid, retry_after_org uuid, retry_after_webhook uuid
) returns table (
  is_retry boolean, last_org uuid, last_webhook uuid, has_more boolean, worker_id integer, slot integer, lease_token uuid,
  org_id uuid, message_id uuid, webhook_id uuid, attempts integer, created_at timestamptz, payload bytea, url text,
  encrypted_secret bytea, secret_key_id text, secret_version integer, unwanted text
)
language plpgsql
-- The planner does not know whether the queue is empty or long: it would read the whole table, or plan each call anew, which
-- took ten times as long as claiming one row.
set enable_seqscan = off set jit = off set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
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
    -- Here and below, ranges and orders name all columns of deliveries_due_idx: with equality for some of them the planner
    -- could use other indexes, which read a whole backlog where a lane or a webhook has few rows.
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
      select s.org_id, s.message_id, s.webhook_id, s.lease_until > as_of as is_leased,
        s.worker_id = worker and s.is_retry = retries as is_own
      from in_flight_slots s where s.message_id is not null
    ), webhook_load as materialized (
      select org_id, webhook_id, count(*) as leased, count(*) filter (where is_own) as own
      from in_flight where is_leased group by org_id, webhook_id
    ), organization_load as (
      select org_id, sum(leased) as leased, sum(own) as own from webhook_load group by org_id
    ), available as materialized (
      select * from (
        select w.org_id, w.webhook_id,
          least(per_webhook - coalesce(h.leased, 0), greatest(lane_slots / 8, 1) - coalesce(h.own, 0)) as webhook_limit,
          least(per_organization - coalesce(o.leased, 0), lane_slots - coalesce(o.own, 0)) as org_limit
        from waiting w join organizations own on own.id = w.org_id
          left join organizations parent on parent.id = own.parent_org_id
          left join webhook_load h using (org_id, webhook_id) left join organization_load o using (org_id)
        where w.due_at <= as_of and coalesce(parent.suspended_at, own.suspended_at) is null
      ) each where webhook_limit > 0 and org_limit > 0
    ), share as (
      select ceil(lane_slots::numeric / greatest(count(*), 1))::bigint as size from available
    ), candidates as (
      select due.*, org_limit from available, lateral (
        select d.org_id, d.message_id, d.webhook_id, d.attempts, d.due_at, d.created_at from deliveries d
        where d.state = 'pending'
          and (d.is_retry, d.org_id, d.webhook_id) >= (retries, available.org_id, available.webhook_id)
          and (d.is_retry, d.org_id, d.webhook_id, d.due_at) <= (retries, available.org_id, available.webhook_id, as_of)
          and (d.message_id, d.webhook_id) not in (select f.message_id, f.webhook_id from in_flight f)
        order by d.is_retry, d.org_id, d.webhook_id, d.due_at
        limit least(available.webhook_limit, (select size from share))
      ) due
    ), webhook_rank as (
      select *, row_number() over (partition by org_id, webhook_id order by due_at, message_id) as nth_of_webhook
      from candidates
    ), organization_rank as (
      select *, row_number() over (partition by org_id order by nth_of_webhook, due_at, message_id) as nth_of_org
      from webhook_rank
    ), chosen as materialized (
      select *, row_number() over (order by nth_of_org, due_at, message_id) as nth from organization_rank
      where nth_of_org <= org_limit
      order by nth_of_org, due_at, message_id limit lane_slots
    ), free_slots as (
      select array(select s.ctid from in_flight_slots s where s.worker_id = worker and s.message_id is null
                   order by s.slot limit lane_slots) as ctids
    ), leased as (
      update in_flight_slots s
      set org_id = c.org_id, message_id = c.message_id, webhook_id = c.webhook_id, is_retry = retries,
        lease_token = gen_random_uuid(), lease_until = until
      from chosen c
      where s.ctid = (select ctids[c.nth] from free_slots)
      returning s.worker_id, s.slot, s.lease_token, s.org_id, s.message_id, s.webhook_id, c.attempts, c.created_at
    ), claimed as (
      select l.*, m.payload, w.url, w.encrypted_secret, w.secret_key_id, w.secret_version,
        case when w.deleted_at is not null then 'deleted'
             when not w.enabled then 'disabled'
             when not w.topics @> array[m.message_type] then 'topic_removed' end as unwanted
      from leased l join messages m on m.org_id = l.org_id and m.id = l.message_id
      join webhooks w on w.org_id = l.org_id and w.id = l.webhook_id
    ), seen as (
      select (select org_id from waiting where step = window_size) as last_org,
        (select webhook_id from waiting where step = window_size) as last_webhook,
        exists (select from webhook_rank where nth_of_webhook = (select size from share)) as has_more
    )
    select retries, seen.last_org, seen.last_webhook, seen.has_more, c.worker_id, c.slot, c.lease_token, c.org_id,
      c.message_id, c.webhook_id, c.attempts, c.created_at::timestamptz, c.payload, c.url, c.encrypted_secret,
      c.secret_key_id, c.secret_version, c.unwanted
    from seen left join claimed c on true;
  end loop;
end
$$;
