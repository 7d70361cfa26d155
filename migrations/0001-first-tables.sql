-- Every tenant table leads its key with org_id, so that one organization's rows lie together and the schema
-- can be distributed by organization later. Instants are timestamptz(3): JavaScript dates hold milliseconds,
-- and a finer stored value would slip past an inclusive filter or a keyset page.

create table organizations (
  id uuid not null,
  name text not null,
  kind text not null,
  -- The partner organization that reserved this simulation organization.
  parent_org_id uuid,
  created_at timestamptz(3) not null,
  constraint organizations_pkey primary key (id),
  constraint organizations_kind_check check (kind in ('partner', 'simulation')),
  constraint organizations_parent_fkey foreign key (parent_org_id) references organizations (id),
  constraint organizations_parent_check check ((kind = 'simulation') = (parent_org_id is not null))
);
-- "Is this one of my fleets' organizations?", asked with every request to a simulation organization.
create index organizations_parent_idx on organizations (parent_org_id) where parent_org_id is not null;

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
  location_last_updated timestamptz(3),
  -- A person who signs in has a username unique on the server; users created through the API have none.
  username text,
  password_hash text,
  password_change_required boolean not null default false,
  -- Simulated households only.
  fleet_id uuid,
  household_index integer,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  deleted_at timestamptz(3),
  constraint users_pkey primary key (org_id, id),
  constraint users_org_fkey foreign key (org_id) references organizations (id),
  constraint users_role_check check (role in ('admin', 'staff', 'user')),
  constraint users_coordinates_check check ((latitude is null) = (longitude is null)),
  constraint users_password_check check (password_hash is null or username is not null)
);
-- A deleted user's email is free again; letter case does not make a different address.
create unique index users_email_key on users (org_id, lower(email)) where deleted_at is null;
create unique index users_external_user_id_key on users (org_id, external_user_id) where deleted_at is null;
create unique index users_username_key on users (lower(username)) where deleted_at is null;
-- The list of users: keyset by creation, id breaking ties.
create index users_created_idx on users (org_id, created_at, id);

create table applications (
  org_id uuid not null,
  id uuid not null,
  owner_user_id uuid not null,
  name text not null,
  client_id text not null,
  -- SHA-256 of the secret, which has 128 random alphanumeric characters and needs no slow hash.
  secret_hash bytea not null,
  client_type text not null,
  authorization_grant_type text not null,
  redirect_uris text not null default '',
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint applications_pkey primary key (org_id, id),
  constraint applications_client_id_key unique (client_id),
  constraint applications_owner_fkey foreign key (org_id, owner_user_id) references users (org_id, id),
  constraint applications_client_type_check check (client_type in ('confidential')),
  constraint applications_grant_check check (authorization_grant_type in ('client-credentials', 'password'))
);
create index applications_owner_idx on applications (org_id, owner_user_id);

create table access_tokens (
  -- SHA-256 of the token; the token itself is never stored.
  token_hash bytea not null,
  org_id uuid not null,
  user_id uuid not null,
  application_id uuid not null,
  scope text not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  constraint access_tokens_pkey primary key (token_hash),
  constraint access_tokens_user_fkey foreign key (org_id, user_id) references users (org_id, id) on delete cascade,
  constraint access_tokens_application_fkey foreign key (org_id, application_id)
    references applications (org_id, id) on delete cascade
);
create index access_tokens_application_idx on access_tokens (org_id, application_id);
create index access_tokens_user_idx on access_tokens (org_id, user_id);
-- Sweeping of expired tokens.
create index access_tokens_expires_idx on access_tokens (expires_at);

create table portal_sessions (
  -- SHA-256 of the cookie's value.
  session_hash bytea not null,
  org_id uuid not null,
  user_id uuid not null,
  csrf_secret text not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  constraint portal_sessions_pkey primary key (session_hash),
  constraint portal_sessions_user_fkey foreign key (org_id, user_id) references users (org_id, id) on delete cascade
);
create index portal_sessions_user_idx on portal_sessions (org_id, user_id);
create index portal_sessions_expires_idx on portal_sessions (expires_at);

