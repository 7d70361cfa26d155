-- Those of the organizations that have messages behind their positions in their streams of events.
create function list_organizations_with_news(org_ids uuid[], ats timestamptz[], ids uuid[]) returns table (org_id uuid)
language plpgsql stable
as $$
#variable_conflict use_column
begin
  return query
  select p.org_id from unnest(org_ids, ats, ids) as p (org_id, at, id)
  where exists (select from messages m where m.org_id = p.org_id and (m.announced_at, m.id) > (p.at, p.id))
    or exists (select from messages m where m.org_id = p.org_id and (m.repeated_at, m.id) > (p.at, p.id));
end
$$;
