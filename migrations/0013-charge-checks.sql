-- When the stay of a car that charges by price is looked at next: as it is plugged in, when something else is asked of it, and when it
-- leaves with a notice open. One row for each car that charges by price, or did when it was told of last.
create table charge_checks (
  org_id uuid not null,
  device_id uuid not null,
  due_at timestamptz(3) not null,
  -- The departure of which was told that the target will be missed; null before the first.
  told_departure timestamptz(3),
  constraint charge_checks_pkey primary key (org_id, device_id),
  constraint charge_checks_device_fkey foreign key (org_id, device_id) references devices (org_id, id) on delete cascade
);
-- Those that are due, of all organizations and of one.
create index charge_checks_due_idx on charge_checks (due_at);
create index charge_checks_org_due_idx on charge_checks (org_id, due_at);