-- Requests to join carry no organization: they come before there is one.
create table signup_requests (
  id uuid not null,
  email text not null,
  url text not null,
  invite_token uuid not null,
  created_at timestamptz(3) not null,
  constraint signup_requests_pkey primary key (id)
);
create index signup_requests_created_idx on signup_requests (created_at desc, id desc);

-- Fixed windows shared by all processes; a row is rewritten when its window is over.
create unlogged table rate_limits (
  policy text not null,
  subject text not null,
  window_started_at timestamptz(3) not null,
  used integer not null,
  constraint rate_limits_pkey primary key (policy, subject)
);

-- Revisions are stored with the time they came in: a later price never changes what was computed for a past quarter.
create table day_ahead_prices (
  org_id uuid not null,
  starts_at timestamptz(3) not null,
  received_at timestamptz(3) not null,
  -- EUR/MWh, negative allowed.
  price double precision not null,
  best_bid double precision[] not null,
  best_ask double precision[] not null,
  constraint day_ahead_prices_pkey primary key (org_id, starts_at, received_at),
  constraint day_ahead_prices_org_fkey foreign key (org_id) references organizations (id) on delete cascade
);

create table fleets (
  -- The partner organization that owns the fleet.
  org_id uuid not null,
  -- job_id: a UUIDv5 of organization and request_id.
  id uuid not null,
  request_id uuid not null,
  name text not null,
  status text not null,
  simulation_org_id uuid not null,
  seed bigint not null,
  model_version integer not null,
  -- Households asked for in all (grows with expand) and created so far.
  household_count integer not null,
  created_count integer not null default 0,
  -- Households that existed when the expansion under way began; a cancelled one returns to it.
  settled_count integer not null default 0,
  -- The effective definition without density weights (json: it is shown in the order in which it was written), and
  -- those decoded: raw uint8, row-major, north-west first.
  definition json not null,
  density_weights bytea,
  history_from timestamptz(3) not null,
  history_to timestamptz(3) not null,
  error text,
  created_at timestamptz(3) not null,
  started_at timestamptz(3),
  stopped_at timestamptz(3),
  -- Work on the fleet (provisioning, expansion, clean-up, purge) is claimed by one worker at a time.
  work_lease_until timestamptz(3),
  work_token uuid,
  -- Every household has a checkpoint at this day or a later one (days since 1970); the day on which the history begins
  -- counts as one. Advancing them is claimed like the work, but apart from it: the fleet runs meanwhile.
  checkpoint_day integer not null default 0,
  checkpoint_lease_until timestamptz(3),
  checkpoint_token uuid,
  constraint fleets_pkey primary key (org_id, id),
  constraint fleets_simulation_org_key unique (simulation_org_id),
  constraint fleets_org_fkey foreign key (org_id) references organizations (id),
  constraint fleets_simulation_org_fkey foreign key (simulation_org_id) references organizations (id),
  constraint fleets_status_check check (status in
    ('queued', 'provisioning', 'running', 'expanding', 'stopped', 'cancelled', 'cleaned', 'failed', 'purging'))
);
create index fleets_created_idx on fleets (org_id, created_at desc, id desc);
-- The runner's queue: fleets with work to do, oldest first.
create index fleets_work_idx on fleets (created_at)
  where status in ('queued', 'provisioning', 'expanding', 'purging');
-- Active fleets, those first whose checkpoints are oldest.
create index fleets_checkpoint_idx on fleets (checkpoint_day) where status in ('running', 'expanding');

-- What a request_id was answered with. Remains when the fleet is purged, so that a late repeat creates nothing.
create table fleet_requests (
  org_id uuid not null,
  operation text not null,
  request_id uuid not null,
  fleet_id uuid not null,
  body_hash bytea not null,
  -- json, not jsonb: given again byte for byte.
  response json not null,
  created_at timestamptz(3) not null,
  constraint fleet_requests_pkey primary key (org_id, operation, request_id),
  constraint fleet_requests_operation_check check (operation in ('create', 'expand'))
);

