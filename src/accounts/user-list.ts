import { isUuid } from '../domain/api/formats.ts';
import { findPortalUser, listPortalUsers } from '../queries/accounts/portal-users.ts';
import type { PortalUser } from '../queries/accounts/portal-users.ts';
import type { Db } from '../queries/connection/database.ts';

export type { PortalUser } from '../queries/accounts/portal-users.ts';

const USERS_PER_PAGE = 50;

/** One page of an organization's users by email, 50 at most. */
export async function listUsersByEmail(
  db: Db,
  orgId: string,
  filter: { readonly emailPrefix: string; readonly afterEmail: string },
): Promise<{ readonly users: readonly PortalUser[]; readonly nextAfterEmail: string | undefined }> {
  const { emailPrefix: prefix, afterEmail: after } = filter;
  const found = await listPortalUsers(db, orgId, { prefix, after, limit: USERS_PER_PAGE + 1 });
  const users = found.slice(0, USERS_PER_PAGE);
  return { users, nextAfterEmail: found.length > USERS_PER_PAGE ? users.at(-1)?.email : undefined };
}

/** A user of the organization by the id as it stands in an address; undefined when it is no UUID or there is none. */
export async function findUserById(db: Db, orgId: string, id: string): Promise<PortalUser | undefined> {
  return isUuid(id) ? findPortalUser(db, orgId, id) : undefined;
}
