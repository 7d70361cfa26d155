-- The keys under which secrets have been encrypted: a process that has none of them does not start.
create table encryption_keys (
  id text not null,
  first_used_at timestamptz(3) not null,
  -- Set by `partner keys lost`: what the key has encrypted is given up.
  lost_at timestamptz(3),
  constraint encryption_keys_pkey primary key (id)
);
insert into encryption_keys (id, first_used_at) select secret_key_id, min(created_at) from webhooks group by secret_key_id;
