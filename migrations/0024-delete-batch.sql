-- Deletes at most `most` rows of a table; their number. `chosen` is what follows the table in a select of them: which, and in what order;
-- `before` is its $1. Rows that somebody has locked are passed over, so that nobody is waited for.
create function delete_batch(from_table text, chosen text, before timestamptz, most integer) returns bigint
language plpgsql
as $$
declare
  deleted bigint;
begin
  execute format('delete from %1$I where ctid = any(array(select ctid from %1$I %2$s limit %3$s for update skip locked))',
    from_table, chosen, most) using before;
  get diagnostics deleted = row_count;
  return deleted;
end
$$;