create table households (
  -- The simulation organization.
  org_id uuid not null,
  fleet_id uuid not null,
  household_index integer not null,
  household_id uuid not null,
  user_id uuid not null,
  group_name text not null,
  profile text not null,
  -- Null for a row that was reserved before locations were persisted: it reports the fleet's pair.
  latitude double precision,
  longitude double precision,
  location_source text,
  -- What was drawn for the household (src/simulation/household/household.ts).
  attributes jsonb not null,
  created_at timestamptz(3) not null,
  constraint households_pkey primary key (org_id, household_index),
  constraint households_coordinates_check check ((latitude is null) = (longitude is null)),
  constraint households_source_check check (location_source in ('density', 'fixed', 'default')),
  constraint households_org_fkey foreign key (org_id) references organizations (id)
);

-- Counters and stored energies of a household at the start of a recent UTC day: what its devices had counted since the
-- start of the history, and what its batteries held. Advanced once a week. Without it each process would sum all days since then when it is
-- first asked, ten years of them behind an old history_cutoff. It stays true, since no later price changes a past quarter.
create table household_checkpoints (
  org_id uuid not null,
  household_index integer not null,
  -- Days since 1970.
  day integer not null,
  -- All in mWh.
  pv bigint not null,
  ev bigint not null,
  hp bigint not null,
  grid_import bigint not null,
  grid_export bigint not null,
  stored bigint not null,
  vehicle_stored bigint not null,
  constraint household_checkpoints_pkey primary key (org_id, household_index),
  constraint household_checkpoints_household_fkey foreign key (org_id, household_index)
    references households (org_id, household_index) on delete cascade
);

create table devices (
  org_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  device_type text not null,
  -- Simulated devices only.
  fleet_id uuid,
  household_index integer,
  name text not null,
  manufacturer text not null,
  model text not null,
  -- Ratings: rated_power_w, pv_rating_kw, battery_capacity_kwh, max_charge_power_w, max_discharge_power_w.
  ratings jsonb not null,
  created_at timestamptz(3) not null,
  constraint devices_pkey primary key (org_id, id),
  constraint devices_user_fkey foreign key (org_id, user_id) references users (org_id, id) on delete cascade,
  constraint devices_type_check check (device_type in ('electric_vehicle', 'heat_pump', 'inverter', 'wallbox'))
);
create index devices_user_idx on devices (org_id, user_id, device_type, id);
-- The fleet's listing, by household then type.
create index devices_household_idx on devices (org_id, household_index, device_type, id)
  where household_index is not null;

-- Conditions that hold now or are due: an outage, a lost session, failed steering, a missing subscription.
-- One row a device and code; the runner claims the rows whose next change is due.
create table device_conditions (
  org_id uuid not null,
  device_id uuid not null,
  code text not null,
  active boolean not null,
  -- Ordinal of the planned occurrence that next_change_at belongs to.
  occurrence integer not null default 0,
  -- The next instant at which the condition begins or ends by plan; null when none is planned.
  next_change_at timestamptz(3),
  changed_at timestamptz(3) not null,
  constraint device_conditions_pkey primary key (org_id, device_id, code),
  constraint device_conditions_device_fkey foreign key (org_id, device_id) references devices (org_id, id) on delete cascade,
  constraint device_conditions_code_check check (code in
    ('device_offline', 'reauthenticate', 'steering_recovery_failed', 'subscription_required'))
);
create index device_conditions_due_idx on device_conditions (next_change_at) where next_change_at is not null;

create table notification_items (
  org_id uuid not null,
  id uuid not null,
  kind text not null,
  -- Null for a manual broadcast.
  code text,
  device_id uuid,
  device_type text,
  -- Null for a broadcast, which reaches every user.
  owner_id uuid,
  message text not null,
  -- When the action was raised or the information sent.
  occurred_at timestamptz(3) not null,
  dismissed_at timestamptz(3),
  -- When the condition ended by itself (or an action was resolved).
  cleared_at timestamptz(3),
  constraint notification_items_pkey primary key (org_id, id),
  constraint notification_items_kind_check check (kind in ('action', 'information')),
  constraint notification_items_owner_fkey foreign key (org_id, owner_id) references users (org_id, id) on delete cascade,
  constraint notification_items_device_fkey foreign key (org_id, device_id) references devices (org_id, id) on delete cascade
);
-- Pending items, newest first: actions and status.
create index notification_items_pending_idx on notification_items (org_id, occurred_at desc, id desc)
  where dismissed_at is null and cleared_at is null;
