-- The organizations that have messages which were announced before an instant, by messages_announced_idx. Their messages are removed by one
-- organization after the other, in batches that go on behind those before. delete_messages_announced_before, which looked at all that
-- stay in each batch, is called by processes of the version before.
create function list_organizations_with_old_messages(instant timestamptz) returns setof uuid
language sql stable
as $$
  with recursive heard as (
    (select m.org_id from messages m order by m.org_id limit 1)
    union all
    select (select m.org_id from messages m where m.org_id > heard.org_id order by m.org_id limit 1) from heard
    where heard.org_id is not null
  )
  select heard.org_id from heard
  where heard.org_id is not null and exists (select from messages m where m.org_id = heard.org_id and m.announced_at < $1)
$$;
