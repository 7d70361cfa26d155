-- The names of quotas that were set before.
alter table partner_quotas validate constraint partner_quotas_name_check;
