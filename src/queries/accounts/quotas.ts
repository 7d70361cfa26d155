import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import { QUOTA_NAMES } from '../../domain/api/quotas.ts';
import type { QuotaName, Quotas } from '../../domain/api/quotas.ts';
import type { Db, Tx } from '../connection/database.ts';
import { lockOrganization } from './organization-locks.ts';
import { listOrganizationsOf } from './organizations.ts';

/** What is counted in the database. Open event streams are counted in each process, revisions for each quarter hour or device. */
export type CountedQuota = Exclude<QuotaName, 'event_streams' | 'price_revisions' | 'control_revisions'>;

/** Whatever adds to what is counted row by row holds this lock from its count to its commit. */
export function lockPartner(tx: Tx, partnerId: string): Promise<void> {
  return lockOrganization(tx, partnerId);
}

/** The quota that holds for a partner: its own, or else `fallback`. */
export async function findQuota(
  db: Db | Tx,
  partnerId: string,
  name: QuotaName,
  fallback: number,
): Promise<number> {
  const row = await db
    .selectFrom('partner_quotas')
    .select('quota')
    .where('org_id', '=', partnerId)
    .where('name', '=', name)
    .executeTakeFirst();
  return row?.quota ?? fallback;
}

/** The quotas that were set for a partner. */
export async function listPartnerQuotas(db: Db | Tx, partnerId: string): Promise<Partial<Quotas>> {
  const rows = await db
    .selectFrom('partner_quotas')
    .select(['name', 'quota'])
    .where('org_id', '=', partnerId)
    .execute();
  return Object.fromEntries(rows.map(({ name, quota }) => [name, quota]));
}

/** Sets a quota of a partner; `undefined` removes it, and the installation's holds again. */
export async function setPartnerQuota(
  tx: Tx,
  partnerId: string,
  name: QuotaName,
  quota: number | undefined,
): Promise<void> {
  if (quota === undefined) {
    await tx.deleteFrom('partner_quotas').where('org_id', '=', partnerId).where('name', '=', name).execute();
    return;
  }
  await tx
    .insertInto('partner_quotas')
    .values({ org_id: partnerId, name, quota })
    .onConflict((conflict) => conflict.columns(['org_id', 'name']).doUpdateSet({ quota }))
    .execute();
}

/** How much a partner has of something. Exact until the commit only under `lockPartner`, users and deliveries apart. */
export async function countUse(db: Db | Tx, partnerId: string, name: CountedQuota): Promise<number> {
  const partner = { partnerId, orgIds: OF_ALL.has(name) ? await listOrganizationsOf(db, partnerId) : [] };
  const { rows } = await sql<{ used: number }>`select (${USE[name](partner)}) as used`.execute(db);
  return rows[0]?.used ?? 0;
}

/** How much a partner has of everything that is counted in the database. */
export async function countAllUse(db: Db, partnerId: string): Promise<Record<CountedQuota, number>> {
  const partner = { partnerId, orgIds: await listOrganizationsOf(db, partnerId) };
  const counted = QUOTA_NAMES.filter((name): name is CountedQuota => name in USE);
  const columns = counted.map((name) => sql`(${USE[name](partner)}) as ${sql.ref(name)}`);
  const { rows } = await sql<Record<CountedQuota, number>>`select ${sql.join(columns)}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('A select without a table has no row.');
  return row;
}

interface CountedPartner {
  readonly partnerId: string;
  /** Its own and those of its fleets. */
  readonly orgIds: readonly string[];
}

type CountOf = (partner: CountedPartner) => RawBuilder<number>;

/** What is counted in all organizations of a partner. */
const OF_ALL: ReadonlySet<CountedQuota> = new Set(['webhooks', 'applications', 'price_quarters']);

const USE: Readonly<Record<CountedQuota, CountOf>> = {
  fleets: ({ partnerId }) => sql`select count(*) from fleets where org_id = ${partnerId}`,
  // What an expansion under way has reserved is in household_count.
  households: ({ partnerId }) =>
    sql`select coalesce(sum(household_count), 0)::bigint from fleets where org_id = ${partnerId}`,
  webhooks: ({ orgIds }) =>
    sql`select count(*) from webhooks where deleted_at is null and org_id = any(${orgIds}::uuid[])`,
  applications: ({ orgIds }) => sql`select count(*) from applications where org_id = any(${orgIds}::uuid[])`,
  users: ({ partnerId }) =>
    sql`select coalesce(sum(users), 0)::bigint from user_counts where org_id = ${partnerId}`,
  price_quarters: ({ orgIds }) =>
    sql`select coalesce(sum(quarters), 0)::bigint from price_counts where org_id = any(${orgIds}::uuid[])`,
  pending_deliveries: ({ partnerId }) =>
    sql`select greatest(coalesce(sum(deliveries), 0), 0)::bigint from pending_delivery_counts where org_id = ${partnerId}`,
  idempotency_keys: ({ partnerId }) => sql`select count(*) from idempotency_keys where org_id = ${partnerId}`,
  fleet_requests: ({ partnerId }) => sql`select count(*) from fleet_requests where org_id = ${partnerId}`,
};
