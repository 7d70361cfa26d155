-- What has been read stays as it was: a condition that comes in late keeps its device from being read from then on.
alter table device_interruptions
  -- When the device was read last: the beginning, or later where that came in late.
  add column read_until timestamptz(3);
update device_interruptions set read_until = started_at;
alter table device_interruptions alter column read_until set not null;

-- An outage of a region strikes those who lived there at the time of the call, wherever they live when its devices are taken.
alter table shared_outages
  -- The households, by index; null for other causes.
  add column household_indexes integer[];
update shared_outages o
set household_indexes = case when is_applied then '{}' else array(
  select u.household_index from users u
  where u.org_id = o.org_id and u.household_index is not null and u.deleted_at is null
    and case when o.country is not null then u.country = o.country else 2 * 6371 * asin(least(1, sqrt(
      power(sin(radians(u.latitude - o.latitude) / 2), 2)
      + cos(radians(o.latitude)) * cos(radians(u.latitude)) * power(sin(radians(u.longitude - o.longitude) / 2), 2)))) <= o.radius_km end) end
where o.cause = 'region';
alter table shared_outages
  add constraint shared_outages_households_check check ((household_indexes is not null) = (cause = 'region'));
