-- A simulation organization has, for each quarter hour, its own price or else its parent's: it no longer matters when its first
-- one came in.
alter table price_counts drop column first_received_at;
