-- Inserts a message and its deliveries; src/queries/deliveries/deliveries.ts tells the rules, src/queries/connection/announcing.ts the
-- lock. `told` is the instant of the event's call, `request` the call, `quota` how many deliveries may be pending of a partner that
-- has none of its own.
create function insert_message_with_deliveries(
  org uuid, message uuid, type text, occurred timestamptz, body bytea, told timestamptz, request text, quota bigint
) returns table (pending integer, dropped integer)
language plpgsql
as $$
#variable_conflict use_column
begin
  return query
  with targets as (
    select id from webhooks
    where org_id = org and enabled and deleted_at is null and topics @> array[type]
    for share
  ), announcing as materialized (
    select pg_advisory_xact_lock_shared(7402113, hashtext(org::text))
  ), inserted as (
    insert into messages (org_id, id, message_type, occurred_at, payload, created_at, announced_at)
    select org, message, type, occurred, body, told, clock_timestamp() from announcing
  ), partner as materialized (
    select p.id, (select coalesce(sum(deliveries), 0) from pending_delivery_counts where org_id = p.id) < coalesce(
      (select q.quota from partner_quotas q where q.org_id = p.id and q.name = 'pending_deliveries'),
      insert_message_with_deliveries.quota) as has_room
    from (select coalesce(parent_org_id, id) as id from organizations where id = org) p
    where exists (select from targets)
  ), chosen as materialized (
    select t.id, partner.has_room or not exists (
      select from deliveries d
      where d.state = 'pending' and d.is_retry in (false, true) and d.org_id = org and d.webhook_id = t.id
    ) as is_pending
    from targets t, partner
  ), counted as (
    insert into pending_delivery_counts as c (org_id, shard, deliveries)
    select partner.id, pg_backend_pid() % 32, count(*) from partner, chosen where chosen.is_pending group by partner.id
    on conflict on constraint pending_delivery_counts_pkey do update set deliveries = c.deliveries + excluded.deliveries
  ), delivery as (
    insert into deliveries (org_id, message_id, webhook_id, due_at, created_at, request_id, state, cancel_reason, finished_at)
    select org, message, chosen.id, least(told, date_trunc('milliseconds', now())), told, request,
      case when is_pending then 'pending' else 'cancelled' end,
      case when not is_pending then 'quota_reached' end, case when not is_pending then told end
    from chosen
  )
  select count(*) filter (where is_pending)::integer, count(*) filter (where not is_pending)::integer from chosen;
end
$$;
