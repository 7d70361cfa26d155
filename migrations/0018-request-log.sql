-- What each partner has sent, for its developers.
create table logged_requests (
  org_id uuid not null,
  sent_at timestamptz(3) not null,
  id uuid not null,
  request_id text not null,
  operation text not null,
  method text not null,
  -- With what is personal in it left out, as in the body.
  path text not null,
  status smallint not null,
  duration_ms integer not null,
  user_id uuid,
  application_id uuid,
  -- Of refusals alone.
  code text,
  errors jsonb,
  body text,
  constraint logged_requests_pkey primary key (org_id, sent_at, id),
  constraint logged_requests_org_fkey foreign key (org_id) references organizations on delete cascade,
  constraint logged_requests_body_check check (octet_length(body) <= 16384)
);
create index logged_requests_failed_idx on logged_requests (org_id, sent_at, id) where status >= 400;
create index logged_requests_operation_idx on logged_requests (org_id, operation, sent_at, id);
create index logged_requests_request_idx on logged_requests (org_id, request_id);
create index logged_requests_sent_idx on logged_requests (sent_at);

-- How many requests of a minute were not logged, because there were too many.
create table unlogged_requests (
  org_id uuid not null,
  minute timestamptz(0) not null,
  count bigint not null,
  constraint unlogged_requests_pkey primary key (org_id, minute),
  constraint unlogged_requests_org_fkey foreign key (org_id) references organizations on delete cascade
);
create index unlogged_requests_minute_idx on unlogged_requests (minute);
