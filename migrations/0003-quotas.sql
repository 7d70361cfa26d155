-- What a partner may have, and what it has. Few rows (fleets, webhooks, applications) are counted where they stand, under a
-- lock of the partner's row; users and delivery quarters are many, and their numbers are kept.

-- The quotas that hold for one partner in place of the installation's.
create table partner_quotas (
  -- The partner organization.
  org_id uuid not null,
  name text not null,
  quota bigint not null,
  constraint partner_quotas_pkey primary key (org_id, name),
  constraint partner_quotas_org_fkey foreign key (org_id) references organizations (id) on delete cascade,
  constraint partner_quotas_quota_check check (quota >= 0),
  constraint partner_quotas_name_check check (name in ('fleets', 'households', 'webhooks', 'applications', 'users',
    'event_streams', 'price_quarters', 'price_revisions'))
);

-- The number of a partner's users in all its organizations: not deleted, and no simulated households. It is spread over shards,
-- which the id of a user chooses, so that users who are created at the same time do not wait for each other's commits. Each shard may
-- count up to what it was granted; all grants together are the quota under which they were made, so that no shard need know
-- the others. One that is used up, or was granted under another quota, is granted anew with all shards locked.
create table user_counts (
  -- The partner organization.
  org_id uuid not null,
  shard smallint not null,
  -- May be negative: a user is counted off where its id says, but the first count of a database stands in shard 0.
  users bigint not null,
  granted bigint not null default 0,
  quota bigint not null default -1,
  constraint user_counts_pkey primary key (org_id, shard),
  constraint user_counts_org_fkey foreign key (org_id) references organizations (id) on delete cascade
) with (fillfactor = 50);
insert into user_counts (org_id, shard, users)
select coalesce(o.parent_org_id, o.id), 0, count(u.id)
from organizations o
left join users u on u.org_id = o.id and u.deleted_at is null and u.fleet_id is null
group by coalesce(o.parent_org_id, o.id);

-- The number of delivery quarters for which an organization has a price, however many revisions it has. The row goes with
-- its organization, and what a purged fleet had is free again.
create table price_counts (
  org_id uuid not null,
  quarters bigint not null,
  constraint price_counts_pkey primary key (org_id),
  constraint price_counts_org_fkey foreign key (org_id) references organizations (id) on delete cascade
);
insert into price_counts (org_id, quarters)
select org_id, count(distinct starts_at) from day_ahead_prices group by org_id;

-- When a request_id may be forgotten: that of an expansion some time after its answer, that of a creation some time after its
-- fleet is purged; null while the fleet is there.
alter table fleet_requests add column forget_at timestamptz(3);
update fleet_requests r set forget_at = now() + interval '30 days'
where r.operation = 'expand' or not exists (select from fleets f where f.org_id = r.org_id and f.id = r.fleet_id);
create index fleet_requests_forget_idx on fleet_requests (forget_at) where forget_at is not null;
-- What a purge has to set forget_at of.
create index fleet_requests_fleet_idx on fleet_requests (org_id, fleet_id);
