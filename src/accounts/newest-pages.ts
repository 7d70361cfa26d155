import { encodeCursor } from '../domain/api/cursor.ts';
import type { CursorPosition } from '../domain/api/cursor.ts';
import { listPartners } from '../queries/accounts/organizations.ts';
import type { Partner } from '../queries/accounts/organizations.ts';
import { listSignupRequests } from '../queries/accounts/signup-requests.ts';
import type { SignupRequest } from '../queries/accounts/signup-requests.ts';
import type { Db } from '../queries/connection/database.ts';

/** A page of what the operator looks through, newest first. */
export interface NewestPage<Item> {
  readonly items: readonly Item[];
  /** Where the next page begins; undefined on the last page. */
  readonly nextCursor: string | undefined;
}

type ReadNewest<Item> = (
  db: Db,
  limit: number,
  after: CursorPosition | undefined,
) => Promise<NewestPage<Item>>;

/** The sign-up requests, newest first, at most `limit`, from behind `after`. For the operator: they hold invite tokens. */
export const listNewestSignupRequests: ReadNewest<SignupRequest> = async (db, limit, after) =>
  toPage(await listSignupRequests(db, limit + 1, after), limit);

/** The partners, newest first, at most `limit`, from behind `after`. */
export const listNewestPartners: ReadNewest<Partner> = async (db, limit, after) =>
  toPage(await listPartners(db, limit + 1, after), limit);

/** Of one more than the page has, which tells whether another follows. */
function toPage<Item extends CursorPosition>(found: readonly Item[], limit: number): NewestPage<Item> {
  const items = found.slice(0, limit);
  const last = found.length > limit ? items.at(-1) : undefined;
  return { items, nextCursor: last && encodeCursor(last) };
}
