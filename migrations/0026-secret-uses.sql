-- Writes when secrets of applications were last used. A use is no change of the application; one of a secret that is gone is nothing.
create function record_secret_uses(uses jsonb) returns void
language sql
as $$
  with used as (
    select org_id, application_id, decode(secret_hash, 'base64') as secret_hash, used_at
    from jsonb_to_recordset(uses) as u (org_id uuid, application_id uuid, secret_hash text, used_at timestamptz)
  ), locked as (
    select org_id, id from applications where (org_id, id) in (select org_id, application_id from used)
    order by org_id, id for no key update
  )
  update applications a set
    secret_last_used_at = greatest(a.secret_last_used_at,
      (select used_at from used where application_id = a.id and secret_hash = a.secret_hash)),
    older_secret_last_used_at = greatest(a.older_secret_last_used_at,
      (select used_at from used where application_id = a.id and secret_hash = a.older_secret_hash))
  from locked where a.org_id = locked.org_id and a.id = locked.id
$$;
