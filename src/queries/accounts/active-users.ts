import { sql } from 'kysely';
import type { RawBuilder, SqlBool } from 'kysely';

/**
 * Whether a row's user is there and not deleted; `userId` is a column of that row, such as `devices.user_id`, and `orgId` the
 * organization of the row as a value, which the planner does not take from another table. As a single value one user is read by its key
 * for each row, whatever the planner thinks, and `is not null` it takes for usual. A condition `deleted_at is null` would let it take an
 * index of users who are not deleted, and pass over all of an organization for each row as long as the table has no statistics.
 */
export function isActiveUser(orgId: string, userId: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`(
    select case when active.deleted_at is null then active.id end from users active
    where active.org_id = ${orgId} and active.id = ${sql.ref(userId)}) is not null`;
}
