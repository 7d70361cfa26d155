import { isUuid } from '../domain/api/formats.ts';
import { PAGE_SIZE } from '../domain/api/page-links.ts';
import type { Visibility } from '../domain/users/users.ts';
import { findPortalUser, listPortalUsers } from '../queries/accounts/portal-users.ts';
import type { PortalUser } from '../queries/accounts/portal-users.ts';
import type { Db } from '../queries/connection/database.ts';

export type { PortalUser } from '../queries/accounts/portal-users.ts';

/** One page of those users of an organization by email whom somebody sees, 50 at most. */
export async function listUsersByEmail(
  db: Db,
  scope: { readonly orgId: string; readonly visibleTo: Visibility },
  filter: { readonly emailPrefix: string; readonly afterEmail: string },
): Promise<{ readonly users: readonly PortalUser[]; readonly nextAfterEmail: string | undefined }> {
  const { emailPrefix: prefix, afterEmail: after } = filter;
  const found = await listPortalUsers(db, scope, { prefix, after, limit: PAGE_SIZE + 1 });
  const users = found.slice(0, PAGE_SIZE);
  return { users, nextAfterEmail: found.length > PAGE_SIZE ? users.at(-1)?.email : undefined };
}

/** A user of the organization by the id as it stands in an address; undefined when it is no UUID or there is none. */
export async function findUserById(db: Db, orgId: string, id: string): Promise<PortalUser | undefined> {
  return isUuid(id) ? findPortalUser(db, orgId, id) : undefined;
}
