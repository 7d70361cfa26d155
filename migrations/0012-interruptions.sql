-- Conditions that bite: for how long a device was not read or not steered, and outages that many devices share.

-- A condition begins by plan at one instant and ends at another, which a shared outage may put off: two columns, so that neither
-- waits for the other. What was planned stays planned: of a condition that holds it was the end.
alter table device_conditions rename column next_change_at to begins_at;
drop index device_conditions_due_idx;
alter table device_conditions drop column occurrence;
-- When it ends by itself; null while it does not hold, and when only somebody's action ends it.
alter table device_conditions add column ends_at timestamptz(3);
update device_conditions set ends_at = begins_at where active and code <> 'reauthenticate';
alter table device_conditions add constraint device_conditions_end_check check (ends_at is null or active);
-- The next instant at which the condition begins or ends; null when none is planned.
alter table device_conditions add column next_change_at timestamptz(3) generated always as (least(begins_at, ends_at)) stored;
-- For the runner: what is due, of which organizations.
create index device_conditions_due_idx on device_conditions (next_change_at, org_id) where next_change_at is not null;

-- The times in which a condition held: the past of a device follows from them, so that they stay for as long as the device.
-- Of one code they do not overlap, and the last may have no end yet.
create table device_interruptions (
  org_id uuid not null,
  device_id uuid not null,
  code text not null,
  started_at timestamptz(3) not null,
  ended_at timestamptz(3),
  -- Quarter hours since 1970 in which the device was not steered, the last one exclusive: what had begun when the change came in
  -- stays as it was, so that they begin and end later than the condition where that was told late.
  unsteered_from integer not null,
  unsteered_to integer,
  constraint device_interruptions_pkey primary key (org_id, device_id, code, started_at),
  constraint device_interruptions_condition_fkey foreign key (org_id, device_id, code)
    references device_conditions (org_id, device_id, code) on delete cascade,
  constraint device_interruptions_end_check check ((ended_at is null) = (unsteered_to is null))
);
insert into device_interruptions (org_id, device_id, code, started_at, unsteered_from)
select org_id, device_id, code, changed_at, floor(extract(epoch from now()) / 900) + 1 from device_conditions where active;
update households h set control_version = control_version + 1
from devices d join device_conditions c on c.org_id = d.org_id and c.device_id = d.id
where c.active and h.org_id = d.org_id and h.household_index = d.household_index;

-- Outages that were raised for many devices of a fleet at once. The runner takes the devices in the order of their ids, in batches.
create table shared_outages (
  -- The simulation organization.
  org_id uuid not null,
  id uuid not null,
  cause text not null,
  -- What is affected: the devices of a manufacturer, of households in a country or a circle, or of households by their users.
  manufacturer text,
  country text,
  latitude double precision,
  longitude double precision,
  radius_km double precision,
  user_ids uuid[],
  starts_at timestamptz(3) not null,
  ends_at timestamptz(3) not null,
  -- The call that raised it.
  request_id text,
  -- The last device that has been taken; null before the first.
  after_device_id uuid,
  is_applied boolean not null default false,
  constraint shared_outages_pkey primary key (org_id, id),
  constraint shared_outages_org_fkey foreign key (org_id) references organizations (id) on delete cascade,
  constraint shared_outages_cause_check check (cause in ('manufacturer_cloud', 'region', 'household_router')),
  constraint shared_outages_subject_check check (case cause
    when 'manufacturer_cloud' then manufacturer is not null and num_nonnulls(country, latitude, longitude, radius_km, user_ids) = 0
    when 'region' then num_nonnulls(manufacturer, user_ids) = 0
      and num_nonnulls(latitude, longitude, radius_km) = case when country is null then 3 else 0 end
    else user_ids is not null and num_nonnulls(manufacturer, country, latitude, longitude, radius_km) = 0 end)
);
-- For the runner: what is not applied yet.
create index shared_outages_unapplied_idx on shared_outages (starts_at, org_id) where not is_applied;
-- For the sweeper: what is over.
create index shared_outages_ends_idx on shared_outages (ends_at);

alter table fleet_requests
  drop constraint fleet_requests_operation_check,
  add constraint fleet_requests_operation_check check (operation in ('create', 'expand', 'event'));
