-- What retention finds its rows by, so that a batch reads what it deletes and no more.

-- Items that have ended, by the instant at which they did; broadcasts, which each user ends for itself, by that of their sending.
create index notification_items_ended_idx
  on notification_items ((coalesce(cleared_at, dismissed_at, case when owner_id is null then occurred_at end)))
  where coalesce(cleared_at, dismissed_at, case when owner_id is null then occurred_at end) is not null;

create index delivery_attempts_started_idx on delivery_attempts (started_at);

-- Set by the upload that brings a later revision for the same quarter.
alter table day_ahead_prices add column superseded boolean not null default false;
update day_ahead_prices p set superseded = true
where exists (
  select from day_ahead_prices later
  where later.org_id = p.org_id and later.starts_at = p.starts_at and later.received_at > p.received_at);
create index day_ahead_prices_superseded_idx on day_ahead_prices (starts_at) where superseded;

-- When an organization's first price came in: until then its households knew those of its parent. The revision itself may be
-- gone by now.
alter table price_counts add column first_received_at timestamptz(3);
update price_counts c set first_received_at = (select min(received_at) from day_ahead_prices p where p.org_id = c.org_id);
