-- Dispatchers look every second for webhooks of which deliveries are left to cancel: nearly always none.
create index concurrently webhooks_cancelling_idx on webhooks (org_id, id) where cancelling_mark is not null;
