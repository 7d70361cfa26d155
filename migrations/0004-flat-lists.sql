-- Lists whose first page costs the same however many rows lie behind it: numbers that are kept, not counted, and an index for
-- each filter.

-- The number of an organization's pending items by type of device and kind, which its status tells. It is spread over shards: a
-- connection always writes the same one, so that events that are raised at the same time seldom wait for each other's commits.
create table pending_item_counts (
  org_id uuid not null,
  shard smallint not null,
  device_type text not null,
  kind text not null,
  -- May be negative: an item is counted off where it ends. All shards together have the number.
  items bigint not null,
  constraint pending_item_counts_pkey primary key (org_id, shard, device_type, kind),
  constraint pending_item_counts_org_fkey foreign key (org_id) references organizations (id) on delete cascade
) with (fillfactor = 50);

-- The devices of a fleet by group and type, those of deleted users left out.
create table device_counts (
  -- The simulation organization.
  org_id uuid not null,
  group_name text not null,
  device_type text not null,
  devices bigint not null,
  constraint device_counts_pkey primary key (org_id, group_name, device_type),
  constraint device_counts_org_fkey foreign key (org_id) references organizations (id) on delete cascade
) with (fillfactor = 50);

-- Pending items of deleted users end, as they do with each deletion from now on: lists of pending items need not ask for each
-- item whether its owner is there.
update notification_items i set cleared_at = now()
from users u
where u.org_id = i.org_id and u.id = i.owner_id and u.deleted_at is not null
  and i.cleared_at is null and i.dismissed_at is null;

-- Whoever changes the number of pending items takes the shard first, whole: a transaction that raises many events would otherwise
-- take its rows in any order.
create function change_pending_items(org uuid, type_of_device text, item_kind text, change bigint) returns void
language plpgsql
as $$
declare
  own_shard constant smallint := pg_backend_pid() % 32;
begin
  perform pg_advisory_xact_lock(hashtextextended(org::text, own_shard));
  insert into pending_item_counts as c (org_id, shard, device_type, kind, items)
  values (org, own_shard, type_of_device, item_kind, change)
  on conflict on constraint pending_item_counts_pkey do update set items = c.items + excluded.items;
end
$$;

-- A trigger, so that no statement can forget: items also go with their devices and users.
create function count_pending_items() returns trigger
language plpgsql
as $$
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
$$;
create trigger notification_items_added after insert on notification_items
  referencing new table as added for each statement execute function count_pending_items();
create trigger notification_items_changed after update on notification_items
  referencing old table as removed new table as added for each statement execute function count_pending_items();
create trigger notification_items_removed after delete on notification_items
  referencing old table as removed for each statement execute function count_pending_items();

-- Households are written before their devices and removed after them. The owners of removed devices are locked, so that one who
-- is deleted at the same time is counted off once.
create function count_simulated_devices() returns trigger
language plpgsql
as $$
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
$$;
create trigger devices_added after insert on devices
  referencing new table as added for each statement execute function count_simulated_devices();
create trigger devices_removed after delete on devices
  referencing old table as removed for each statement execute function count_simulated_devices();

-- A deletion counts the user's devices off, and ends the user's items, which are hidden from all from then on.
create function follow_user_deletion() returns trigger
language plpgsql
as $$
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
$$;
create trigger users_deleted after update of deleted_at on users for each row
  when ((old.deleted_at is null) <> (new.deleted_at is null)) execute function follow_user_deletion();

insert into pending_item_counts (org_id, shard, device_type, kind, items)
select org_id, 0, device_type, kind, count(*) from notification_items
where dismissed_at is null and cleared_at is null and device_type is not null
group by org_id, device_type, kind;
insert into device_counts (org_id, group_name, device_type, devices)
select d.org_id, h.group_name, d.device_type, count(*)
from devices d
join households h on h.org_id = d.org_id and h.household_index = d.household_index
join users owner on owner.org_id = d.org_id and owner.id = d.user_id and owner.deleted_at is null
group by d.org_id, h.group_name, d.device_type;

-- Pending items of one owner; those of nobody are the broadcasts.
create index notification_items_pending_owner_idx on notification_items (org_id, owner_id, occurred_at desc, id desc)
  where dismissed_at is null and cleared_at is null;
-- Items by code and type of device: a list with either filter merges one range for each pair of them.
create index notification_items_pending_code_idx
  on notification_items (org_id, code, device_type, occurred_at desc, id desc)
  where dismissed_at is null and cleared_at is null;
create index notification_items_history_code_idx
  on notification_items (org_id, code, device_type, occurred_at desc, id desc)
  where kind = 'information';

-- Users who are not deleted, in the order of the list; and all who have or had an external id.
create index users_active_created_idx on users (org_id, created_at, id) where deleted_at is null;
create index users_external_idx on users (org_id, external_user_id, deleted_at) where external_user_id is not null;

-- The devices of a fleet of one type, and its households of one group, in the order of the list.
create index devices_type_idx on devices (org_id, device_type, household_index, id) where household_index is not null;
create index households_group_idx on households (org_id, group_name, household_index);
