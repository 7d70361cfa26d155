-- How many uploads have stored a price of the organization. What was made of its prices holds as long as this stays: nothing
-- has to be read or counted to know it.
alter table price_counts add column uploads bigint not null default 0;
