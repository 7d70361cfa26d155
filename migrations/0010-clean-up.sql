-- A fleet that was cleaned leaves its users, with their devices and notifications, to be removed in batches. Until they are gone
-- nobody reaches its organization.
alter table fleets add column has_users_to_remove boolean not null default false;
create index fleets_users_to_remove_idx on fleets (org_id, id) where has_users_to_remove;