-- The history of information, newest first.
create index notification_items_history_idx on notification_items (org_id, occurred_at desc, id desc)
  where kind = 'information';
create index notification_items_owner_idx on notification_items (org_id, owner_id, occurred_at desc, id desc);
-- One device's items, and those that go with a device: without it each removed device would read all of its organization.
create index notification_items_device_idx on notification_items (org_id, device_id, occurred_at desc, id desc)
  where device_id is not null;
-- One open item a condition: raising what is there already is a no-op.
create unique index notification_items_open_key on notification_items (org_id, device_id, code)
  where cleared_at is null and dismissed_at is null and device_id is not null;
-- An item is resolved by its id alone.
create unique index notification_items_id_key on notification_items (id);

-- A broadcast is dismissed by each user for itself. The user may belong to the parent of a simulation organization,
-- so no key refers to it.
create table broadcast_dismissals (
  org_id uuid not null,
  item_id uuid not null,
  user_id uuid not null,
  dismissed_at timestamptz(3) not null,
  constraint broadcast_dismissals_pkey primary key (org_id, item_id, user_id),
  constraint broadcast_dismissals_item_fkey foreign key (org_id, item_id)
    references notification_items (org_id, id) on delete cascade
);

create table webhooks (
  org_id uuid not null,
  id uuid not null,
  url text not null,
  topics text[] not null,
  enabled boolean not null default true,
  -- AES-256-GCM under the key named by secret_key_id; the version counts rotations.
  encrypted_secret bytea not null,
  secret_key_id text not null,
  secret_version integer not null default 1,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  -- The row of a deleted webhook stays: a test message to it is answered with "cancelled".
  deleted_at timestamptz(3),
  constraint webhooks_pkey primary key (org_id, id),
  constraint webhooks_org_fkey foreign key (org_id) references organizations (id)
);
create index webhooks_created_idx on webhooks (org_id, created_at, id) where deleted_at is null;
-- Which webhooks get a message of this topic.
create index webhooks_topics_idx on webhooks using gin (topics) where deleted_at is null and enabled;

create table messages (
  org_id uuid not null,
  id uuid not null,
  message_type text not null,
  occurred_at timestamptz(3) not null,
  -- The body, byte for byte as it is sent.
  payload bytea not null,
  created_at timestamptz(3) not null,
  -- The position in the stream of events, by the database's clock: unlike created_at never before what was read already.
  announced_at timestamptz(3) not null default clock_timestamp(),
  -- When a redelivery last announced it again; the first position stays, since listeners continue from there.
  repeated_at timestamptz(3),
  constraint messages_pkey primary key (org_id, id),
  constraint messages_org_fkey foreign key (org_id) references organizations (id)
);
-- The stream of events of an organization, in its order.
create index messages_announced_idx on messages (org_id, announced_at, id);
create index messages_repeated_idx on messages (org_id, repeated_at, id) where repeated_at is not null;

create table deliveries (
  org_id uuid not null,
  message_id uuid not null,
  webhook_id uuid not null,
  state text not null default 'pending',
  -- Attempts that have ended.
  attempts integer not null default 0,
  -- First attempts and retries are claimed apart.
  is_retry boolean not null generated always as (attempts > 0) stored,
  due_at timestamptz(3) not null,
  -- The call that caused the next attempt: it raised the event, or had the message sent again.
  request_id text,
  -- Why the delivery was cancelled.
  cancel_reason text,
  created_at timestamptz(3) not null,
  finished_at timestamptz(3),
  constraint deliveries_pkey primary key (org_id, message_id, webhook_id),
  constraint deliveries_message_fkey foreign key (org_id, message_id) references messages (org_id, id) on delete cascade,
  constraint deliveries_webhook_fkey foreign key (org_id, webhook_id) references webhooks (org_id, id) on delete cascade,
  constraint deliveries_state_check check (state in ('pending', 'delivered', 'exhausted', 'cancelled'))
);
-- The claim: per webhook the oldest due rows, first attempts and retries apart. A claim changes no row here, so that a
-- delivery that succeeds at once is written twice in all.
create index deliveries_due_idx on deliveries (is_retry, org_id, webhook_id, due_at) where state = 'pending';
-- The next due delivery, and for how long the oldest one has been due.
create index deliveries_due_at_idx on deliveries (due_at) where state = 'pending';
-- The delivery log of a webhook, newest first.
create index deliveries_log_idx on deliveries (org_id, webhook_id, created_at desc, message_id desc);

