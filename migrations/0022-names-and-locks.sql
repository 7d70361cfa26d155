-- Names that arrive without their organization are looked up here first; the statements behind them name it. A key is unique on the server.
create table usernames (
  -- In lower case, of a user who is not deleted.
  username text not null,
  org_id uuid not null,
  constraint usernames_pkey primary key (username),
  constraint usernames_org_fkey foreign key (org_id) references organizations on delete cascade
);
create index usernames_org_idx on usernames (org_id);

create table client_ids (
  client_id text not null,
  org_id uuid not null,
  constraint client_ids_pkey primary key (client_id),
  constraint client_ids_org_fkey foreign key (org_id) references organizations on delete cascade
);
create index client_ids_org_idx on client_ids (org_id);

-- The row that transactions of an organization lock to come one after the other, made when it is first needed.
create table organization_locks (
  org_id uuid not null,
  constraint organization_locks_pkey primary key (org_id),
  constraint organization_locks_org_fkey foreign key (org_id) references organizations on delete cascade
);

create function lock_organization(org uuid) returns void language plpgsql as $$
begin
  perform from organization_locks where org_id = org for update;
  if not found then
    insert into organization_locks (org_id) values (org) on conflict on constraint organization_locks_pkey do nothing;
    perform from organization_locks where org_id = org for update;
  end if;
  -- What processes of the version before lock instead. To go in a later release.
  perform from organizations where id = org for no key update;
end
$$;

-- For processes of the version before, which do not know the tables of names. To go in a later release, as users_username_key and
-- applications_client_id_key are.
create function map_client_id() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into client_ids (client_id, org_id) values (new.client_id, new.org_id) on conflict on constraint client_ids_pkey do nothing;
  else
    delete from client_ids where client_id = old.client_id and org_id = old.org_id;
  end if;
  return null;
end
$$;
create trigger applications_named after insert or delete on applications for each row execute function map_client_id();
insert into client_ids (client_id, org_id) select client_id, org_id from applications;

create function map_username() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' and old.username is not null and old.deleted_at is null then
    delete from usernames where username = lower(old.username) and org_id = old.org_id;
  end if;
  if tg_op <> 'DELETE' and new.username is not null and new.deleted_at is null then
    insert into usernames (username, org_id) values (lower(new.username), new.org_id) on conflict on constraint usernames_pkey do nothing;
  end if;
  return null;
end
$$;
-- Nobody writes users from here to the commit: so the few who have a username are read by users_username_key.
set local enable_seqscan = off;
create trigger users_named after insert on users for each row
  when (new.username is not null) execute function map_username();
create trigger users_renamed after update of username, deleted_at on users for each row
  when ((old.username, old.deleted_at) is distinct from (new.username, new.deleted_at)) execute function map_username();
create trigger users_removed after delete on users for each row
  when (old.username is not null) execute function map_username();
insert into usernames (username, org_id)
  select lower(username), org_id from users where lower(username) is not null and deleted_at is null;
