-- An application may have two secrets that work: the newer one, and the one before it until that ends. `secret_created_at` is null of
-- secrets that are older than this column. Uses are written together, once a minute.
alter table applications
  add column scope text not null default 'read write',
  add column secret_created_at timestamptz(3),
  add column secret_last_used_at timestamptz(3),
  add column older_secret_hash bytea,
  add column older_secret_created_at timestamptz(3),
  add column older_secret_last_used_at timestamptz(3),
  add column older_secret_ends_at timestamptz(3),
  add constraint applications_scope_check check (scope in ('read', 'read write')),
  add constraint applications_older_secret_check check ((older_secret_hash is null) = (older_secret_ends_at is null));
