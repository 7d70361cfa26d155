import { quotaReachedProblem } from '../domain/api/quotas.ts';
import type { UserRecord } from '../domain/users/users.ts';
import { inBatches } from '../queries/connection/batches.ts';
import type { Db } from '../queries/connection/database.ts';
import { inStatement, inTransaction, isTransaction } from '../queries/connection/in-transaction.ts';
import { findQuota } from '../queries/accounts/quotas.ts';
import { insertUsers } from '../queries/accounts/new-users.ts';
import type { NewUser, WhenTaken } from '../queries/accounts/new-users.ts';
import { grantUserCounts, userShardOf } from '../queries/accounts/user-counts.ts';
import { checkQuota } from './quotas.ts';
import type { QuotaScope } from './quotas.ts';

/** A user to be inserted, with what all of a batch have in common: they are of one organization. */
interface Creation {
  readonly orgId: string;
  readonly user: NewUser;
  readonly scope: QuotaScope;
}

/**
 * Inserts a user and counts it, together with others of its organization that come at the same time. Throws 422
 * `quota_reached`, and 503 `overloaded` when too many wait; breaks users_email_key or users_external_user_id_key when a user of
 * the organization who is not deleted has the value.
 */
export function insertUserWithinQuota(
  db: Db,
  orgId: string,
  user: NewUser,
  scope: QuotaScope,
): Promise<UserRecord> {
  const creation = { orgId, user, scope };
  // What is part of a longer transaction cannot be another's too.
  return isTransaction(db) ? insertAlone(db, creation) : insertInBatches(db, orgId, creation);
}

const insertInBatches = inBatches<Creation, UserRecord>({
  doTogether: (db, creations) => insertWithinQuota(db, creations, 'leave_out'),
  doAlone: insertAlone,
});

async function insertAlone(db: Db, creation: Creation): Promise<UserRecord> {
  const [user] = await insertWithinQuota(db, [creation], 'fail');
  if (user === undefined) throw new Error('A user was left out that should have failed.');
  return user;
}

/** The users by their places; undefined for who is taken, and for those beyond the quota unless it is reached by all. */
async function insertWithinQuota(
  db: Db,
  creations: readonly Creation[],
  whenTaken: WhenTaken,
): Promise<readonly (UserRecord | undefined)[]> {
  const [first] = creations;
  if (first === undefined) return [];
  const users = creations.map(({ user }) => user);
  const { partnerId, quotas } = first.scope;
  const claim = { orgId: first.orgId, partnerId, shard: userShardOf(first.user.id) };
  for (const whenLocked of ['skip', 'wait'] as const) {
    const counted = { ...claim, whenLocked, quota: { fallback: quotas.users } };
    const inserted = await inStatement(db, (db) => insertUsers(db, users, counted, whenTaken));
    if (inserted !== undefined) return inserted;
  }
  // Nobody is locked out for those who are refused.
  await checkQuota(db, first.scope, 'users');
  return inTransaction(db, async (tx) => {
    const quota = await findQuota(tx, partnerId, 'users', quotas.users);
    const asked = { shard: claim.shard, more: users.length };
    const used = await grantUserCounts(tx, partnerId, asked, quota);
    if (used >= quota) throw quotaReachedProblem('users', { quota, used, more: 1 });
    const fitting = users.slice(0, quota - used);
    const counted = { ...claim, whenLocked: 'skip', quota: { granted: quota } } as const;
    const granted = await insertUsers(tx, fitting, counted, whenTaken);
    if (granted === undefined) throw new Error('A shard that was granted counts nothing.');
    return granted;
  });
}
