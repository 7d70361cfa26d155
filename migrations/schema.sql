-- Written by `make generate` from the migrations beside it. Do not edit, do not apply.

CREATE OR REPLACE FUNCTION public.activate_condition(org uuid, device uuid, condition text, at timestamp with time zone, applied timestamp with time zone, ending timestamp with time zone, most integer, margin integer)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
declare
  begun_at timestamptz;
begin
  with activated as (
    insert into device_conditions (org_id, device_id, code, active, changed_at, ends_at)
    select org, device, condition, true, at, ending
    where (select count(*) from device_interruptions where org_id = org and device_id = device and code = condition) < most
    on conflict on constraint device_conditions_pkey do update
    set active = true, changed_at = greatest(device_conditions.changed_at, excluded.changed_at), ends_at = excluded.ends_at
    where not device_conditions.active
    returning changed_at
  ), begun as (
    insert into device_interruptions (org_id, device_id, code, started_at, read_until, unsteered_from)
    select org, device, condition, changed_at, greatest(changed_at, applied),
      floor((extract(epoch from greatest(changed_at, applied)) + margin) / 900)::integer + 1
    from activated
    on conflict on constraint device_interruptions_pkey do update set ended_at = null, unsteered_to = null
  )
  select changed_at into begun_at from activated;
  return begun_at;
end
$function$;

CREATE OR REPLACE PROCEDURE public.cancel_unwanted_deliveries(IN unwanted jsonb, IN cancelled_at timestamp with time zone)
 LANGUAGE plpgsql
AS $procedure$
begin
  with leased as (
    select s.worker_id, s.slot, s.org_id, s.partner_id, s.message_id, s.webhook_id, r.reason
    from jsonb_to_recordset(unwanted) as r (worker_id integer, slot integer, lease_token uuid, reason text)
    join in_flight_slots s on s.worker_id = r.worker_id and s.slot = r.slot and s.lease_token = r.lease_token
    order by s.worker_id, s.slot
    for update of s
  ), cleared as (
    update in_flight_slots s
    set org_id = null, partner_id = null, message_id = null, webhook_id = null, is_retry = null, lease_token = null, lease_until = null
    from leased where s.worker_id = leased.worker_id and s.slot = leased.slot
  ), cancelled as (
    update deliveries d
    set state = 'cancelled', cancel_reason = leased.reason, finished_at = cancelled_at
    from leased
    where d.org_id = leased.org_id and d.message_id = leased.message_id and d.webhook_id = leased.webhook_id
      and d.state = 'pending'
    returning leased.partner_id
  )
  insert into pending_delivery_counts as c (org_id, shard, deliveries)
  select partner_id, 32 + pg_backend_pid() % 32, -count(*) from cancelled group by partner_id order by partner_id
  on conflict on constraint pending_delivery_counts_pkey do update set deliveries = c.deliveries + excluded.deliveries;
end
$procedure$;

CREATE OR REPLACE FUNCTION public.change_pending_items(org uuid, type_of_device text, item_kind text, change bigint)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  own_shard constant smallint := pg_backend_pid() % 32;
begin
  perform pg_advisory_xact_lock(hashtextextended(org::text, own_shard));
  insert into pending_item_counts as c (org_id, shard, device_type, kind, items)
  values (org, own_shard, type_of_device, item_kind, change)
  on conflict on constraint pending_item_counts_pkey do update set items = c.items + excluded.items;
end
$function$;

CREATE OR REPLACE PROCEDURE public.claim_deliveries(IN worker integer, IN claim uuid, IN lease_ms integer, IN first_slots integer, IN retry_slots integer, IN per_webhook integer, IN per_partner integer, IN window_size integer, IN first_after_org uuid, IN first_after_webhook uuid, IN retry_after_org uuid, IN retry_after_webhook uuid, INOUT lanes json, INOUT claimed json)
 LANGUAGE plpgsql
AS $procedure$
begin
  select coalesce(json_agg(lane), '[]') into lanes from lease_deliveries(worker, claim, lease_ms, first_slots, retry_slots,
    per_webhook, per_partner, window_size, first_after_org, first_after_webhook, retry_after_org, retry_after_webhook) lane;
  commit;
  claimed := read_claimed_deliveries(worker, claim);
end
$procedure$;

CREATE OR REPLACE FUNCTION public.count_pending_items()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op <> 'DELETE' then
    perform change_pending_items(org_id, device_type, kind, count(*)) from added
    where dismissed_at is null and cleared_at is null and device_type is not null
    group by org_id, device_type, kind order by org_id;
  end if;
  if tg_op <> 'INSERT' then
    perform change_pending_items(org_id, device_type, kind, -count(*)) from removed
    where dismissed_at is null and cleared_at is null and device_type is not null
    group by org_id, device_type, kind order by org_id;
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION public.count_simulated_devices()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'INSERT' then
    insert into device_counts as c (org_id, group_name, device_type, devices)
    select d.org_id, h.group_name, d.device_type, count(*)
    from added d
    join households h on h.org_id = d.org_id and h.household_index = d.household_index
    join users owner on owner.org_id = d.org_id and owner.id = d.user_id and owner.deleted_at is null
    group by d.org_id, h.group_name, d.device_type
    order by d.org_id, h.group_name, d.device_type
    on conflict on constraint device_counts_pkey do update set devices = c.devices + excluded.devices;
  else
    with owners as materialized (
      select org_id, id from users
      where (org_id, id) in (select org_id, user_id from removed where household_index is not null) and deleted_at is null
      order by org_id, id for share
    )
    insert into device_counts as c (org_id, group_name, device_type, devices)
    select d.org_id, h.group_name, d.device_type, -count(*)
    from removed d
    join households h on h.org_id = d.org_id and h.household_index = d.household_index
    join owners on owners.org_id = d.org_id and owners.id = d.user_id
    group by d.org_id, h.group_name, d.device_type
    order by d.org_id, h.group_name, d.device_type
    on conflict on constraint device_counts_pkey do update set devices = c.devices + excluded.devices;
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION public.delete_batch(from_table text, chosen text, before timestamp with time zone, most integer)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
declare
  deleted bigint;
