import { quotaReachedProblem } from '../domain/api/quotas.ts';
import type { QuotaName, Quotas } from '../domain/api/quotas.ts';
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
import { findOrganization } from '../queries/accounts/organizations.ts';

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
  name: Exclude<CountedQuota, 'users' | 'pending_deliveries' | 'idempotency_keys' | 'fleet_requests'>,
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
 * Throws 422 `quota_reached` when what the transaction has stored exceeds a quota: the delivery quarters of all the
 * partner's organizations, or the revisions of one. The partner's row must be locked.
 */
export async function checkPriceQuotas(
  tx: Tx,
  scope: QuotaScope,
  { newQuarters, mostRevisions }: Omit<StoredPrices, 'count'>,
): Promise<void> {
  const { partnerId, quotas } = scope;
  const revisions = await findQuota(tx, partnerId, 'price_revisions', quotas.price_revisions);
  if (mostRevisions > revisions) {
    throw quotaReachedProblem('price_revisions', { quota: revisions, used: mostRevisions - 1, more: 1 });
  }
  if (newQuarters > 0) await checkStored(tx, scope, 'price_quarters', newQuarters);
}

/** Throws 422 `quota_reached` when a device, or a user's place, has been changed so often that it must not be once more. */
export async function checkControlRevisions(
  tx: Tx,
  { partnerId, quotas }: QuotaScope,
  used: number,
): Promise<void> {
  const quota = await findQuota(tx, partnerId, 'control_revisions', quotas.control_revisions);
  if (used >= quota) throw quotaReachedProblem('control_revisions', { quota, used, more: 1 });
}

/** `requireWithinQuota` for one that the transaction has stored. */
export async function requireStoredWithinQuota(
  tx: Tx,
  scope: QuotaScope,
  name: 'fleet_requests',
): Promise<void> {
  await lockPartner(tx, scope.partnerId);
  await checkStored(tx, scope, name, 1);
}

/** Throws 422 `quota_reached` when the `more` that the transaction has stored exceed the quota. */
export async function checkStored(
  tx: Tx,
  { partnerId, quotas }: QuotaScope,
  name: CountedQuota,
  more: number,
): Promise<void> {
  const quota = await findQuota(tx, partnerId, name, quotas[name]);
  const used = await countUse(tx, partnerId, name);
  if (used > quota) throw quotaReachedProblem(name, { quota, used: used - more, more });
}

/** A quota with what the partner has of it. */
export interface QuotaState {
  readonly name: QuotaName;
  readonly quota: number;
  /** Whether it was set for this partner. */
  readonly isOwn: boolean;
  /** Null for what is not counted in the database: open event streams, revisions of a price or of what is asked of a device. */
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
