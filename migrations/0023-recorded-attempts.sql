-- As record_finished_attempts and what it records, and as a claim, a call of its own outside of any transaction.
create procedure record_attempts(results jsonb, recorded_at timestamptz, inout recorded json)
language plpgsql
as $$
begin
  select coalesce(json_agg(each), '[]') into recorded from record_finished_attempts(results, recorded_at) each;
end
$$;

-- Cancels leased deliveries that their webhooks do not want any more, each with its reason, and clears their slots.
create procedure cancel_unwanted_deliveries(unwanted jsonb, cancelled_at timestamptz)
language plpgsql
as $$
begin
  with leased as (
    select s.worker_id, s.slot, s.org_id, s.partner_id, s.message_id, s.webhook_id, r.reason
    from jsonb_to_recordset(unwanted) as r (worker_id integer, slot integer, lease_token uuid, reason text)
    join in_flight_slots s on s.worker_id = r.worker_id and s.slot = r.slot and s.lease_token = r.lease_token
    order by s.worker_id, s.slot
    for update of s
  ), cleared as (
    update in_flight_slots s
    set org_id = null, partner_id = null, message_id = null, webhook_id = null, is_retry = null, lease_token = null, lease_until = null
    from leased where s.worker_id = leased.worker_id and s.slot = leased.slot
  ), cancelled as (
    update deliveries d
    set state = 'cancelled', cancel_reason = leased.reason, finished_at = cancelled_at
    from leased
    where d.org_id = leased.org_id and d.message_id = leased.message_id and d.webhook_id = leased.webhook_id
      and d.state = 'pending'
    returning leased.partner_id
  )
  insert into pending_delivery_counts as c (org_id, shard, deliveries)
  select partner_id, 32 + pg_backend_pid() % 32, -count(*) from cancelled group by partner_id order by partner_id
  on conflict on constraint pending_delivery_counts_pkey do update set deliveries = c.deliveries + excluded.deliveries;
end
$$;