-- One row for each attempt that a worker may have in flight: free, or with the lease of a delivery. The rows of a worker
-- stay while it lives and have no other index, so that claims and results update them in place (HOT) and the table stays
-- as small as the workers' numbers of slots, however many deliveries pass through.
create table in_flight_slots (
  -- The worker; while it lives it also holds a shared advisory lock of this number. 0 is a process without such a lock.
  worker_id integer not null,
  slot integer not null,
  -- The delivery whose attempt is in flight, and its lease: a result that comes with another token changes nothing.
  org_id uuid,
  message_id uuid,
  webhook_id uuid,
  is_retry boolean,
  lease_token uuid,
  lease_until timestamptz(3),
  constraint in_flight_slots_pkey primary key (worker_id, slot),
  constraint in_flight_slots_lease_check
    check (num_nulls(org_id, message_id, webhook_id, is_retry, lease_token, lease_until) in (0, 6))
) with (fillfactor = 30);

-- Leases due deliveries to a worker; src/queries/deliveries/delivery-queue.ts tells its rules. It is a function because it is
-- called for every few deliveries, and each further statement of a transaction took longer than the work itself. A statement
-- in a function sees what was committed before it began: the statement that chooses deliveries sees all claims made before
-- the lock was obtained.
--
-- Every row of a lane carries what its claim has seen, also the single row without a delivery when nothing is due.
create function claim_deliveries(
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
        from waiting w left join webhook_load h using (org_id, webhook_id) left join organization_load o using (org_id)
        where w.due_at <= as_of
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

create table delivery_attempts (
  org_id uuid not null,
  message_id uuid not null,
  webhook_id uuid not null,
  attempt integer not null,
  started_at timestamptz(3) not null,
  duration_ms integer not null,
  outcome text not null,
  error_class text,
  status_code integer,
  detail text,
  address text,
  secret_version integer not null,
  request_id text,
  -- No reference to deliveries: rows are written by the statement that updates their delivery and by no other, and the
  -- check of a reference took a third of its time.
  constraint delivery_attempts_pkey primary key (org_id, message_id, webhook_id, attempt),
  constraint delivery_attempts_outcome_check check (outcome in ('delivered', 'failed')),
  constraint delivery_attempts_class_check check (error_class in
    ('dns', 'refused_address', 'connect', 'tls', 'timeout', 'redirect', 'status', 'secret'))
);

-- Records the results of attempts (rows as src/queries/deliveries/delivery-results.ts makes them) and clears their slots.
-- A function, so that each connection plans the statement once: planning took longer than recording a few attempts.
create function record_finished_attempts(results jsonb, recorded_at timestamptz)
returns table (message_id uuid, webhook_id uuid, state text)
language plpgsql
as $$
#variable_conflict use_column
begin
  return query
  with result as (
    select * from jsonb_to_recordset(results) as result (
      worker_id integer, slot integer, lease_token uuid, state text, due_at timestamptz, started_at timestamptz,
      duration_ms integer, error_class text, status_code integer, detail text, address text, secret_version integer)
  ), leased as (
    select s.org_id, s.message_id, s.webhook_id, r.*
    from result r join in_flight_slots s
      on s.worker_id = r.worker_id and s.slot = r.slot and s.lease_token = r.lease_token
    order by s.worker_id, s.slot
    for update of s
  ), cleared as (
    update in_flight_slots s
    set org_id = null, message_id = null, webhook_id = null, is_retry = null, lease_token = null, lease_until = null
    from leased where s.worker_id = leased.worker_id and s.slot = leased.slot
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
      due_at = coalesce(l.due_at, d.due_at),
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
