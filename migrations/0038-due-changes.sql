-- Fleet runners look for the first planned change of each fleet that is at work, and then for those of one.
create index concurrently device_conditions_due_of_org_idx on device_conditions (org_id, next_change_at) where next_change_at is not null;