begin
  execute format('delete from %1$I where ctid = any(array(select ctid from %1$I %2$s limit %3$s for update skip locked))',
    from_table, chosen, most) using before;
  get diagnostics deleted = row_count;
  return deleted;
end
$function$;

CREATE OR REPLACE FUNCTION public.delete_messages_announced_before(instant timestamp with time zone, most integer)
 RETURNS bigint
 LANGUAGE sql
AS $function$
  with recursive heard as (
    (select org_id from messages order by org_id limit 1)
    union all
    select (select m.org_id from messages m where m.org_id > heard.org_id order by m.org_id limit 1) from heard
    where heard.org_id is not null
  ), old as (
    select m.org_id, m.id from heard, lateral (
      select org_id, id from messages
      where org_id = heard.org_id and announced_at < $1 and coalesce(repeated_at, announced_at) < $1
        and not exists (
          select from deliveries d
          where d.org_id = messages.org_id and d.message_id = messages.id and d.state = 'pending')
      order by announced_at, id limit $2
      for update skip locked
    ) m limit $2
  ), attempts as (
    delete from delivery_attempts a using old where a.org_id = old.org_id and a.message_id = old.id
  ), removed as (
    delete from messages m using old where m.org_id = old.org_id and m.id = old.id returning 1
  )
  select count(*) from removed
$function$;

CREATE OR REPLACE FUNCTION public.follow_user_deletion()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.deleted_at is not null then
    update notification_items set cleared_at = new.deleted_at
    where org_id = new.org_id and owner_id = new.id and cleared_at is null and dismissed_at is null;
  end if;
  insert into device_counts as c (org_id, group_name, device_type, devices)
  select d.org_id, h.group_name, d.device_type, case when new.deleted_at is null then count(*) else -count(*) end
  from devices d join households h on h.org_id = d.org_id and h.household_index = d.household_index
  where d.org_id = new.org_id and d.user_id = new.id
  group by d.org_id, h.group_name, d.device_type
  order by d.org_id, h.group_name, d.device_type
  on conflict on constraint device_counts_pkey do update set devices = c.devices + excluded.devices;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION public.insert_message_with_deliveries(org uuid, message uuid, type text, occurred timestamp with time zone, body bytea, told timestamp with time zone, request text, quota bigint)
 RETURNS TABLE(pending integer, dropped integer)
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
begin
  return query
  with targets as (
    select id from webhooks
    where org_id = org and enabled and deleted_at is null and topics @> array[type]
    for share
  ), announcing as materialized (
    select pg_advisory_xact_lock_shared(7402113, hashtext(org::text))
  ), inserted as (
    insert into messages (org_id, id, message_type, occurred_at, payload, created_at, announced_at)
    select org, message, type, occurred, body, told, clock_timestamp() from announcing
  ), partner as materialized (
    select p.id, (select coalesce(sum(deliveries), 0) from pending_delivery_counts where org_id = p.id) < coalesce(
      (select q.quota from partner_quotas q where q.org_id = p.id and q.name = 'pending_deliveries'),
      insert_message_with_deliveries.quota) as has_room
    from (select coalesce(parent_org_id, id) as id from organizations where id = org) p
    where exists (select from targets)
  ), chosen as materialized (
    select t.id, partner.has_room or not exists (
      select from deliveries d
      where d.state = 'pending' and d.is_retry in (false, true) and d.org_id = org and d.webhook_id = t.id
    ) as is_pending
    from targets t, partner
  ), counted as (
    insert into pending_delivery_counts as c (org_id, shard, deliveries)
    select partner.id, pg_backend_pid() % 32, count(*) from partner, chosen where chosen.is_pending group by partner.id
    on conflict on constraint pending_delivery_counts_pkey do update set deliveries = c.deliveries + excluded.deliveries
  ), delivery as (
    insert into deliveries (org_id, message_id, webhook_id, due_at, created_at, request_id, state, cancel_reason, finished_at)
    select org, message, chosen.id, least(told, date_trunc('milliseconds', now())), told, request,
      case when is_pending then 'pending' else 'cancelled' end,
      case when not is_pending then 'quota_reached' end, case when not is_pending then told end
    from chosen
  )
  select count(*) filter (where is_pending)::integer, count(*) filter (where not is_pending)::integer from chosen;
end
$function$;

CREATE OR REPLACE FUNCTION public.lease_deliveries(worker integer, claim uuid, lease_ms integer, first_slots integer, retry_slots integer, per_webhook integer, per_partner integer, window_size integer, first_after_org uuid, first_after_webhook uuid, retry_after_org uuid, retry_after_webhook uuid)
 RETURNS TABLE(is_retry boolean, last_org uuid, last_webhook uuid, has_more boolean)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_sort TO 'off'
 SET enable_incremental_sort TO 'off'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION public.list_organizations_with_news(org_ids uuid[], ats timestamp with time zone[], ids uuid[])
 RETURNS TABLE(org_id uuid)
 LANGUAGE plpgsql
 STABLE
AS $function$
#variable_conflict use_column
begin
  return query
  select p.org_id from unnest(org_ids, ats, ids) as p (org_id, at, id)
  where exists (select from messages m where m.org_id = p.org_id and (m.announced_at, m.id) > (p.at, p.id))
    or exists (select from messages m where m.org_id = p.org_id and (m.repeated_at, m.id) > (p.at, p.id));
end
$function$;

CREATE OR REPLACE FUNCTION public.list_organizations_with_old_messages(instant timestamp with time zone)
 RETURNS SETOF uuid
 LANGUAGE sql
 STABLE
AS $function$
  with recursive heard as (
    (select m.org_id from messages m order by m.org_id limit 1)
    union all
    select (select m.org_id from messages m where m.org_id > heard.org_id order by m.org_id limit 1) from heard
    where heard.org_id is not null
  )
  select heard.org_id from heard
  where heard.org_id is not null and exists (select from messages m where m.org_id = heard.org_id and m.announced_at < $1)
$function$;

