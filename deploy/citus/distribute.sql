-- Spreads the tables of a migrated database over the nodes of a Citus cluster. Run it on the coordinator, as the superuser, after
-- `partner migrate` and before the service starts, and again after each migration that makes a table:
--   psql -v ON_ERROR_STOP=1 -1 -f deploy/citus/distribute.sql DATABASE
-- Tables that have their place already stay there. PGOPTIONS='-c citus.shard_count=64' chooses how many shards there are; all tables
-- of one organization are always on one node.
set local client_min_messages = warning;
set local citus.enable_unsafe_triggers = on;
-- Keys to a table that every node has, in one transaction with the distribution.
set local citus.multi_shard_modify_mode = 'sequential';

-- The place of every table:
--   reference  whole on every node
--   org_id ... in the shard of the organization in this column
--   local      on the coordinator alone, to which all processes of the service are connected
create temp table places (name text primary key, place text not null) on commit drop;
insert into places values
  ('organizations', 'reference'),
  ('client_ids', 'reference'),
  ('usernames', 'reference'),
  ('users', 'org_id'),
  ('access_tokens', 'org_id'),
  ('applications', 'org_id'),
  ('broadcast_dismissals', 'org_id'),
  ('charge_checks', 'org_id'),
  ('control_revisions', 'org_id'),
  ('day_ahead_prices', 'org_id'),
  ('deliveries', 'org_id'),
  ('delivery_attempts', 'org_id'),
  ('device_conditions', 'org_id'),
  ('device_counts', 'org_id'),
  ('device_interruptions', 'org_id'),
  ('devices', 'org_id'),
  ('encryption_keys', 'local'),
  ('fleet_requests', 'org_id'),
  -- A fleet is with its devices and households, not with the partner that owns it.
  ('fleets', 'simulation_org_id'),
  ('household_checkpoints', 'org_id'),
  ('households', 'org_id'),
  ('idempotency_keys', 'org_id'),
  -- Claims are decided in one place, so that the limits of partners hold over all shards.
  ('in_flight_slots', 'local'),
  ('logged_requests', 'org_id'),
  ('messages', 'org_id'),
  ('notification_items', 'org_id'),
  ('organization_locks', 'org_id'),
  ('partner_quotas', 'org_id'),
  ('pending_delivery_counts', 'org_id'),
  ('pending_item_counts', 'org_id'),
  ('portal_sessions', 'org_id'),
  ('price_counts', 'org_id'),
  ('rate_limits', 'local'),
  ('schema_migrations', 'local'),
  ('shared_outages', 'org_id'),
  ('signup_requests', 'local'),
  ('unlogged_requests', 'org_id'),
  ('user_counts', 'org_id'),
  ('user_places', 'org_id'),
  ('webhooks', 'org_id');

-- Citus can keep a key unique within a shard alone: it has to name the column that says which. Here those that do not are replaced.
-- Nothing is lost: token_hash, session_hash and id are random or derived, and usernames and client ids are unique by tables of
-- their own, which are whole on every node.
do $$
begin
  if exists (select from pg_dist_partition where logicalrelid = 'users'::regclass) then
    return;
  end if;
  -- For processes of a version without these tables, which no cluster has.
  drop trigger applications_named on applications;
  drop trigger users_named on users;
  drop trigger users_renamed on users;
  drop trigger users_removed on users;
  alter table access_tokens drop constraint access_tokens_session_fkey, drop constraint access_tokens_pkey,
    add constraint access_tokens_pkey primary key (org_id, token_hash);
  create index access_tokens_hash_idx on access_tokens (token_hash);
  alter table portal_sessions drop constraint portal_sessions_pkey,
    add constraint portal_sessions_pkey primary key (org_id, session_hash);
  create index portal_sessions_hash_idx on portal_sessions (session_hash);
  alter table access_tokens add constraint access_tokens_session_fkey
    foreign key (org_id, session_hash) references portal_sessions (org_id, session_hash) on delete cascade;
  drop index users_username_key;
  create index users_username_idx on users (lower(username)) where deleted_at is null;
  alter table applications drop constraint applications_client_id_key;
  create index applications_client_id_idx on applications (client_id);
  drop index notification_items_id_key;
  create index notification_items_id_idx on notification_items (id);
  alter table fleets drop constraint fleets_pkey, add constraint fleets_pkey primary key (simulation_org_id, org_id, id);
  create index fleets_id_idx on fleets (org_id, id);
end
$$;

do $$
declare
  missing text;
  moved record;
  key record;
begin
  select string_agg(c.relname, ', ') into missing
  from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
    -- These are of functions.sql, which gives them their places.
    and c.relname not in ('shard_keys', 'commits_in_two_phases') and not exists (select from places p where p.name = c.relname)
    and not exists (select from pg_dist_shard s where shard_name(s.logicalrelid, s.shardid) = c.relname)
    and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e');
  if missing is not null then
    raise exception 'Tables without a place: %', missing using hint = 'Name them in deploy/citus/distribute.sql.';
  end if;

  create temp table moving on commit drop as
    select p.name, p.place, p.name::regclass as id from places p
    -- A table whose only key leads to one that all nodes have becomes one of the coordinator by itself ('n').
    where p.place <> 'local' and not exists (
      select from pg_dist_partition d where d.logicalrelid = p.name::regclass and not (d.partmethod = 'n' and d.repmodel <> 't'));

  -- A key from a table that has no place yet is refused: they come back when all tables have theirs. By names: a table of the
  -- coordinator is made anew when its last key goes.
  create temp table removed_keys on commit drop as
    select m.name as table_name, k.conname, pg_get_constraintdef(k.oid) as definition
    from pg_constraint k join moving m on m.id = k.conrelid
    where k.contype = 'f';
  for key in select * from removed_keys loop
    execute format('alter table %I drop constraint %I', key.table_name, key.conname);
  end loop;

  for moved in select * from moving order by place = 'reference' desc, name = 'users' desc, name loop
    if moved.place = 'reference' then
      perform create_reference_table(moved.name::regclass);
    elsif moved.name = 'users' then
      perform create_distributed_table(moved.name::regclass, moved.place);
    else
      perform create_distributed_table(moved.name::regclass, moved.place, colocate_with := 'users');
    end if;
  end loop;

  for key in select * from removed_keys loop
    execute format('alter table %I add constraint %I %s', key.table_name, key.conname, key.definition);
  end loop;
end
$$;
