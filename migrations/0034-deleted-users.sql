-- Of an organization's deleted users the newest so many are kept.
create index concurrently users_deleted_of_org_idx on users (org_id, deleted_at) where deleted_at is not null;
