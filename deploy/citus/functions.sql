-- What the functions of the migrations do on a Citus cluster. Run it on the coordinator as the superuser behind distribute.sql, and
-- again after each migration that replaces one of these functions:
--   psql -v ON_ERROR_STOP=1 -1 -f deploy/citus/functions.sql DATABASE
--
-- Whatever orders, locks or leases stands on the coordinator, to which all processes are connected: instants of announcement,
-- advisory locks, the slots of deliveries in flight. Shards hold rows and nothing else. So no claim and no event depends on where
-- a shard is, or whether it is just moving.
set local client_min_messages = warning;
set local citus.multi_shard_modify_mode = 'sequential';

-- One row in each shard: a statement over all of them runs a function once on each shard.
create table if not exists shard_keys (id uuid primary key);
-- What makes Citus commit a transaction in two phases when it changes it.
create table if not exists commits_in_two_phases (id integer primary key);
do $$
declare
  owner constant name := (select pg_get_userbyid(relowner) from pg_class where oid = 'users'::regclass);
  own regclass;
begin
  -- Before any lock of a table: claims, which hold this one while they read, wait until all is as it should be.
  perform pg_advisory_xact_lock(1684829810);
  if not exists (select from pg_dist_partition where logicalrelid = 'shard_keys'::regclass) then
    perform create_distributed_table('shard_keys', 'id', colocate_with := 'users');
  end if;
  if not exists (select from pg_dist_partition where logicalrelid = 'commits_in_two_phases'::regclass) then
    perform citus_add_local_table_to_metadata('commits_in_two_phases');
  end if;
  -- The service's role owns the other tables.
  for own in select oid from pg_class
    where oid in ('shard_keys'::regclass, 'commits_in_two_phases'::regclass) and pg_get_userbyid(relowner) <> owner
  loop
    execute format('alter table %s owner to %I', own, owner);
  end loop;
end
$$;
create or replace function all_shard_keys(out keys uuid[]) language plpgsql stable
set citus.multi_task_query_log_level = off
as $$
begin
  keys := array(select id from shard_keys);
end
$$;

-- Also for shards that a split has made: claims ask for it when shards and keys are not as many. The shard of one organization alone may
-- have no other key than that organization; one in which there is none has no deliveries. A shard has one key: the lock is that of claims.
create or replace function add_missing_shard_keys() returns void
language plpgsql
as $$
declare
  shards constant bigint := (select count(*) from pg_dist_shard where logicalrelid = 'shard_keys'::regclass);
  keys uuid[];
  known bigint[] := '{}';
  candidate uuid;
  shard bigint;
begin
  perform pg_advisory_xact_lock(1684829810);
  keys := (select k.keys from all_shard_keys() k);
  foreach candidate in array keys loop
    shard := get_shard_id_for_distribution_column('shard_keys', candidate);
    if shard = any (known) then
      delete from shard_keys where id = candidate;
    end if;
    known := known || shard;
  end loop;
  foreach candidate in array array(select gen_random_uuid() from generate_series(1, 200 * shards)) || array(select id from organizations) loop
    exit when shards <= (select count(distinct each) from unnest(known) each);
    shard := get_shard_id_for_distribution_column('shard_keys', candidate);
    if shard <> all (known) then
      insert into shard_keys (id) values (candidate);
      known := known || shard;
    end if;
  end loop;
end
$$;
select add_missing_shard_keys();

-- The name of a table's shard in which an organization is.
create or replace function shard_of(name text, org uuid) returns text language sql stable as $$
  select quote_ident(name || '_' || get_shard_id_for_distribution_column(name::regclass, org))
$$;

-- One organization of each shard that these are in. A statement over `count(*)` of a table where it is the key runs once, on its shard.
create or replace function one_of_each_shard(orgs uuid[]) returns setof uuid language sql stable as $$
  select distinct on (get_shard_id_for_distribution_column('users', org)) org from unnest(orgs) org
$$;

-- Begins to write where an organization is. At a change Citus begins a transaction on the node, and waits while the shard is moved; at a
-- SELECT, also of a function that writes, it does neither. It commits in two phases when two nodes have changed, or one and a table of
-- its own on the coordinator: those of which it does not know, such as the slots, do not count. Changes no row: no message has the id of an
-- organization.
create or replace function begin_writing(org uuid) returns void language plpgsql as $$
begin
  update deliveries set due_at = due_at where org_id = org and message_id = org;
  delete from commits_in_two_phases where id = 0;
end
$$;

-- The node of an organization.
create or replace function node_of(org uuid) returns integer language sql stable as $$
  select groupid from pg_dist_placement where shardid = get_shard_id_for_distribution_column('deliveries', org)
$$;

