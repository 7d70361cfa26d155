import { encodeCursor } from '../domain/api/cursor.ts';
import type { CursorPosition } from '../domain/api/cursor.ts';
import { listSignupRequests } from '../queries/accounts/signup-requests.ts';
import type { SignupRequest } from '../queries/accounts/signup-requests.ts';
import type { Db } from '../queries/connection/database.ts';

export interface SignupRequestPage {
  readonly requests: readonly SignupRequest[];
  /** Where the next page begins; undefined on the last page. */
  readonly nextCursor: string | undefined;
}

/** The sign-up requests, newest first, at most `limit`, from behind `after`. For the operator: they hold invite tokens. */
export async function listNewestSignupRequests(
  db: Db,
  limit: number,
  after: CursorPosition | undefined,
): Promise<SignupRequestPage> {
  const found = await listSignupRequests(db, limit + 1, after);
  const requests = found.slice(0, limit);
  const last = found.length > limit ? requests.at(-1) : undefined;
  return { requests, nextCursor: last && encodeCursor(last) };
}
