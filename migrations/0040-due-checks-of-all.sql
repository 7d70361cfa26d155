-- As device_conditions_due_idx: cars that are due are looked for fleet by fleet, by charge_checks_org_due_idx. Where few organizations have
-- such cars the planner would walk through those of all.
drop index charge_checks_due_idx;
