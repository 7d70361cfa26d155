-- Makes a condition of a device active; src/queries/notifications/device-conditions.ts tells the rules. The instant at which it began;
-- null where it is active already, or has begun `most` times. `applied` is when that came in, `margin` the seconds by which a quarter
-- hour has to lie behind it.
create function activate_condition(
  org uuid, device uuid, condition text, at timestamptz, applied timestamptz, ending timestamptz, most integer, margin integer
) returns timestamptz
language plpgsql
as $$
#variable_conflict use_column
declare
  begun_at timestamptz;
begin
  with activated as (
    insert into device_conditions (org_id, device_id, code, active, changed_at, ends_at)
    select org, device, condition, true, at, ending
    where (select count(*) from device_interruptions where org_id = org and device_id = device and code = condition) < most
    on conflict on constraint device_conditions_pkey do update
    set active = true, changed_at = greatest(device_conditions.changed_at, excluded.changed_at), ends_at = excluded.ends_at
    where not device_conditions.active
    returning changed_at
  ), begun as (
    insert into device_interruptions (org_id, device_id, code, started_at, read_until, unsteered_from)
    select org, device, condition, changed_at, greatest(changed_at, applied),
      floor((extract(epoch from greatest(changed_at, applied)) + margin) / 900)::integer + 1
    from activated
    on conflict on constraint device_interruptions_pkey do update set ended_at = null, unsteered_to = null
  )
  select changed_at into begun_at from activated;
  return begun_at;
end
$$;
