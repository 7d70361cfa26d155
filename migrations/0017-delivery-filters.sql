-- Deliveries of a webhook that did not arrive, newest first: for the filters of its log, and to send them again. One that arrives
-- is never in it, so that it costs the dispatcher nothing.
create index deliveries_unsent_idx on deliveries (org_id, webhook_id, state, created_at desc, message_id desc)
where state in ('exhausted', 'cancelled');
