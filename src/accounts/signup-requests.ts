import { isUuid } from '../domain/api/formats.ts';
import { PAGE_SIZE } from '../domain/api/page-links.ts';
import { tryParseInstant } from '../domain/api/instants.ts';
import { listSignupRequests } from '../queries/accounts/signup-requests.ts';
import type { SignupRequest, SignupRequestCursor } from '../queries/accounts/signup-requests.ts';
import type { Db } from '../queries/connection/database.ts';

interface SignupRequestPage {
  readonly requests: readonly SignupRequest[];
  readonly isFirst: boolean;
  /** `<instant>_<id>` of the page's last entry; undefined on the last page. */
  readonly nextCursor: string | undefined;
}

/** One page of the sign-up requests, newest first, 50 at most. A cursor that is malformed begins at the newest. */
export async function listNewestSignupRequests(
  db: Db,
  cursor: string | undefined,
): Promise<SignupRequestPage> {
  const after = parseRequestCursor(cursor);
  const found = await listSignupRequests(db, PAGE_SIZE + 1, after);
  const requests = found.slice(0, PAGE_SIZE);
  const last = found.length > PAGE_SIZE ? requests.at(-1) : undefined;
  const nextCursor = last && `${last.createdAt.toISOString()}_${last.id}`;
  return { requests, isFirst: after === undefined, nextCursor };
}

function parseRequestCursor(text: string | undefined): SignupRequestCursor | undefined {
  const [instant = '', id = ''] = text?.split('_') ?? [];
  const createdAt = tryParseInstant(instant);
  return createdAt !== undefined && isUuid(id) ? { createdAt, id } : undefined;
}
