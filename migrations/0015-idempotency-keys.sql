-- What was answered to a request with an Idempotency-Key, to be answered again to its repeats. A row is written with the effect of
-- its operation, in one transaction; what runs outside of one has a row without an answer until it has ended.
create table idempotency_keys (
  -- The caller's partner, among whose keys it counts.
  org_id uuid not null,
  -- The caller, who may be of a simulation organization of the partner: nobody else is answered by its keys.
  user_id uuid not null,
  -- SHA-256 of the key.
  key_hash bytea not null,
  -- SHA-256 of the operation, its path, query and body.
  request_hash bytea not null,
  -- AES-256-GCM under the key named by answer_key_id; null while the operation runs.
  encrypted_answer bytea,
  answer_key_id text,
  created_at timestamptz(3) not null,
  constraint idempotency_keys_pkey primary key (org_id, user_id, key_hash),
  constraint idempotency_keys_org_fkey foreign key (org_id) references organizations (id) on delete cascade,
  constraint idempotency_keys_hashes_check check (octet_length(key_hash) = 32 and octet_length(request_hash) = 32),
  constraint idempotency_keys_answer_check check ((encrypted_answer is null) = (answer_key_id is null))
);
-- Those whose time is over.
create index idempotency_keys_created_idx on idempotency_keys (created_at);
alter table partner_quotas
  drop constraint partner_quotas_name_check,
  add constraint partner_quotas_name_check check (name in ('fleets', 'households', 'webhooks', 'applications', 'users',
    'event_streams', 'price_quarters', 'price_revisions', 'pending_deliveries', 'control_revisions', 'idempotency_keys'));