-- Triggers run on the shards: what they count stands in shards of the same node.
create or replace function change_pending_items(org uuid, type_of_device text, item_kind text, change bigint) returns void
language plpgsql as $$
declare
  own_shard constant smallint := pg_backend_pid() % 32;
begin
  perform pg_advisory_xact_lock(hashtextextended(org::text, own_shard));
  execute format('
    insert into %s as c (org_id, shard, device_type, kind, items) values ($1, $2, $3, $4, $5)
    on conflict (org_id, shard, device_type, kind) do update set items = c.items + excluded.items',
    shard_of('pending_item_counts', org)) using org, own_shard, type_of_device, item_kind, change;
end
$$;

create or replace function count_simulated_devices() returns trigger
language plpgsql as $$
declare
  org uuid;
  owners text := '';
begin
  -- All rows of a statement on a shard are in this shard.
  if tg_op = 'INSERT' then
    select org_id into org from added limit 1;
  else
    select org_id into org from removed limit 1;
    owners := 'for share';
  end if;
  if org is null then
    return null;
  end if;
  execute format('
    with owners as materialized (
      select org_id, id from %1$s
      where (org_id, id) in (select org_id, user_id from %2$s where household_index is not null) and deleted_at is null
      order by org_id, id %3$s
    )
    insert into %4$s as c (org_id, group_name, device_type, devices)
    select d.org_id, h.group_name, d.device_type, %5$s count(*)
    from %2$s d
    join %6$s h on h.org_id = d.org_id and h.household_index = d.household_index
    join owners on owners.org_id = d.org_id and owners.id = d.user_id
    group by d.org_id, h.group_name, d.device_type
    order by d.org_id, h.group_name, d.device_type
    on conflict (org_id, group_name, device_type) do update set devices = c.devices + excluded.devices',
    shard_of('users', org), case tg_op when 'INSERT' then 'added' else 'removed' end, owners,
    shard_of('device_counts', org), case tg_op when 'INSERT' then '' else '-' end, shard_of('households', org));
  return null;
end
$$;

create or replace function follow_user_deletion() returns trigger
language plpgsql as $$
begin
  if new.deleted_at is not null then
    execute format('
      update %s set cleared_at = $1
      where org_id = $2 and owner_id = $3 and cleared_at is null and dismissed_at is null',
      shard_of('notification_items', new.org_id)) using new.deleted_at, new.org_id, new.id;
  end if;
  execute format('
    insert into %s as c (org_id, group_name, device_type, devices)
    select d.org_id, h.group_name, d.device_type, $3 * count(*)
    from %s d join %s h on h.org_id = d.org_id and h.household_index = d.household_index
    where d.org_id = $1 and d.user_id = $2
    group by d.org_id, h.group_name, d.device_type
    order by d.org_id, h.group_name, d.device_type
    on conflict (org_id, group_name, device_type) do update set devices = c.devices + excluded.devices',
    shard_of('device_counts', new.org_id), shard_of('devices', new.org_id), shard_of('households', new.org_id))
    using new.org_id, new.id, case when new.deleted_at is null then 1 else -1 end;
  return null;
end
$$;

-- The heads of the queues of one shard: of each of the next webhooks that wait in a lane the first pending deliveries, as many as it may
-- have in flight besides, `most` of them at most, and those in flight. Behind them one that is never due: a webhook of which nothing can
-- be leased takes its place in the window all the same. Named and ordered as in lease_deliveries.
create or replace function waiting_in_shard(
  key uuid, retries boolean, after_org uuid, after_webhook uuid, window_size integer, most integer, per_webhook integer,
  in_flight jsonb, as_of timestamptz
) returns jsonb
language plpgsql
set enable_seqscan = off set enable_sort = off set enable_incremental_sort = off set jit = off
as $$
declare
  heads jsonb;
  is_waiting boolean;
