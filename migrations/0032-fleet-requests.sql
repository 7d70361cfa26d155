-- A partner may use so many request_ids of fleets in 30 days: what is remembered of each may be some 90 kB.
alter table partner_quotas
  drop constraint partner_quotas_name_check,
  add constraint partner_quotas_name_check check (name in ('fleets', 'households', 'webhooks', 'applications', 'users',
    'event_streams', 'price_quarters', 'price_revisions', 'pending_deliveries', 'control_revisions', 'idempotency_keys',
    'fleet_requests')) not valid;
-- A purge changes the request_id of the creation alone, which it finds by its key.
drop index fleet_requests_fleet_idx;
