-- A person who is signed in to the portal may have tokens for the page that tries the API out. They belong to no application, and end
-- with the session.
alter table access_tokens
  alter column application_id drop not null,
  add column session_hash bytea,
  drop constraint access_tokens_grant_check,
  add constraint access_tokens_grant_check check (grant_type in ('client-credentials', 'password', 'session')),
  add constraint access_tokens_session_check check (
    (grant_type = 'session') = (session_hash is not null) and (session_hash is null) = (application_id is not null)),
  add constraint access_tokens_session_fkey foreign key (session_hash) references portal_sessions on delete cascade;
-- For the cascade, and for the tokens of a session.
create index access_tokens_session_idx on access_tokens (session_hash) where session_hash is not null;
