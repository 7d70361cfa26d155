-- A webhook that was disabled or deleted, or has lost topics, may have more pending deliveries than the call cancels itself. The mark of
-- that call stands here until the dispatcher has cancelled the rest, in pieces; each such call has a mark of its own.
alter table webhooks add column cancelling_mark uuid;