CREATE OR REPLACE FUNCTION public.lock_organization(org uuid)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  perform from organization_locks where org_id = org for update;
  if not found then
    insert into organization_locks (org_id) values (org) on conflict on constraint organization_locks_pkey do nothing;
    perform from organization_locks where org_id = org for update;
  end if;
  -- What processes of the version before lock instead. To go in a later release.
  perform from organizations where id = org for no key update;
end
$function$;

CREATE OR REPLACE FUNCTION public.map_client_id()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'INSERT' then
    insert into client_ids (client_id, org_id) values (new.client_id, new.org_id) on conflict on constraint client_ids_pkey do nothing;
  else
    delete from client_ids where client_id = old.client_id and org_id = old.org_id;
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION public.map_username()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op <> 'INSERT' and old.username is not null and old.deleted_at is null then
    delete from usernames where username = lower(old.username) and org_id = old.org_id;
  end if;
  if tg_op <> 'DELETE' and new.username is not null and new.deleted_at is null then
    insert into usernames (username, org_id) values (lower(new.username), new.org_id) on conflict on constraint usernames_pkey do nothing;
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION public.read_claimed_deliveries(worker integer, claim uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
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
$function$;

CREATE OR REPLACE PROCEDURE public.record_attempts(IN results jsonb, IN recorded_at timestamp with time zone, INOUT recorded json)
 LANGUAGE plpgsql
AS $procedure$
begin
  select coalesce(json_agg(each), '[]') into recorded from record_finished_attempts(results, recorded_at) each;
end
$procedure$;

CREATE OR REPLACE FUNCTION public.record_finished_attempts(results jsonb, recorded_at timestamp with time zone)
 RETURNS TABLE(message_id uuid, webhook_id uuid, state text)
 LANGUAGE plpgsql
AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION public.record_secret_uses(uses jsonb)
 RETURNS void
 LANGUAGE sql
AS $function$
  with used as (
    select org_id, application_id, decode(secret_hash, 'base64') as secret_hash, used_at
    from jsonb_to_recordset(uses) as u (org_id uuid, application_id uuid, secret_hash text, used_at timestamptz)
  ), locked as (
    select org_id, id from applications where (org_id, id) in (select org_id, application_id from used)
    order by org_id, id for no key update
  )
  update applications a set
    secret_last_used_at = greatest(a.secret_last_used_at,
      (select used_at from used where application_id = a.id and secret_hash = a.secret_hash)),
    older_secret_last_used_at = greatest(a.older_secret_last_used_at,
      (select used_at from used where application_id = a.id and secret_hash = a.older_secret_hash))
  from locked where a.org_id = locked.org_id and a.id = locked.id
$function$;

create table access_tokens (
  token_hash bytea not null,
  org_id uuid not null,
  user_id uuid not null,
  application_id uuid,
  scope text not null,
  created_at timestamp(3) with time zone not null,
  expires_at timestamp(3) with time zone not null,
  grant_type text not null,
  session_hash bytea,
  constraint access_tokens_pkey PRIMARY KEY (token_hash),
  constraint access_tokens_application_fkey FOREIGN KEY (org_id, application_id) REFERENCES applications(org_id, id) ON DELETE CASCADE,
  constraint access_tokens_session_fkey FOREIGN KEY (session_hash) REFERENCES portal_sessions(session_hash) ON DELETE CASCADE,
  constraint access_tokens_user_fkey FOREIGN KEY (org_id, user_id) REFERENCES users(org_id, id) ON DELETE CASCADE,
  constraint access_tokens_grant_check CHECK (grant_type = ANY (ARRAY['client-credentials'::text, 'password'::text, 'session'::text])),
  constraint access_tokens_session_check CHECK ((grant_type = 'session'::text) = (session_hash IS NOT NULL) AND (session_hash IS NULL) = (application_id IS NOT NULL))
);
CREATE INDEX access_tokens_application_idx ON public.access_tokens USING btree (org_id, application_id);
CREATE INDEX access_tokens_expires_idx ON public.access_tokens USING btree (expires_at);
CREATE INDEX access_tokens_session_idx ON public.access_tokens USING btree (session_hash) WHERE (session_hash IS NOT NULL);
CREATE INDEX access_tokens_user_idx ON public.access_tokens USING btree (org_id, user_id);

create table applications (
  org_id uuid not null,
  id uuid not null,
  owner_user_id uuid not null,
  name text not null,
  client_id text not null,
  secret_hash bytea not null,
  client_type text not null,
  authorization_grant_type text not null,
  redirect_uris text not null default ''::text,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  scope text not null default 'read write'::text,
  secret_created_at timestamp(3) with time zone,
  secret_last_used_at timestamp(3) with time zone,
  older_secret_hash bytea,
  older_secret_created_at timestamp(3) with time zone,
  older_secret_last_used_at timestamp(3) with time zone,
  older_secret_ends_at timestamp(3) with time zone,
  constraint applications_pkey PRIMARY KEY (org_id, id),
  constraint applications_client_id_key UNIQUE (client_id),
  constraint applications_owner_fkey FOREIGN KEY (org_id, owner_user_id) REFERENCES users(org_id, id),
  constraint applications_client_type_check CHECK (client_type = 'confidential'::text),
  constraint applications_grant_check CHECK (authorization_grant_type = ANY (ARRAY['client-credentials'::text, 'password'::text])),
  constraint applications_older_secret_check CHECK ((older_secret_hash IS NULL) = (older_secret_ends_at IS NULL)),
  constraint applications_scope_check CHECK (scope = ANY (ARRAY['read'::text, 'read write'::text]))
);
CREATE INDEX applications_owner_idx ON public.applications USING btree (org_id, owner_user_id);
CREATE TRIGGER applications_named AFTER INSERT OR DELETE ON applications FOR EACH ROW EXECUTE FUNCTION map_client_id();

create table broadcast_dismissals (
  org_id uuid not null,
  item_id uuid not null,
  user_id uuid not null,
  dismissed_at timestamp(3) with time zone not null,
  constraint broadcast_dismissals_pkey PRIMARY KEY (org_id, item_id, user_id),
  constraint broadcast_dismissals_item_fkey FOREIGN KEY (org_id, item_id) REFERENCES notification_items(org_id, id) ON DELETE CASCADE
);
CREATE INDEX broadcast_dismissals_user_idx ON public.broadcast_dismissals USING btree (user_id);

create table charge_checks (
  org_id uuid not null,
  device_id uuid not null,
  due_at timestamp(3) with time zone not null,
  told_departure timestamp(3) with time zone,
  constraint charge_checks_pkey PRIMARY KEY (org_id, device_id),
  constraint charge_checks_device_fkey FOREIGN KEY (org_id, device_id) REFERENCES devices(org_id, id) ON DELETE CASCADE
);
CREATE INDEX charge_checks_org_due_idx ON public.charge_checks USING btree (org_id, due_at);

create table client_ids (
  client_id text not null,
  org_id uuid not null,
  constraint client_ids_pkey PRIMARY KEY (client_id),
  constraint client_ids_org_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE INDEX client_ids_org_idx ON public.client_ids USING btree (org_id);

create table control_revisions (
  org_id uuid not null,
  device_id uuid not null,
  received_at timestamp(3) with time zone not null,
  revision integer not null,
  user_id uuid not null,
  effective_from timestamp(3) with time zone not null,
  change text not null,
  preferences jsonb not null,
  boost_ends_at timestamp(3) with time zone,
  actor_org_id uuid not null,
  actor_user_id uuid not null,
  actor_role text not null,
  request_id text not null,
  constraint control_revisions_pkey PRIMARY KEY (org_id, device_id, received_at),
  constraint control_revisions_device_fkey FOREIGN KEY (org_id, device_id) REFERENCES devices(org_id, id) ON DELETE CASCADE,
  constraint control_revisions_change_check CHECK (change = ANY (ARRAY['preferences'::text, 'boost'::text, 'boost_end'::text]))
);
CREATE INDEX control_revisions_user_idx ON public.control_revisions USING btree (org_id, user_id);

create table day_ahead_prices (
  org_id uuid not null,
  starts_at timestamp(3) with time zone not null,
  received_at timestamp(3) with time zone not null,
  price double precision not null,
  best_bid double precision[] not null,
  best_ask double precision[] not null,
  superseded boolean not null default false,
  constraint day_ahead_prices_pkey PRIMARY KEY (org_id, starts_at, received_at),
  constraint day_ahead_prices_org_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE INDEX day_ahead_prices_superseded_idx ON public.day_ahead_prices USING btree (starts_at) WHERE superseded;

create table deliveries (
  org_id uuid not null,
  message_id uuid not null,
  webhook_id uuid not null,
  state text not null default 'pending'::text,
  attempts integer not null default 0,
  is_retry boolean not null generated always as ((attempts > 0)) stored,
  due_at timestamp(3) with time zone not null,
  request_id text,
  cancel_reason text,
  created_at timestamp(3) with time zone not null,
  finished_at timestamp(3) with time zone,
  constraint deliveries_pkey PRIMARY KEY (org_id, message_id, webhook_id),
  constraint deliveries_message_fkey FOREIGN KEY (org_id, message_id) REFERENCES messages(org_id, id) ON DELETE CASCADE,
  constraint deliveries_webhook_fkey FOREIGN KEY (org_id, webhook_id) REFERENCES webhooks(org_id, id) ON DELETE CASCADE,
  constraint deliveries_state_check CHECK (state = ANY (ARRAY['pending'::text, 'delivered'::text, 'exhausted'::text, 'cancelled'::text]))
);
CREATE INDEX deliveries_due_at_idx ON public.deliveries USING btree (due_at) WHERE (state = 'pending'::text);
CREATE INDEX deliveries_due_idx ON public.deliveries USING btree (is_retry, org_id, webhook_id, due_at, message_id) WHERE (state = 'pending'::text);
CREATE INDEX deliveries_log_idx ON public.deliveries USING btree (org_id, webhook_id, created_at DESC, message_id DESC);
CREATE INDEX deliveries_unsent_idx ON public.deliveries USING btree (org_id, webhook_id, state, created_at DESC, message_id DESC) WHERE (state = ANY (ARRAY['exhausted'::text, 'cancelled'::text]));

create table delivery_attempts (
  org_id uuid not null,
  message_id uuid not null,
  webhook_id uuid not null,
  attempt integer not null,
  started_at timestamp(3) with time zone not null,
  duration_ms integer not null,
  outcome text not null,
  error_class text,
  status_code integer,
  detail text,
  address text,
  secret_version integer not null,
  request_id text,
  lookup_ms integer,
  connect_ms integer,
  tls_ms integer,
  answer_ms integer,
  constraint delivery_attempts_pkey PRIMARY KEY (org_id, message_id, webhook_id, attempt),
  constraint delivery_attempts_class_check CHECK (error_class = ANY (ARRAY['dns'::text, 'refused_address'::text, 'connect'::text, 'tls'::text, 'timeout'::text, 'redirect'::text, 'status'::text, 'secret'::text])),
  constraint delivery_attempts_outcome_check CHECK (outcome = ANY (ARRAY['delivered'::text, 'failed'::text]))
);
CREATE INDEX delivery_attempts_started_idx ON public.delivery_attempts USING btree (started_at);

create table device_conditions (
  org_id uuid not null,
  device_id uuid not null,
  code text not null,
  active boolean not null,
  begins_at timestamp(3) with time zone,
  changed_at timestamp(3) with time zone not null,
  ends_at timestamp(3) with time zone,
  next_change_at timestamp(3) with time zone generated always as (LEAST(begins_at, ends_at)) stored,
  constraint device_conditions_pkey PRIMARY KEY (org_id, device_id, code),
  constraint device_conditions_device_fkey FOREIGN KEY (org_id, device_id) REFERENCES devices(org_id, id) ON DELETE CASCADE,
  constraint device_conditions_code_check CHECK (code = ANY (ARRAY['device_offline'::text, 'reauthenticate'::text, 'steering_recovery_failed'::text, 'subscription_required'::text])),
  constraint device_conditions_end_check CHECK (ends_at IS NULL OR active)
);
CREATE INDEX device_conditions_due_of_org_idx ON public.device_conditions USING btree (org_id, next_change_at) WHERE (next_change_at IS NOT NULL);

create table device_counts (
  org_id uuid not null,
  group_name text not null,
  device_type text not null,
  devices bigint not null,
  constraint device_counts_pkey PRIMARY KEY (org_id, group_name, device_type),
  constraint device_counts_org_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
alter table device_counts set (fillfactor=50);

create table device_interruptions (
  org_id uuid not null,
  device_id uuid not null,
  code text not null,
  started_at timestamp(3) with time zone not null,
  ended_at timestamp(3) with time zone,
  unsteered_from integer not null,
  unsteered_to integer,
  read_until timestamp(3) with time zone not null,
  constraint device_interruptions_pkey PRIMARY KEY (org_id, device_id, code, started_at),
  constraint device_interruptions_condition_fkey FOREIGN KEY (org_id, device_id, code) REFERENCES device_conditions(org_id, device_id, code) ON DELETE CASCADE,
  constraint device_interruptions_end_check CHECK ((ended_at IS NULL) = (unsteered_to IS NULL))
);

create table devices (
  org_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  device_type text not null,
  fleet_id uuid,
  household_index integer,
  name text not null,
  manufacturer text not null,
  model text not null,
  ratings jsonb not null,
  created_at timestamp(3) with time zone not null,
  constraint devices_pkey PRIMARY KEY (org_id, id),
  constraint devices_user_fkey FOREIGN KEY (org_id, user_id) REFERENCES users(org_id, id) ON DELETE CASCADE,
  constraint devices_type_check CHECK (device_type = ANY (ARRAY['electric_vehicle'::text, 'heat_pump'::text, 'inverter'::text, 'wallbox'::text]))
);
CREATE INDEX devices_household_idx ON public.devices USING btree (org_id, household_index, device_type, id) WHERE (household_index IS NOT NULL);
CREATE INDEX devices_type_idx ON public.devices USING btree (org_id, device_type, household_index, id) WHERE (household_index IS NOT NULL);
CREATE INDEX devices_user_idx ON public.devices USING btree (org_id, user_id, device_type, id);
CREATE TRIGGER devices_added AFTER INSERT ON devices REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_simulated_devices();
CREATE TRIGGER devices_removed AFTER DELETE ON devices REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_simulated_devices();

create table encryption_keys (
  id text not null,
  first_used_at timestamp(3) with time zone not null,
  lost_at timestamp(3) with time zone,
  constraint encryption_keys_pkey PRIMARY KEY (id)
);

create table fleet_requests (
  org_id uuid not null,
  operation text not null,
  request_id uuid not null,
  fleet_id uuid not null,
  body_hash bytea not null,
  response json not null,
  created_at timestamp(3) with time zone not null,
  forget_at timestamp(3) with time zone,
  constraint fleet_requests_pkey PRIMARY KEY (org_id, operation, request_id),
  constraint fleet_requests_operation_check CHECK (operation = ANY (ARRAY['create'::text, 'expand'::text, 'event'::text]))
);
CREATE INDEX fleet_requests_forget_idx ON public.fleet_requests USING btree (forget_at) WHERE (forget_at IS NOT NULL);

create table fleets (
  org_id uuid not null,
  id uuid not null,
  request_id uuid not null,
  name text not null,
  status text not null,
  simulation_org_id uuid not null,
  seed bigint not null,
  model_version integer not null,
  household_count integer not null,
  created_count integer not null default 0,
  settled_count integer not null default 0,
  definition json not null,
  density_weights bytea,
  history_from timestamp(3) with time zone not null,
  history_to timestamp(3) with time zone not null,
  error text,
  created_at timestamp(3) with time zone not null,
  started_at timestamp(3) with time zone,
  stopped_at timestamp(3) with time zone,
  work_lease_until timestamp(3) with time zone,
  work_token uuid,
  checkpoint_day integer not null default 0,
  checkpoint_lease_until timestamp(3) with time zone,
  checkpoint_token uuid,
  has_checkpoints_to_remove boolean not null default false,
  has_users_to_remove boolean not null default false,
  constraint fleets_pkey PRIMARY KEY (org_id, id),
  constraint fleets_simulation_org_key UNIQUE (simulation_org_id),
  constraint fleets_org_fkey FOREIGN KEY (org_id) REFERENCES organizations(id),
  constraint fleets_simulation_org_fkey FOREIGN KEY (simulation_org_id) REFERENCES organizations(id),
  constraint fleets_status_check CHECK (status = ANY (ARRAY['queued'::text, 'provisioning'::text, 'running'::text, 'expanding'::text, 'stopped'::text, 'cancelled'::text, 'cleaned'::text, 'failed'::text, 'purging'::text]))
);
CREATE INDEX fleets_checkpoint_idx ON public.fleets USING btree (checkpoint_day) WHERE (status = ANY (ARRAY['running'::text, 'expanding'::text]));
CREATE INDEX fleets_checkpoints_to_remove_idx ON public.fleets USING btree (org_id, id) WHERE has_checkpoints_to_remove;
CREATE INDEX fleets_created_idx ON public.fleets USING btree (org_id, created_at DESC, id DESC);
CREATE INDEX fleets_users_to_remove_idx ON public.fleets USING btree (org_id, id) WHERE has_users_to_remove;
CREATE INDEX fleets_work_idx ON public.fleets USING btree (created_at) WHERE (status = ANY (ARRAY['queued'::text, 'provisioning'::text, 'expanding'::text, 'purging'::text]));

create table household_checkpoints (
  org_id uuid not null,
  household_index integer not null,
  day integer not null,
  pv bigint not null,
  ev bigint not null,
  hp bigint not null,
  grid_import bigint not null,
  grid_export bigint not null,
  stored bigint not null,
  vehicle_stored bigint not null,
  constraint household_checkpoints_pkey PRIMARY KEY (org_id, household_index),
  constraint household_checkpoints_household_fkey FOREIGN KEY (org_id, household_index) REFERENCES households(org_id, household_index) ON DELETE CASCADE
);

create table households (
  org_id uuid not null,
  fleet_id uuid not null,
  household_index integer not null,
  household_id uuid not null,
  user_id uuid not null,
  group_name text not null,
  profile text not null,
  latitude double precision,
  longitude double precision,
  location_source text,
  attributes jsonb not null,
  created_at timestamp(3) with time zone not null,
  control_version integer not null default 0,
  constraint households_pkey PRIMARY KEY (org_id, household_index),
  constraint households_org_fkey FOREIGN KEY (org_id) REFERENCES organizations(id),
  constraint households_coordinates_check CHECK ((latitude IS NULL) = (longitude IS NULL)),
  constraint households_source_check CHECK (location_source = ANY (ARRAY['density'::text, 'fixed'::text, 'default'::text]))
);
CREATE INDEX households_group_idx ON public.households USING btree (org_id, group_name, household_index);

create table idempotency_keys (
  org_id uuid not null,
  user_id uuid not null,
  key_hash bytea not null,
  request_hash bytea not null,
  encrypted_answer bytea,
  answer_key_id text,
  created_at timestamp(3) with time zone not null,
  constraint idempotency_keys_pkey PRIMARY KEY (org_id, user_id, key_hash),
  constraint idempotency_keys_org_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint idempotency_keys_answer_check CHECK ((encrypted_answer IS NULL) = (answer_key_id IS NULL)),
  constraint idempotency_keys_hashes_check CHECK (octet_length(key_hash) = 32 AND octet_length(request_hash) = 32)
);
CREATE INDEX idempotency_keys_created_idx ON public.idempotency_keys USING btree (created_at);

create table in_flight_slots (
  worker_id integer not null,
  slot integer not null,
  org_id uuid,
  message_id uuid,
  webhook_id uuid,
  is_retry boolean,
  lease_token uuid,
  lease_until timestamp(3) with time zone,
  partner_id uuid,
  constraint in_flight_slots_pkey PRIMARY KEY (worker_id, slot),
  constraint in_flight_slots_lease_check CHECK (num_nulls(org_id, partner_id, message_id, webhook_id, is_retry, lease_token, lease_until) = ANY (ARRAY[0, 7]))
);
alter table in_flight_slots set (fillfactor=30);

create table logged_requests (
  org_id uuid not null,
  sent_at timestamp(3) with time zone not null,
  id uuid not null,
  request_id text not null,
  operation text not null,
  method text not null,
  path text not null,
  status smallint not null,
  duration_ms integer not null,
  user_id uuid,
  application_id uuid,
  code text,
  errors jsonb,
  body text,
  constraint logged_requests_pkey PRIMARY KEY (org_id, sent_at, id),
  constraint logged_requests_org_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint logged_requests_body_check CHECK (octet_length(body) <= 16384)
);
CREATE INDEX logged_requests_failed_idx ON public.logged_requests USING btree (org_id, sent_at, id) WHERE (status >= 400);
CREATE INDEX logged_requests_operation_idx ON public.logged_requests USING btree (org_id, operation, sent_at, id);
CREATE INDEX logged_requests_request_idx ON public.logged_requests USING btree (org_id, request_id);
CREATE INDEX logged_requests_sent_idx ON public.logged_requests USING btree (sent_at);

create table messages (
  org_id uuid not null,
  id uuid not null,
  message_type text not null,
  occurred_at timestamp(3) with time zone not null,
  payload bytea not null,
  created_at timestamp(3) with time zone not null,
  announced_at timestamp(3) with time zone not null default clock_timestamp(),
  repeated_at timestamp(3) with time zone,
  constraint messages_pkey PRIMARY KEY (org_id, id),
  constraint messages_org_fkey FOREIGN KEY (org_id) REFERENCES organizations(id)
);
CREATE INDEX messages_announced_idx ON public.messages USING btree (org_id, announced_at, id);
CREATE INDEX messages_repeated_idx ON public.messages USING btree (org_id, repeated_at, id) WHERE (repeated_at IS NOT NULL);

create table notification_items (
  org_id uuid not null,
  id uuid not null,
  kind text not null,
  code text,
  device_id uuid,
  device_type text,
  owner_id uuid,
  message text not null,
  occurred_at timestamp(3) with time zone not null,
  dismissed_at timestamp(3) with time zone,
  cleared_at timestamp(3) with time zone,
  constraint notification_items_pkey PRIMARY KEY (org_id, id),
  constraint notification_items_device_fkey FOREIGN KEY (org_id, device_id) REFERENCES devices(org_id, id) ON DELETE CASCADE,
  constraint notification_items_owner_fkey FOREIGN KEY (org_id, owner_id) REFERENCES users(org_id, id) ON DELETE CASCADE,
  constraint notification_items_kind_check CHECK (kind = ANY (ARRAY['action'::text, 'information'::text]))
);
CREATE INDEX notification_items_device_idx ON public.notification_items USING btree (org_id, device_id, occurred_at DESC, id DESC) WHERE (device_id IS NOT NULL);
CREATE INDEX notification_items_ended_idx ON public.notification_items USING btree (COALESCE(cleared_at, dismissed_at,
CASE
    WHEN (owner_id IS NULL) THEN occurred_at
    ELSE NULL::timestamp with time zone
END)) WHERE (COALESCE(cleared_at, dismissed_at,
CASE
    WHEN (owner_id IS NULL) THEN occurred_at
    ELSE NULL::timestamp with time zone
END) IS NOT NULL);
CREATE INDEX notification_items_history_code_idx ON public.notification_items USING btree (org_id, code, device_type, occurred_at DESC, id DESC) WHERE (kind = 'information'::text);
CREATE INDEX notification_items_history_idx ON public.notification_items USING btree (org_id, occurred_at DESC, id DESC) WHERE (kind = 'information'::text);
CREATE UNIQUE INDEX notification_items_id_key ON public.notification_items USING btree (id);
CREATE UNIQUE INDEX notification_items_open_key ON public.notification_items USING btree (org_id, device_id, code) WHERE ((cleared_at IS NULL) AND (dismissed_at IS NULL) AND (device_id IS NOT NULL));
CREATE INDEX notification_items_owner_idx ON public.notification_items USING btree (org_id, owner_id, occurred_at DESC, id DESC);
CREATE INDEX notification_items_pending_code_idx ON public.notification_items USING btree (org_id, code, device_type, occurred_at DESC, id DESC) WHERE ((dismissed_at IS NULL) AND (cleared_at IS NULL));
CREATE INDEX notification_items_pending_idx ON public.notification_items USING btree (org_id, occurred_at DESC, id DESC) WHERE ((dismissed_at IS NULL) AND (cleared_at IS NULL));
CREATE INDEX notification_items_pending_owner_idx ON public.notification_items USING btree (org_id, owner_id, occurred_at DESC, id DESC) WHERE ((dismissed_at IS NULL) AND (cleared_at IS NULL));
CREATE TRIGGER notification_items_added AFTER INSERT ON notification_items REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_pending_items();
CREATE TRIGGER notification_items_changed AFTER UPDATE ON notification_items REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_pending_items();
CREATE TRIGGER notification_items_removed AFTER DELETE ON notification_items REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_pending_items();

create table organization_locks (
  org_id uuid not null,
  constraint organization_locks_pkey PRIMARY KEY (org_id),
  constraint organization_locks_org_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);

create table organizations (
  id uuid not null,
  name text not null,
  kind text not null,
  parent_org_id uuid,
  created_at timestamp(3) with time zone not null,
  suspended_at timestamp(3) with time zone,
  constraint organizations_pkey PRIMARY KEY (id),
  constraint organizations_parent_fkey FOREIGN KEY (parent_org_id) REFERENCES organizations(id),
  constraint organizations_kind_check CHECK (kind = ANY (ARRAY['partner'::text, 'simulation'::text])),
  constraint organizations_parent_check CHECK ((kind = 'simulation'::text) = (parent_org_id IS NOT NULL)),
  constraint organizations_suspended_check CHECK (suspended_at IS NULL OR kind = 'partner'::text)
);
CREATE INDEX organizations_parent_idx ON public.organizations USING btree (parent_org_id) WHERE (parent_org_id IS NOT NULL);

create table partner_quotas (
  org_id uuid not null,
  name text not null,
  quota bigint not null,
  constraint partner_quotas_pkey PRIMARY KEY (org_id, name),
  constraint partner_quotas_org_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint partner_quotas_name_check CHECK (name = ANY (ARRAY['fleets'::text, 'households'::text, 'webhooks'::text, 'applications'::text, 'users'::text, 'event_streams'::text, 'price_quarters'::text, 'price_revisions'::text, 'pending_deliveries'::text, 'control_revisions'::text, 'idempotency_keys'::text, 'fleet_requests'::text])),
  constraint partner_quotas_quota_check CHECK (quota >= 0)
);

create table pending_delivery_counts (
  org_id uuid not null,
  shard smallint not null,
  deliveries bigint not null,
  constraint pending_delivery_counts_pkey PRIMARY KEY (org_id, shard),
  constraint pending_delivery_counts_org_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
alter table pending_delivery_counts set (fillfactor=50);

create table pending_item_counts (
  org_id uuid not null,
  shard smallint not null,
  device_type text not null,
  kind text not null,
  items bigint not null,
  constraint pending_item_counts_pkey PRIMARY KEY (org_id, shard, device_type, kind),
  constraint pending_item_counts_org_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
alter table pending_item_counts set (fillfactor=50);

create table portal_sessions (
  session_hash bytea not null,
  org_id uuid not null,
  user_id uuid not null,
  csrf_secret text not null,
  created_at timestamp(3) with time zone not null,
  expires_at timestamp(3) with time zone not null,
  constraint portal_sessions_pkey PRIMARY KEY (session_hash),
  constraint portal_sessions_user_fkey FOREIGN KEY (org_id, user_id) REFERENCES users(org_id, id) ON DELETE CASCADE
);
CREATE INDEX portal_sessions_expires_idx ON public.portal_sessions USING btree (expires_at);
CREATE INDEX portal_sessions_user_idx ON public.portal_sessions USING btree (org_id, user_id);

create table price_counts (
  org_id uuid not null,
  quarters bigint not null,
  uploads bigint not null default 0,
  constraint price_counts_pkey PRIMARY KEY (org_id),
  constraint price_counts_org_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);

create unlogged table rate_limits (
  policy text not null,
  subject text not null,
  window_started_at timestamp(3) with time zone not null,
  used integer not null,
  constraint rate_limits_pkey PRIMARY KEY (policy, subject)
);
CREATE INDEX rate_limits_window_idx ON public.rate_limits USING btree (window_started_at);

create table shared_outages (
  org_id uuid not null,
  id uuid not null,
  cause text not null,
  manufacturer text,
  country text,
  latitude double precision,
  longitude double precision,
  radius_km double precision,
  user_ids uuid[],
  starts_at timestamp(3) with time zone not null,
  ends_at timestamp(3) with time zone not null,
  request_id text,
  after_device_id uuid,
  is_applied boolean not null default false,
  household_indexes integer[],
  constraint shared_outages_pkey PRIMARY KEY (org_id, id),
  constraint shared_outages_org_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint shared_outages_cause_check CHECK (cause = ANY (ARRAY['manufacturer_cloud'::text, 'region'::text, 'household_router'::text])),
  constraint shared_outages_households_check CHECK ((household_indexes IS NOT NULL) = (cause = 'region'::text)),
  constraint shared_outages_subject_check CHECK (
CASE cause
    WHEN 'manufacturer_cloud'::text THEN manufacturer IS NOT NULL AND num_nonnulls(country, latitude, longitude, radius_km, user_ids) = 0
    WHEN 'region'::text THEN num_nonnulls(manufacturer, user_ids) = 0 AND num_nonnulls(latitude, longitude, radius_km) =
    CASE
        WHEN country IS NULL THEN 3
        ELSE 0
    END
    ELSE user_ids IS NOT NULL AND num_nonnulls(manufacturer, country, latitude, longitude, radius_km) = 0
END)
);
CREATE INDEX shared_outages_ends_idx ON public.shared_outages USING btree (ends_at);
CREATE INDEX shared_outages_unapplied_idx ON public.shared_outages USING btree (starts_at, org_id) WHERE (NOT is_applied);

create table signup_requests (
  id uuid not null,
  email text not null,
  url text not null,
  invite_token uuid not null,
  created_at timestamp(3) with time zone not null,
  constraint signup_requests_pkey PRIMARY KEY (id)
);
CREATE INDEX signup_requests_created_idx ON public.signup_requests USING btree (created_at DESC, id DESC);

create table unlogged_requests (
  org_id uuid not null,
  minute timestamp(0) with time zone not null,
  count bigint not null,
  constraint unlogged_requests_pkey PRIMARY KEY (org_id, minute),
  constraint unlogged_requests_org_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE INDEX unlogged_requests_minute_idx ON public.unlogged_requests USING btree (minute);

create table user_counts (
  org_id uuid not null,
  shard smallint not null,
  users bigint not null,
  granted bigint not null default 0,
  quota bigint not null default '-1'::integer,
  constraint user_counts_pkey PRIMARY KEY (org_id, shard),
  constraint user_counts_org_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
alter table user_counts set (fillfactor=50);

create table user_places (
  org_id uuid not null,
  user_id uuid not null,
  effective_from timestamp(3) with time zone not null,
  latitude double precision,
  longitude double precision,
  received_at timestamp(3) with time zone not null,
  actor_org_id uuid,
  actor_user_id uuid,
  actor_role text,
  request_id text,
  constraint user_places_pkey PRIMARY KEY (org_id, user_id, effective_from),
  constraint user_places_user_fkey FOREIGN KEY (org_id, user_id) REFERENCES users(org_id, id) ON DELETE CASCADE,
  constraint user_places_coordinates_check CHECK ((latitude IS NULL) = (longitude IS NULL))
);

create table usernames (
  username text not null,
  org_id uuid not null,
  constraint usernames_pkey PRIMARY KEY (username),
  constraint usernames_org_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE INDEX usernames_org_idx ON public.usernames USING btree (org_id);

create table users (
  org_id uuid not null,
  id uuid not null,
  email text not null,
  role text not null,
  external_user_id text,
  first_name text,
  last_name text,
  street_and_number text,
  street_add_info text,
  zip_code text,
  town text,
  country text,
  latitude double precision,
  longitude double precision,
  location_last_updated timestamp(3) with time zone,
  username text,
  password_hash text,
  password_change_required boolean not null default false,
  fleet_id uuid,
  household_index integer,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  deleted_at timestamp(3) with time zone,
  initial_password_expires_at timestamp(3) with time zone,
  constraint users_pkey PRIMARY KEY (org_id, id),
  constraint users_org_fkey FOREIGN KEY (org_id) REFERENCES organizations(id),
  constraint users_coordinates_check CHECK ((latitude IS NULL) = (longitude IS NULL)),
  constraint users_initial_password_check CHECK (NOT password_change_required OR initial_password_expires_at IS NOT NULL),
  constraint users_password_check CHECK (password_hash IS NULL OR username IS NOT NULL),
  constraint users_role_check CHECK (role = ANY (ARRAY['admin'::text, 'staff'::text, 'user'::text]))
);
CREATE INDEX users_active_created_idx ON public.users USING btree (org_id, created_at, id) WHERE (deleted_at IS NULL);
CREATE INDEX users_created_idx ON public.users USING btree (org_id, created_at, id);
CREATE INDEX users_deleted_idx ON public.users USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);
CREATE INDEX users_deleted_of_org_idx ON public.users USING btree (org_id, deleted_at) WHERE (deleted_at IS NOT NULL);
CREATE UNIQUE INDEX users_email_key ON public.users USING btree (org_id, lower(email)) WHERE (deleted_at IS NULL);
CREATE INDEX users_external_idx ON public.users USING btree (org_id, external_user_id, deleted_at) WHERE (external_user_id IS NOT NULL);
CREATE UNIQUE INDEX users_external_user_id_key ON public.users USING btree (org_id, external_user_id) WHERE (deleted_at IS NULL);
CREATE UNIQUE INDEX users_username_key ON public.users USING btree (lower(username)) WHERE (deleted_at IS NULL);
CREATE TRIGGER users_deleted AFTER UPDATE OF deleted_at ON users FOR EACH ROW WHEN ((old.deleted_at IS NULL) <> (new.deleted_at IS NULL)) EXECUTE FUNCTION follow_user_deletion();
CREATE TRIGGER users_named AFTER INSERT ON users FOR EACH ROW WHEN (new.username IS NOT NULL) EXECUTE FUNCTION map_username();
CREATE TRIGGER users_removed AFTER DELETE ON users FOR EACH ROW WHEN (old.username IS NOT NULL) EXECUTE FUNCTION map_username();
CREATE TRIGGER users_renamed AFTER UPDATE OF username, deleted_at ON users FOR EACH ROW WHEN (old.username IS DISTINCT FROM new.username OR old.deleted_at IS DISTINCT FROM new.deleted_at) EXECUTE FUNCTION map_username();

create table webhooks (
  org_id uuid not null,
  id uuid not null,
  url text not null,
  topics text[] not null,
  enabled boolean not null default true,
  encrypted_secret bytea not null,
  secret_key_id text not null,
  secret_version integer not null default 1,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  deleted_at timestamp(3) with time zone,
  cancelling_mark uuid,
  constraint webhooks_pkey PRIMARY KEY (org_id, id),
  constraint webhooks_org_fkey FOREIGN KEY (org_id) REFERENCES organizations(id)
);
CREATE INDEX webhooks_cancelling_idx ON public.webhooks USING btree (org_id, id) WHERE (cancelling_mark IS NOT NULL);
CREATE INDEX webhooks_created_idx ON public.webhooks USING btree (org_id, created_at, id) WHERE (deleted_at IS NULL);
CREATE INDEX webhooks_deleted_idx ON public.webhooks USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);
CREATE INDEX webhooks_deleted_of_org_idx ON public.webhooks USING btree (org_id, deleted_at) WHERE (deleted_at IS NOT NULL);
CREATE INDEX webhooks_topics_idx ON public.webhooks USING gin (topics) WHERE ((deleted_at IS NULL) AND enabled);
