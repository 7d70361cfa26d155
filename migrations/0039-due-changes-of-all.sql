-- Fleet runners look for what is due fleet by fleet, by device_conditions_due_of_org_idx. Those of the version before read that from end to
-- end meanwhile, more slowly, and miss nothing.
drop index device_conditions_due_idx;
