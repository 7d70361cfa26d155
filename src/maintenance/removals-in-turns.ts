import type { Db } from '../queries/connection/database.ts';
import { findNewestBeyond, listOrganizationsWithDeletions } from '../queries/connection/newest-kept.ts';
import type { DeletedRow, NewestKept, TableWithDeleted } from '../queries/connection/newest-kept.ts';
import { deleteOldMessages, listOrganizationsWithOldMessages } from '../queries/deliveries/retention.ts';
import type { MessagePlace } from '../queries/deliveries/retention.ts';
import type { TurnsOfRound } from './turns.ts';

/** Removes at most `limit` deleted rows up to one; resolves to whether more of them may be left. */
type DeleteUpTo = (db: Db, orgId: string, last: DeletedRow, limit: number) => Promise<boolean>;

/**
 * Removes, of each organization in which a row of the table was deleted lately, deleted rows beyond its newest ones. Which these are
 * is asked once in a round: the newest are walked over for it, which a batch is not to do for a few rows.
 */
export function removeBeyondNewest(
  db: Db,
  table: TableWithDeleted,
  { since, kept }: NewestKept,
  deleteUpTo: DeleteUpTo,
): TurnsOfRound<true> {
  const lasts = new Map<string, DeletedRow>();
  return {
    list: () => listOrganizationsWithDeletions(db, table, since),
    remove: async (orgId, limit) => {
      const last = lasts.get(orgId) ?? (await findNewestBeyond(db, table, orgId, kept));
      if (last === undefined) return undefined;
      lasts.set(orgId, last);
      return (await deleteUpTo(db, orgId, last, limit)) ? true : undefined;
    },
  };
}

/** Removes messages that were last announced before `instant`; a turn goes on behind those that the one before has passed over. */
export function removeOldMessages(db: Db, instant: Date): TurnsOfRound<MessagePlace> {
  return {
    list: () => listOrganizationsWithOldMessages(db, instant),
    remove: async (orgId, limit, after) => (await deleteOldMessages(db, orgId, instant, limit, after)).next,
  };
}
