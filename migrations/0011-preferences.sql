-- What people ask of their devices and where they live, each with its time of arrival: what a household does follows from it.

-- One row for each time that something was asked of a device, with all that is asked from then on. It holds from the quarter hour
-- after its arrival until the next one does; of two that would begin with the same quarter hour the later one holds. Rows never
-- change and go with their device: what was computed of the past stays true.
create table control_revisions (
  org_id uuid not null,
  device_id uuid not null,
  -- Later than that of every row of the device before it.
  received_at timestamptz(3) not null,
  -- Counts the rows of the device from 1.
  revision integer not null,
  -- The owner of the device.
  user_id uuid not null,
  effective_from timestamptz(3) not null,
  -- What was asked this time.
  change text not null,
  preferences jsonb not null,
  -- The end of the boost that is asked for; null for none.
  boost_ends_at timestamptz(3),
  -- Who asked, with the role of that time: a user of the organization or of its parent, who may be deleted since.
  actor_org_id uuid not null,
  actor_user_id uuid not null,
  actor_role text not null,
  request_id text not null,
  constraint control_revisions_pkey primary key (org_id, device_id, received_at),
  constraint control_revisions_device_fkey foreign key (org_id, device_id) references devices (org_id, id) on delete cascade,
  constraint control_revisions_change_check check (change in ('preferences', 'boost', 'boost_end'))
);
-- What steers a household; and what goes with a user.
create index control_revisions_user_idx on control_revisions (org_id, user_id);

-- Where a user with devices lives, as the user's coordinates said: one row for each quarter hour in which that began. Where there
-- is none a household lives where it was drawn, and every other user where its coordinates say.
create table user_places (
  org_id uuid not null,
  user_id uuid not null,
  effective_from timestamptz(3) not null,
  -- Null when the user has taken them back.
  latitude double precision,
  longitude double precision,
  received_at timestamptz(3) not null,
  -- Who said so, as in control_revisions; null for the place that was known before the first change.
  actor_org_id uuid,
  actor_user_id uuid,
  actor_role text,
  request_id text,
  constraint user_places_pkey primary key (org_id, user_id, effective_from),
  constraint user_places_user_fkey foreign key (org_id, user_id) references users (org_id, id) on delete cascade,
  constraint user_places_coordinates_check check ((latitude is null) = (longitude is null))
);

-- Another number whenever something was asked of one of the household's devices or its user has moved: what is remembered of the
-- household's values counts for one number.
alter table households add column control_version integer not null default 0;

alter table partner_quotas
  drop constraint partner_quotas_name_check,
  add constraint partner_quotas_name_check check (name in ('fleets', 'households', 'webhooks', 'applications', 'users',
    'event_streams', 'price_quarters', 'price_revisions', 'pending_deliveries', 'control_revisions'));
