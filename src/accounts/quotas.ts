import { quotaReachedProblem } from '../domain/api/quotas.ts';
import type { QuotaName, Quotas } from '../domain/api/quotas.ts';
import type { UserFields, UserRecord } from '../domain/users/users.ts';
import type { Db, Tx } from '../queries/connection/database.ts';
import {
  countAllUse,
  countUse,
  findQuota,
  listPartnerQuotas,
  lockPartner,
  setPartnerQuota,
} from '../queries/accounts/quotas.ts';
import type { StoredPrices } from '../queries/prices/day-ahead-prices.ts';
import type { CountedQuota } from '../queries/accounts/quotas.ts';
import { grantUserCounts, userShardOf } from '../queries/accounts/user-counts.ts';
import { findOrganization } from '../queries/accounts/organizations.ts';
import { insertUser } from '../queries/accounts/users.ts';

/** Whose quota is asked for, and what holds for partners without a quota of their own. */
export interface QuotaScope {
  readonly partnerId: string;
  readonly quotas: Quotas;
}

/**
 * Lets the transaction add `more`, and makes others of the same partner wait for its end. Throws 422 `quota_reached` when
 * that would exceed the quota.
 */
export async function requireWithinQuota(
  tx: Tx,
  scope: QuotaScope,
  name: Exclude<CountedQuota, 'users'>,
  more = 1,
): Promise<void> {
  await lockPartner(tx, scope.partnerId);
  await checkQuota(tx, scope, name, more);
}

/** The same without the lock: what would be answered now. */
export async function checkQuota(
  db: Db | Tx,
  { partnerId, quotas }: QuotaScope,
  name: CountedQuota,
  more = 1,
): Promise<void> {
  const quota = await findQuota(db, partnerId, name, quotas[name]);
  const used = await countUse(db, partnerId, name);
  if (used + more > quota) throw quotaReachedProblem(name, { quota, used, more });
}

/**
 * Inserts a user and counts it. Throws 422 `quota_reached`; breaks users_email_key or users_external_user_id_key when a
 * user of the organization who is not deleted has the value.
 */
export async function insertUserWithinQuota(
  db: Db,
  user: UserFields & { readonly org_id: string; readonly id: string },
  { partnerId, quotas }: QuotaScope,
  now: Date,
): Promise<UserRecord> {
  const shard = userShardOf(user.id);
  const inserted = await insertUser(db, user, { partnerId, shard, quota: { fallback: quotas.users } }, now);
  if (inserted !== undefined) return inserted;
  return db.transaction().execute(async (tx) => {
    const quota = await findQuota(tx, partnerId, 'users', quotas.users);
    const used = await grantUserCounts(tx, partnerId, shard, quota);
    if (used >= quota) throw quotaReachedProblem('users', { quota, used, more: 1 });
    const granted = await insertUser(tx, user, { partnerId, shard, quota: { granted: quota } }, now);
    if (granted === undefined) throw new Error('A shard that was granted counts nothing.');
    return granted;
  });
}

/**
 * Throws 422 `quota_reached` when what the transaction has stored exceeds a quota: the delivery quarters of all the
 * partner's organizations, or the revisions of one. The partner's row must be locked.
 */
export async function checkPriceQuotas(
  tx: Tx,
  { partnerId, quotas }: QuotaScope,
  { newQuarters, mostRevisions }: Omit<StoredPrices, 'count'>,
): Promise<void> {
  const revisions = await findQuota(tx, partnerId, 'price_revisions', quotas.price_revisions);
  if (mostRevisions > revisions) {
    throw quotaReachedProblem('price_revisions', { quota: revisions, used: mostRevisions - 1, more: 1 });
  }
  if (newQuarters === 0) return;
  const quarters = await findQuota(tx, partnerId, 'price_quarters', quotas.price_quarters);
  const used = await countUse(tx, partnerId, 'price_quarters');
  if (used > quarters) {
    throw quotaReachedProblem('price_quarters', {
      quota: quarters,
      used: used - newQuarters,
      more: newQuarters,
    });
  }
}

/** A quota with what the partner has of it. */
export interface QuotaState {
  readonly name: QuotaName;
  readonly quota: number;
  /** Whether it was set for this partner. */
  readonly isOwn: boolean;
  /** Null for what is not counted in the database: open event streams, revisions of a price. */
  readonly used: number | null;
}

/** The quotas of a partner and its use; undefined when there is no such partner organization. */
export async function listQuotaStates(
  db: Db,
  { partnerId, quotas }: QuotaScope,
): Promise<QuotaState[] | undefined> {
  if ((await findOrganization(db, partnerId))?.kind !== 'partner') return undefined;
  const own = await listPartnerQuotas(db, partnerId);
  const use: Partial<Record<QuotaName, number>> = await countAllUse(db, partnerId);
  return Object.entries(quotas).map(([key, quota]) => {
    const name = key as QuotaName;
    return { name, quota: own[name] ?? quota, isOwn: own[name] !== undefined, used: use[name] ?? null };
  });
}

/** Sets quotas of a partner, which must be there; one that is undefined is removed. */
export async function changeQuotas(
  db: Db,
  partnerId: string,
  changes: ReadonlyMap<QuotaName, number | undefined>,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    for (const [name, quota] of changes) await setPartnerQuota(tx, partnerId, name, quota);
  });
}