begin
  -- In most shards nothing waits, and the statement below takes longer to plan than this one to answer.
  execute format('select exists (select from %s d where d.state = ''pending'' and d.is_retry = $1)', shard_of('deliveries', key))
  into is_waiting using retries;
  if not is_waiting then
    return null;
  end if;
  execute format('
    with recursive waiting as (
      select first.org_id, first.webhook_id, first.due_at, 1 as step from (
        select d.is_retry, d.org_id, d.webhook_id, d.due_at from %1$s d
        where d.state = ''pending'' and (d.is_retry, d.org_id, d.webhook_id) > ($1, $2, $3)
        order by d.is_retry, d.org_id, d.webhook_id, d.due_at limit 1
      ) first where first.is_retry = $1
      union all
      select next.org_id, next.webhook_id, next.due_at, step + 1
      from waiting, lateral (
        select d.is_retry, d.org_id, d.webhook_id, d.due_at from %1$s d
        where d.state = ''pending'' and (d.is_retry, d.org_id, d.webhook_id) > ($1, waiting.org_id, waiting.webhook_id)
        order by d.is_retry, d.org_id, d.webhook_id, d.due_at limit 1
      ) next
      where step < $4 and next.is_retry = $1
    )
    select jsonb_agg(head)
    from waiting w, lateral (select coalesce(($6 ->> w.webhook_id::text)::integer, 0) as leased) own, lateral (
      (select d.is_retry, d.org_id, d.webhook_id, d.due_at, d.message_id from %1$s d
       where d.state = ''pending'' and d.is_retry = $1 and d.org_id = w.org_id and d.webhook_id = w.webhook_id
         and d.due_at between w.due_at and greatest(w.due_at, $7)
       order by d.due_at, d.message_id
       limit case when own.leased < $8 then own.leased + least($5, $8 - own.leased) else 0 end)
      union all select $1, w.org_id, w.webhook_id, ''infinity'', ''00000000-0000-0000-0000-000000000000''
    ) head', shard_of('deliveries', key))
  into heads using retries, after_org, after_webhook, window_size, most, in_flight, as_of, per_webhook;
  return heads;
end
$$;

-- The same of both lanes, as their free slots allow.
create or replace function heads_in_shard(
  key uuid, first_slots integer, retry_slots integer, per_webhook integer, window_size integer,
  first_after_org uuid, first_after_webhook uuid, retry_after_org uuid, retry_after_webhook uuid, in_flight jsonb, as_of timestamptz
) returns jsonb
language plpgsql
as $$
declare
  first_heads jsonb;
  retry_heads jsonb;
begin
  if first_slots > 0 then
    first_heads := waiting_in_shard(key, false, first_after_org, first_after_webhook, window_size, greatest(first_slots / 8, 1),
      per_webhook, in_flight, as_of);
  end if;
  if retry_slots > 0 then
    retry_heads := waiting_in_shard(key, true, retry_after_org, retry_after_webhook, window_size, greatest(retry_slots / 8, 1),
      per_webhook, in_flight, as_of);
  end if;
  return coalesce(first_heads, '[]') || coalesce(retry_heads, '[]');
end
$$;

-- The claim of the migrations reads these in place of deliveries and organizations.
do $$
declare
  claim text := pg_get_functiondef('lease_deliveries'::regproc);
begin
  claim := replace(claim, 'public.lease_deliveries(', 'public.lease_waiting_deliveries(');
  claim := replace(claim, 'from deliveries d', 'from waiting_deliveries d');
  claim := replace(claim, 'join organizations ', 'join waiting_organizations ');
  if claim ~ '(from|join) (deliveries|organizations)\M' or claim !~ 'lease_waiting_deliveries\(' then
    raise exception 'lease_deliveries of the migrations reads tables that this script does not replace.';
  end if;
  execute claim;
end
$$;

-- The heads of the shards whose nodes answer, of partners whose nodes do: what is delivered is counted off there. A node that does not
-- answer is asked once.
create or replace function heads_of_answering_nodes(
  first_slots integer, retry_slots integer, per_webhook integer, window_size integer,
  first_after_org uuid, first_after_webhook uuid, retry_after_org uuid, retry_after_webhook uuid, in_flight jsonb, as_of timestamptz
) returns jsonb
language plpgsql
as $$
declare
  silent integer[] := '{}';
  place record;
  heads jsonb;
  all_heads jsonb := '[]';
begin
  for place in
    select p.groupid as node, o.id as org
    from pg_dist_shard s join pg_dist_placement p on p.shardid = s.shardid
    join lateral (select id from organizations where get_shard_id_for_distribution_column('shard_keys', id) = s.shardid limit 1) o on true
    where s.logicalrelid = 'shard_keys'::regclass
  loop
    continue when place.node = any (silent);
    begin
      select heads_in_shard(place.org, first_slots, retry_slots, per_webhook, window_size,
        first_after_org, first_after_webhook, retry_after_org, retry_after_webhook, in_flight, as_of) into heads
      from (select count(*) from shard_keys where id = place.org) shard;
      all_heads := all_heads || heads;
    exception when connection_exception or admin_shutdown or crash_shutdown or cannot_connect_now then
      raise log 'Claims leave out node %: %', place.node, sqlerrm;
      silent := silent || place.node;
    end;
  end loop;
  return (
    select coalesce(jsonb_agg(head), '[]') from jsonb_array_elements(all_heads) head
    join organizations o on o.id = (head ->> 'org_id')::uuid
    where node_of(coalesce(o.parent_org_id, o.id)) <> all (silent));
end
$$;

-- What waits in all shards, for lease_waiting_deliveries: in temporary tables of the connection, which every claim fills anew.
-- Where a node does not answer, its shards are left out: those of other nodes wait for none.
create or replace function gather_waiting_deliveries(
  first_slots integer, retry_slots integer, per_webhook integer, window_size integer,
  first_after_org uuid, first_after_webhook uuid, retry_after_org uuid, retry_after_webhook uuid
) returns void
language plpgsql
set citus.multi_task_query_log_level = off
as $$
declare
  held_messages uuid[];
  held_webhooks uuid[];
  in_flight jsonb;
  as_of constant timestamptz := clock_timestamp();
  heads jsonb;
  all_heads jsonb := '[]';
  keys integer := 0;
begin
  if to_regclass('pg_temp.waiting_deliveries') is null then
    create temp table waiting_deliveries (
      state text not null default 'pending', is_retry boolean, org_id uuid, webhook_id uuid, due_at timestamptz(3), message_id uuid
    ) on commit delete rows;
    create unique index on pg_temp.waiting_deliveries (is_retry, org_id, webhook_id, due_at, message_id) where state = 'pending';
    create temp table waiting_organizations (
      id uuid primary key, parent_org_id uuid, suspended_at timestamptz
    ) on commit delete rows;
  end if;
  -- What is in flight is read before the shards are. Of a delivery that is free by now the result is committed in its shard: there
  -- it is no longer pending, or due later.
  select array_agg(message_id), array_agg(webhook_id) into held_messages, held_webhooks
  from in_flight_slots where message_id is not null;
  select coalesce(jsonb_object_agg(id, deliveries), '{}') into in_flight
  from (select id, count(*) as deliveries from unnest(held_webhooks) id group by id) counted;
  begin
    for heads in
      select heads_in_shard(k.id, first_slots, retry_slots, per_webhook, window_size,
        first_after_org, first_after_webhook, retry_after_org, retry_after_webhook, in_flight, as_of) from shard_keys k
    loop
      keys := keys + 1;
      all_heads := all_heads || heads;
    end loop;
    if keys <> (select count(*) from pg_dist_shard where logicalrelid = 'shard_keys'::regclass) then
      perform add_missing_shard_keys();
    end if;
  exception when connection_exception or admin_shutdown or crash_shutdown or cannot_connect_now then
    all_heads := heads_of_answering_nodes(first_slots, retry_slots, per_webhook, window_size,
      first_after_org, first_after_webhook, retry_after_org, retry_after_webhook, in_flight, as_of);
  end;
  insert into waiting_deliveries (is_retry, org_id, webhook_id, due_at, message_id)
  select * from jsonb_to_recordset(all_heads)
    as h (is_retry boolean, org_id uuid, webhook_id uuid, due_at timestamptz, message_id uuid)
  where (message_id, webhook_id) not in (select * from unnest(held_messages, held_webhooks))
  on conflict do nothing;
  insert into waiting_organizations
  select o.id, o.parent_org_id, o.suspended_at from organizations o
  where o.id = any(array(select org_id from waiting_deliveries))
    or o.id = any(array(select p.parent_org_id from organizations p where p.id = any(array(select org_id from waiting_deliveries))));
end
$$;

-- As in the migrations; what waits is gathered from the shards while no other claim is decided.
create or replace procedure claim_deliveries(
  worker integer, claim uuid, lease_ms integer, first_slots integer, retry_slots integer,
  per_webhook integer, per_partner integer, window_size integer,
  first_after_org uuid, first_after_webhook uuid, retry_after_org uuid, retry_after_webhook uuid,
  inout lanes json, inout claimed json
)
language plpgsql
as $$
begin
  perform pg_advisory_xact_lock(1684829810);
  perform gather_waiting_deliveries(first_slots, retry_slots, per_webhook, window_size,
    first_after_org, first_after_webhook, retry_after_org, retry_after_webhook);
  select coalesce(json_agg(lane), '[]') into lanes from lease_waiting_deliveries(worker, claim, lease_ms, first_slots, retry_slots,
    per_webhook, per_partner, window_size, first_after_org, first_after_webhook, retry_after_org, retry_after_webhook) lane;
  commit;
  claimed := read_claimed_deliveries(worker, claim);
end
$$;

create or replace function claimed_in_shard(key uuid, leased jsonb) returns jsonb
language plpgsql stable
set enable_seqscan = off set jit = off
as $$
declare
  found jsonb;
begin
  execute format('
    with leased as materialized (
      select * from jsonb_to_recordset($1) as l (slot integer, org_id uuid, message_id uuid, webhook_id uuid, is_retry boolean)
    ), claimed as (
      select l.slot, l.message_id, l.webhook_id, m.created_at, encode(m.payload, ''base64'') as payload,
        case when l.is_retry then (
          select d.attempts from %1$s d
          where d.org_id = l.org_id and d.message_id = l.message_id and d.webhook_id = l.webhook_id) else 0 end as attempts,
        case when w.deleted_at is not null then ''deleted''
             when not w.enabled then ''disabled''
             when not w.topics @> array[m.message_type] then ''topic_removed'' end as unwanted
      from leased l join %2$s m on m.org_id = l.org_id and m.id = l.message_id
      join %3$s w on w.org_id = l.org_id and w.id = l.webhook_id
    ), calling as (
      select w.org_id, w.id, w.url, encode(w.encrypted_secret, ''base64'') as encrypted_secret, w.secret_key_id, w.secret_version
      from %3$s w where (w.org_id, w.id) in (select l.org_id, l.webhook_id from leased l)
    )
    select jsonb_build_object(
      ''deliveries'', (select coalesce(jsonb_agg(claimed), ''[]'') from claimed),
      ''webhooks'', (select coalesce(jsonb_agg(calling), ''[]'') from calling))',
    shard_of('deliveries', key), shard_of('messages', key), shard_of('webhooks', key))
  into found using leased;
  return found;
end
$$;

create or replace function read_claimed_deliveries(worker integer, claim uuid) returns json
language plpgsql stable
as $$
declare
  leased jsonb;
  key uuid;
  part jsonb;
  found jsonb := '{"deliveries": [], "webhooks": []}';
begin
  select jsonb_agg(jsonb_build_object('slot', slot, 'org_id', org_id, 'message_id', message_id, 'webhook_id', webhook_id,
    'is_retry', is_retry)) into leased
  from in_flight_slots where worker_id = worker and lease_token = claim;
  for key in select one_of_each_shard(array(
    select org_id from in_flight_slots where worker_id = worker and lease_token = claim)) loop
    select claimed_in_shard(key, leased) into part from (select count(*) from shard_keys where id = key) shard;
    found := jsonb_build_object(
      'deliveries', (found -> 'deliveries') || (part -> 'deliveries'), 'webhooks', (found -> 'webhooks') || (part -> 'webhooks'));
  end loop;
  return json_build_object(
    'deliveries', (select coalesce(json_agg(d order by (d ->> 'slot')::integer), '[]') from jsonb_array_elements(found -> 'deliveries') d),
    'webhooks', found -> 'webhooks');
end
$$;

-- What record_finished_attempts of the migrations does to the deliveries of one shard.
create or replace function record_in_shard(key uuid, results jsonb, recorded_at timestamptz) returns jsonb
language plpgsql
as $$
declare
  recorded jsonb;
begin
  execute format('
    with leased as materialized (
      select * from jsonb_to_recordset($1) as result (
        org_id uuid, partner_id uuid, message_id uuid, webhook_id uuid, state text, retry_after_ms integer, started_at timestamptz,
        duration_ms integer, error_class text, status_code integer, detail text, address text, secret_version integer,
        lookup_ms integer, connect_ms integer, tls_ms integer, answer_ms integer)
    ), locked as (
      select l.*, d.state = ''pending'' as was_pending from %1$s d
      join leased l on d.org_id = l.org_id and d.message_id = l.message_id and d.webhook_id = l.webhook_id
      order by d.message_id, d.webhook_id
      for update of d
    ), finished as (
      update %1$s d
      set attempts = d.attempts + 1,
        state = case when l.state = ''delivered'' or d.state = ''pending'' then l.state else d.state end,
        cancel_reason = case when l.state = ''delivered'' then null else d.cancel_reason end,
        due_at = coalesce(clock_timestamp() + l.retry_after_ms * interval ''1 millisecond'', d.due_at),
        finished_at = case when l.state = ''pending'' and d.state = ''pending'' then null
                           else coalesce(d.finished_at, $2) end
      from locked l
      where d.org_id = l.org_id and d.message_id = l.message_id and d.webhook_id = l.webhook_id
      returning d.org_id, d.message_id, d.webhook_id, d.attempts, d.state, d.request_id, l.started_at, l.duration_ms,
        l.error_class, l.status_code, l.detail, l.address, l.secret_version, l.lookup_ms, l.connect_ms, l.tls_ms, l.answer_ms,
        l.partner_id, l.was_pending
    ), logged as (
      insert into %2$s (org_id, message_id, webhook_id, attempt, started_at, duration_ms, outcome,
        error_class, status_code, detail, address, secret_version, request_id, lookup_ms, connect_ms, tls_ms, answer_ms)
      select org_id, message_id, webhook_id, attempts, started_at, duration_ms,
        case when error_class is null then ''delivered'' else ''failed'' end, error_class,
        status_code, detail, address, secret_version, request_id, lookup_ms, connect_ms, tls_ms, answer_ms
      from finished
    )
    select jsonb_agg(jsonb_build_object(''partner_id'', partner_id, ''message_id'', message_id, ''webhook_id'', webhook_id,
      ''state'', state, ''is_over'', was_pending and state <> ''pending'')) from finished',
    shard_of('deliveries', key), shard_of('delivery_attempts', key))
  into recorded using results, recorded_at;
  return recorded;
end
$$;

-- Counts what is pending no more, in the shards of its partners.
create or replace function count_off_pending(over jsonb) returns void
language plpgsql as $$
declare
  partner record;
begin
  for partner in
    select (each ->> 'partner_id')::uuid as id, count(*) as deliveries from jsonb_array_elements(over) each
    where (each ->> 'is_over')::boolean group by 1 order by 1
  loop
    insert into pending_delivery_counts as c (org_id, shard, deliveries)
    values (partner.id, 32 + pg_backend_pid() % 32, -partner.deliveries)
    on conflict (org_id, shard) do update set deliveries = c.deliveries + excluded.deliveries;
  end loop;
end
$$;

create or replace function cancel_in_shard(key uuid, unwanted jsonb, cancelled_at timestamptz) returns jsonb
language plpgsql as $$
declare
  cancelled jsonb;
begin
  execute format('
    with cancelled as (
      update %s d set state = ''cancelled'', cancel_reason = l.reason, finished_at = $2
      from jsonb_to_recordset($1) as l (org_id uuid, partner_id uuid, message_id uuid, webhook_id uuid, reason text)
      where d.org_id = l.org_id and d.message_id = l.message_id and d.webhook_id = l.webhook_id and d.state = ''pending''
      returning l.partner_id
    )
    select jsonb_agg(jsonb_build_object(''partner_id'', partner_id, ''is_over'', true)) from cancelled', shard_of('deliveries', key))
  into cancelled using unwanted, cancelled_at;
  return cancelled;
end
$$;

-- What a slot of a finished delivery carries in place of its lease until it is free, so that a call that is repeated finishes none twice.
create or replace function finished_lease(lease_token uuid) returns uuid language sql immutable as $$
  select md5(lease_token::text)::uuid
$$;

-- Records or cancels what is leased of one shard, and counts it off, all or nothing.
create or replace function finish_in_shard(key uuid, results jsonb, finished_at timestamptz, is_cancelled boolean) returns jsonb
language plpgsql as $$
declare
  held jsonb;
  done jsonb;
begin
  select jsonb_agg(result || to_jsonb(held_slots) - 'result') into held
  from (
    select r.result, s.org_id, s.partner_id, s.message_id, s.webhook_id
    from jsonb_array_elements(results) r (result)
    join in_flight_slots s on s.worker_id = (result ->> 'worker_id')::integer and s.slot = (result ->> 'slot')::integer
      and s.lease_token = (result ->> 'lease_token')::uuid
    where case when s.org_id is not null then get_shard_id_for_distribution_column('deliveries', s.org_id) end
      = get_shard_id_for_distribution_column('deliveries', key)
    order by s.worker_id, s.slot for update of s
  ) held_slots;
  if held is null then
    return '[]';
  end if;
  perform begin_writing(key);
  if is_cancelled then
    select cancel_in_shard(key, held, finished_at) into done from (select count(*) from shard_keys where id = key) shard;
  else
    select record_in_shard(key, held, finished_at) into done from (select count(*) from shard_keys where id = key) shard;
  end if;
  done := coalesce(done, '[]');
  perform count_off_pending(done);
  update in_flight_slots s set lease_token = finished_lease(s.lease_token)
  from jsonb_to_recordset(held) as r (worker_id integer, slot integer, lease_token uuid)
  where s.worker_id = r.worker_id and s.slot = r.slot and s.lease_token = r.lease_token;
  return done;
end
$$;

create or replace function free_finished_slots(results jsonb) returns void language plpgsql as $$
begin
  update in_flight_slots s
  set org_id = null, partner_id = null, message_id = null, webhook_id = null, is_retry = null, lease_token = null, lease_until = null
  from jsonb_to_recordset(results) as r (worker_id integer, slot integer, lease_token uuid)
  where s.worker_id = r.worker_id and s.slot = r.slot and s.lease_token = finished_lease(r.lease_token);
end
$$;

-- Shard by shard: results are committed there before the slots are free, so that a claim that finds a slot free finds the result as
-- well. When the coordinator stops in between, the slots stay leased until their leases end, and their deliveries are over by then. A
-- shard that cannot be written to holds up no other; the call fails at its end then, and is repeated. A node that does not answer is asked
-- once.
create or replace procedure finish_deliveries(results jsonb, finished_at timestamptz, is_cancelled boolean, inout done jsonb)
language plpgsql as $$
declare
  key uuid;
  part jsonb;
  silent integer[] := '{}';
  failure text;
  failed_state text;
begin
  done := '[]';
  perform free_finished_slots(results);
  foreach key in array array(select one_of_each_shard(array(
    select s.org_id from jsonb_to_recordset(results) as r (worker_id integer, slot integer, lease_token uuid)
    join in_flight_slots s on s.worker_id = r.worker_id and s.slot = r.slot and s.lease_token = r.lease_token)))
  loop
    continue when node_of(key) = any (silent);
    begin
      part := finish_in_shard(key, results, finished_at, is_cancelled);
    exception
      when connection_exception or admin_shutdown or crash_shutdown or cannot_connect_now then
        get stacked diagnostics failure = message_text, failed_state = returned_sqlstate;
        silent := silent || node_of(key);
        continue;
      when others then
        get stacked diagnostics failure = message_text, failed_state = returned_sqlstate;
        continue;
    end;
    commit;
    perform free_finished_slots(results);
    done := done || part;
  end loop;
  if failure is not null then
    commit;
    raise exception using message = failure, errcode = failed_state;
  end if;
end
$$;

create or replace procedure record_attempts(results jsonb, recorded_at timestamptz, inout recorded json)
language plpgsql as $$
declare
  done jsonb;
begin
  call finish_deliveries(results, recorded_at, false, done);
  recorded := coalesce((
    select json_agg(json_build_object('message_id', each -> 'message_id', 'webhook_id', each -> 'webhook_id', 'state', each -> 'state'))
    from jsonb_array_elements(done) each), '[]');
end
$$;

create or replace procedure cancel_unwanted_deliveries(unwanted jsonb, cancelled_at timestamptz)
language plpgsql as $$
declare
  done jsonb;
begin
  call finish_deliveries(unwanted, cancelled_at, true, done);
end
$$;

create or replace function delete_in_shard(key uuid, from_table text, chosen text, before timestamptz, most bigint) returns bigint
language plpgsql as $$
declare
  deleted bigint;
begin
  execute format('delete from %1$s where ctid = any(array(select ctid from %1$s %2$s limit %3$s for update skip locked))',
    shard_of(from_table, key), chosen, most) using before;
  get diagnostics deleted = row_count;
  return deleted;
end
$$;

-- One shard after the other, until so many rows are deleted: in another order each time, since a removal has a limit of time, and what is
-- deleted of one shard may come anew without end.
create or replace function delete_batch(from_table text, chosen text, before timestamptz, most integer) returns bigint
language plpgsql as $$
declare
  deleted bigint := 0;
  key uuid;
begin
  if not exists (select from pg_dist_partition where logicalrelid = from_table::regclass) then
    execute format('delete from %1$I where ctid = any(array(select ctid from %1$I %2$s limit %3$s for update skip locked))',
      from_table, chosen, most) using before;
    get diagnostics deleted = row_count;
    return deleted;
  end if;
  foreach key in array array(select each from unnest((select keys from all_shard_keys())) each order by random()) loop
    exit when deleted >= most;
    perform begin_writing(key);
    deleted := deleted + (select delete_in_shard(k.id, from_table, chosen, before, most - deleted) from shard_keys k where k.id = key);
  end loop;
  return deleted;
end
$$;

-- A look for old messages would ask all shards; that of a removal into the one of an organization without any finds none.
create or replace function list_organizations_with_old_messages(instant timestamptz) returns setof uuid
language plpgsql stable as $$
begin
  return query select id from organizations;
end
$$;

-- One application after the other: rows of several shards cannot be locked by one statement.
create or replace function record_secret_uses(uses jsonb) returns void
language plpgsql as $$
declare
  used record;
begin
  for used in
    select org_id, application_id, decode(secret_hash, 'base64') as secret_hash, used_at
    from jsonb_to_recordset(uses) as u (org_id uuid, application_id uuid, secret_hash text, used_at timestamptz)
    order by org_id, application_id
  loop
    update applications set secret_last_used_at = greatest(secret_last_used_at, used.used_at)
    where org_id = used.org_id and id = used.application_id and secret_hash = used.secret_hash;
    update applications set older_secret_last_used_at = greatest(older_secret_last_used_at, used.used_at)
    where org_id = used.org_id and id = used.application_id and older_secret_hash = used.secret_hash;
  end loop;
end
$$;

-- The lock and the instant of announcement are the coordinator's, where readers of the stream ask for them; the rows go to the
-- organization's shard, the count to the partner's.
create or replace function insert_message_with_deliveries(
  org uuid, message uuid, type text, occurred timestamptz, body bytea, told timestamptz, request text, quota bigint
) returns table (pending integer, dropped integer)
language plpgsql
as $$
#variable_conflict use_column
declare
  targets uuid[];
  target uuid;
  partner uuid;
  has_room boolean;
  is_pending boolean;
begin
  pending := 0;
  dropped := 0;
  targets := array(
    select id from webhooks
    where org_id = org and enabled and deleted_at is null and topics @> array[type]
    for share);
  perform pg_advisory_xact_lock_shared(7402113, hashtext(org::text));
  insert into messages (org_id, id, message_type, occurred_at, payload, created_at, announced_at)
  values (org, message, type, occurred, body, told, clock_timestamp());
  if cardinality(targets) > 0 then
    select coalesce(parent_org_id, id) into partner from organizations where id = org;
    has_room := (select coalesce(sum(deliveries), 0) from pending_delivery_counts where org_id = partner) < coalesce(
      (select q.quota from partner_quotas q where q.org_id = partner and q.name = 'pending_deliveries'),
      insert_message_with_deliveries.quota);
    foreach target in array targets loop
      is_pending := has_room or not exists (
        select from deliveries d where d.state = 'pending' and d.is_retry in (false, true) and d.org_id = org and d.webhook_id = target);
      insert into deliveries (org_id, message_id, webhook_id, due_at, created_at, request_id, state, cancel_reason, finished_at)
      values (org, message, target, least(told, date_trunc('milliseconds', now())), told, request,
        case when is_pending then 'pending' else 'cancelled' end,
        case when not is_pending then 'quota_reached' end, case when not is_pending then told end);
      pending := pending + is_pending::integer;
      dropped := dropped + (not is_pending)::integer;
    end loop;
    if pending > 0 then
      insert into pending_delivery_counts as c (org_id, shard, deliveries)
      values (partner, pg_backend_pid() % 32, pending)
      on conflict (org_id, shard) do update set deliveries = c.deliveries + excluded.deliveries;
    end if;
  end if;
  return next;
end
$$;

create or replace function news_in_shard(key uuid, org_ids uuid[], ats timestamptz[], ids uuid[]) returns uuid[]
language plpgsql stable as $$
declare
  found uuid[];
begin
  execute format('
    select array_agg(p.org_id) from unnest($1, $2, $3) as p (org_id, at, id)
    where exists (select from %1$s m where m.org_id = p.org_id and (m.announced_at, m.id) > (p.at, p.id))
      or exists (select from %1$s m where m.org_id = p.org_id and (m.repeated_at, m.id) > (p.at, p.id))',
    shard_of('messages', key)) into found using org_ids, ats, ids;
  return found;
end
$$;

create or replace function list_organizations_with_news(org_ids uuid[], ats timestamptz[], ids uuid[]) returns table (org_id uuid)
language plpgsql stable
set citus.multi_task_query_log_level = off
as $$
#variable_conflict use_column
begin
  return query
  with parts as materialized (select news_in_shard(k.id, org_ids, ats, ids) as part from shard_keys k)
  select unnest(part) from parts;
end
$$;

-- In three statements of one shard each: one whose parts insert what others return is gathered on the coordinator, and took 49 ms
-- beside 60 writes a second.
create or replace function activate_condition(
  org uuid, device uuid, condition text, at timestamptz, applied timestamptz, ending timestamptz, most integer, margin integer
) returns timestamptz
language plpgsql
as $$
#variable_conflict use_column
declare
  begun_at timestamptz;
  read_at timestamptz;
  quarter integer;
begin
  if (select count(*) from device_interruptions where org_id = org and device_id = device and code = condition) >= most then
    return null;
  end if;
  insert into device_conditions as c (org_id, device_id, code, active, changed_at, ends_at)
  values (org, device, condition, true, at, ending)
  on conflict (org_id, device_id, code) do update
  set active = true, changed_at = greatest(c.changed_at, excluded.changed_at), ends_at = excluded.ends_at
  where not c.active
  returning changed_at into begun_at;
  if begun_at is not null then
    read_at := greatest(begun_at, applied);
    quarter := floor((extract(epoch from read_at) + margin) / 900)::integer + 1;
    insert into device_interruptions (org_id, device_id, code, started_at, read_until, unsteered_from)
    values (org, device, condition, begun_at, read_at, quarter)
    on conflict (org_id, device_id, code, started_at) do update set ended_at = null, unsteered_to = null;
  end if;
  return begun_at;
end
$$;

-- Without the lock of the organization's row, which is the same on all nodes and would stop other organizations there.
create or replace function lock_organization(org uuid) returns void
language plpgsql as $$
begin
  -- A lock of a row alone would not hold where the shard is moved to meanwhile.
  perform begin_writing(org);
  perform from organization_locks where org_id = org for update;
  if not found then
    insert into organization_locks (org_id) values (org) on conflict (org_id) do nothing;
    perform from organization_locks where org_id = org for update;
  end if;
end
$$;
