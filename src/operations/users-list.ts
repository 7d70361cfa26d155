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
  const linkTo = (end: CursorPosition | undefined): Readonly<Record<string, string>> => {
    if (end === undefined) return {};
    const next = { ...query, limit, after: encodeCursor(end) };
    return { Link: formatLinkHeader(usersUrl(context), next, { next: {} }) };
  };
  const page = { after, limit };
  if (limit > ROWS_AT_A_TIME) return { status: 200, ...streamPage(context.db, scope, page, linkTo) };
  const { body, end } = await readPage(context.db, scope, page);
  return { status: 200, body, headers: linkTo(end) };
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

/**
 * The same for a long page: who is on it is read at once, since the head of the answer tells of its end, but not before the list
 * has its share: those that wait or are refused would hold a thousand users each.
 */
function streamPage(
  db: Db,
  scope: UserScope,
  { after, limit }: Page,
  linkTo: (end: CursorPosition | undefined) => Readonly<Record<string, string>>,
) {
  let end: CursorPosition | undefined;
  async function* streamUsersOfPage(): AsyncIterable<User> {
    const positions = await listUserPositions(db, scope, { after, limit: limit + 1 });
    const ids = positions.slice(0, limit).map(({ id }) => id);
    if (positions.length > limit) end = positionOf(positions[limit - 1]);
    for (let from = 0; from < ids.length; from += ROWS_AT_A_TIME) {
      const rows = await listUsersByIds(db, scope, ids.slice(from, from + ROWS_AT_A_TIME));
      for (const row of rows) yield presentUser(row);
    }
  }
  return { body: streamUsersOfPage(), headers: () => linkTo(end) };
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
