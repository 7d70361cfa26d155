-- What removal finds its rows by, so that no table grows for ever; docs/architecture.md tells for each table what bounds it.

-- Users and webhooks that are deleted, in the order of their deletion.
create index users_deleted_idx on users (deleted_at) where deleted_at is not null;
create index webhooks_deleted_idx on webhooks (deleted_at) where deleted_at is not null;

-- The dismissals of a user, which go before the user, also those in simulation organizations of the user's.
create index broadcast_dismissals_user_idx on broadcast_dismissals (user_id);

-- Windows of rate limits that are over. Uses within a window leave it as it is.
create index rate_limits_window_idx on rate_limits (window_started_at);

-- A fleet that was cleaned leaves its checkpoints, which nothing reads any more, to be removed in batches.
alter table fleets add column has_checkpoints_to_remove boolean not null default false;
create index fleets_checkpoints_to_remove_idx on fleets (org_id, id) where has_checkpoints_to_remove;
