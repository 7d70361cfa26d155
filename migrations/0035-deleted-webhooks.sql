-- Of an organization's deleted webhooks the newest so many are kept.
create index concurrently webhooks_deleted_of_org_idx on webhooks (org_id, deleted_at) where deleted_at is not null;
