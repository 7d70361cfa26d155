import type { Handler } from '../contract/handlers.ts';
import { decodeCursor, encodeCursor } from '../domain/api/cursor.ts';
import type { CursorPosition } from '../domain/api/cursor.ts';
import { formatLinkHeader } from '../domain/api/page-links.ts';
import { validationProblem } from '../domain/api/problem.ts';
import type { UserRecord } from '../domain/users/users.ts';
import { presentUser } from '../presenters/users.ts';
import type { User } from '../presenters/users.ts';
import { listUserPositions, listUsersByIds, listUsersPage } from '../queries/accounts/visible-users.ts';
import type { UserScope } from '../queries/accounts/visible-users.ts';
import type { Db } from '../queries/connection/database.ts';
import type { Context } from './context.ts';
import { userScope, usersUrl } from './users.ts';

/** Users on a page whose size was not asked for. */
const PAGE_USERS = 1000;
/** Rows read at a time: what a longer page takes of the event loop is made in pieces. */
const ROWS_AT_A_TIME = 100;

/**
 * `GET /users`: one page with a Link header (RFC 8288), or the whole list as a stream when neither limit nor after is
 * given.
 */
export const listUsers: Handler<Context, 'listUsers'> = async (context, { query }) => {
  const scope = userScope(context, 'listUsers', query.include_deleted);
  if (query.limit === undefined && query.after === undefined) {
    return { status: 200, body: streamUsers(context.db, scope) };
  }
  const after = query.after === undefined ? undefined : decodeCursor(query.after);
  if (query.after !== undefined && after === undefined) {
    const detail = 'Must come from the next address of a Link header.';
    throw validationProblem([{ parameter: 'after', in: 'query', code: 'cursor_invalid', detail }]);
  }
  const limit = query.limit ?? PAGE_USERS;
  const page = { after, limit };
  const { body, end } =
    limit > ROWS_AT_A_TIME
      ? await streamPage(context.db, scope, page)
      : await readPage(context.db, scope, page);
  if (end === undefined) return { status: 200, body };
  const next = { ...query, limit, after: encodeCursor(end) };
  return { status: 200, body, headers: { Link: formatLinkHeader(usersUrl(context), next, { next: {} }) } };
};

interface Page {
  readonly after: CursorPosition | undefined;
  readonly limit: number;
}

/** The users of a page; `end` is the last of them where others follow. */
async function readPage(db: Db, scope: UserScope, { after, limit }: Page) {
  const rows = await listUsersPage(db, scope, { after, limit: limit + 1 });
  const page = rows.slice(0, limit);
  return { body: page.map(presentUser), end: rows.length > limit ? positionOf(page.at(-1)) : undefined };
}

/** The same for a long page: who is on it is read at once, since the head of the answer tells of its end. */
async function streamPage(db: Db, scope: UserScope, { after, limit }: Page) {
  const positions = await listUserPositions(db, scope, { after, limit: limit + 1 });
  const page = positions.slice(0, limit);
  const ids = page.map(({ id }) => id);
  const end = positions.length > limit ? positionOf(page.at(-1)) : undefined;
  return { body: streamUsersOf(db, scope, ids), end };
}

async function* streamUsersOf(db: Db, scope: UserScope, ids: readonly string[]): AsyncIterable<User> {
  for (let from = 0; from < ids.length; from += ROWS_AT_A_TIME) {
    const rows = await listUsersByIds(db, scope, ids.slice(from, from + ROWS_AT_A_TIME));
    for (const row of rows) yield presentUser(row);
  }
}

/** Rows page by page, so that neither memory nor a connection is held while a slow client reads. */
async function* streamUsers(db: Db, scope: UserScope): AsyncIterable<User> {
  let after: CursorPosition | undefined;
  for (;;) {
    const rows = await listUsersPage(db, scope, { after, limit: ROWS_AT_A_TIME });
    for (const row of rows) yield presentUser(row);
    if (rows.length < ROWS_AT_A_TIME) return;
    after = positionOf(rows.at(-1));
  }
}

function positionOf(user: Pick<UserRecord, 'id' | 'created_at'> | undefined): CursorPosition | undefined {
  return user && { createdAt: new Date(user.created_at), id: user.id };
}
