-- Deletes at most `most` messages that were last announced before an instant, with their deliveries and attempts; how many. A message
-- with a pending delivery stays. Each organization's messages are found by messages_announced_idx; rows that another transaction
-- has locked are left to it.
create function delete_messages_announced_before(instant timestamptz, most integer) returns bigint
language sql
as $$
  with recursive heard as (
    (select org_id from messages order by org_id limit 1)
    union all
    select (select m.org_id from messages m where m.org_id > heard.org_id order by m.org_id limit 1) from heard
    where heard.org_id is not null
  ), old as (
    select m.org_id, m.id from heard, lateral (
      select org_id, id from messages
      where org_id = heard.org_id and announced_at < $1 and coalesce(repeated_at, announced_at) < $1
        and not exists (
          select from deliveries d
          where d.org_id = messages.org_id and d.message_id = messages.id and d.state = 'pending')
      order by announced_at, id limit $2
      for update skip locked
    ) m limit $2
  ), attempts as (
    delete from delivery_attempts a using old where a.org_id = old.org_id and a.message_id = old.id
  ), removed as (
    delete from messages m using old where m.org_id = old.org_id and m.id = old.id returning 1
  )
  select count(*) from removed
$$;
