import { sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';
import { prepare } from '../connection/prepared.ts';

/** An arbitrary key that no other advisory lock of the program uses. */
const BOOTSTRAP_LOCK_KEY = 7_201_911_483;

/** A partner's organization, or the simulation organization that one of its fleets has reserved. */
export interface Organization {
  readonly id: string;
  readonly name: string;
  readonly kind: 'partner' | 'simulation';
  /** The partner organization; null for a partner's own. */
  readonly parentOrgId: string | null;
  readonly createdAt: Date;
}

/** Breaks organizations_pkey when the id is taken. */
export async function insertOrganization(db: Db, organization: Organization): Promise<void> {
  await db
    .insertInto('organizations')
    .values({
      id: organization.id,
      name: organization.name,
      kind: organization.kind,
      parent_org_id: organization.parentOrgId,
      created_at: organization.createdAt,
    })
    .execute();
}

/** The organization; undefined when there is none. */
export async function findOrganization(db: Db, id: string): Promise<Organization | undefined> {
  const row = await db
    .selectFrom('organizations')
    .select(['id', 'name', 'kind', 'parent_org_id', 'created_at'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    parentOrgId: row.parent_org_id,
    createdAt: row.created_at,
  };
}

/** A partner's own organization, as the operator sees it. */
export interface Partner {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
  /** Since when it is stopped. */
  readonly suspendedAt: Date | null;
}

/** Partners' own organizations, newest first, at most `limit`, from behind `after`. */
export async function listPartners(
  db: Db,
  limit: number,
  after?: Pick<Partner, 'id' | 'createdAt'>,
): Promise<Partner[]> {
  let query = db
    .selectFrom('organizations')
    .select(['id', 'name', 'created_at as createdAt', 'suspended_at as suspendedAt'])
    .where('kind', '=', 'partner');
  if (after !== undefined)
    query = query.where((eb) =>
      eb(eb.refTuple('created_at', 'id'), '<', eb.tuple(after.createdAt, after.id)),
    );
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute();
}

/** The organization and those that its fleets have reserved. */
export async function listOrganizationsOf(db: Db | Tx, orgId: string): Promise<string[]> {
  const rows = await selectOrganizationsOf(db, { orgId });
  return rows.map(({ id }) => id);
}

const selectOrganizationsOf = prepare((db, { orgId }: { readonly orgId: string }) =>
  db
    .selectFrom('organizations')
    .select('id')
    .where((eb) => eb.or([eb('id', '=', orgId), eb('parent_org_id', '=', orgId)])),
);

/** The root organization of another one, or that itself. */
interface PartnerState {
  readonly partnerId: string;
  /** The operator has suspended the partner. */
  readonly isSuspended: boolean;
}

/** The partner that an organization belongs to; undefined when there is no such organization. */
export async function findPartnerState(db: Db, orgId: string): Promise<PartnerState | undefined> {
  const row = await db
    .selectFrom('organizations as organization')
    .leftJoin('organizations as parent', 'parent.id', 'organization.parent_org_id')
    .select([
      'organization.id',
      'organization.parent_org_id',
      sql<boolean>`coalesce(parent.suspended_at, organization.suspended_at) is not null`.as('is_suspended'),
    ])
    .where('organization.id', '=', orgId)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return { partnerId: row.parent_org_id ?? row.id, isSuspended: row.is_suspended };
}

/**
 * How long the operator waits for transactions of the partner, in milliseconds: an upload of prices holds the row for some seconds, and one
 * may follow the other.
 */
const SUSPENSION_LOCK_MS = 30_000;

/**
 * Suspends a partner at an instant, or resumes it (null); a suspended partner keeps the instant it has. False when there is no
 * partner's organization with this id.
 */
export async function updateSuspension(tx: Tx, id: string, suspendedAt: Date | null): Promise<boolean> {
  await sql`select set_config('lock_timeout', ${String(SUSPENSION_LOCK_MS)}, true)`.execute(tx);
  const row = await tx
    .updateTable('organizations')
    .set((eb) => ({
      suspended_at: suspendedAt === null ? null : eb.fn.coalesce('suspended_at', eb.val(suspendedAt)),
    }))
    .where('id', '=', id)
    .where('kind', '=', 'partner')
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** False on a database that has not been bootstrapped yet. */
export async function hasOrganizations(db: Db): Promise<boolean> {
  const row = await db.selectFrom('organizations').select('id').limit(1).executeTakeFirst();
  return row !== undefined;
}

/** Until the transaction ends, no other process creates the first organization. */
export async function lockBootstrap(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(${BOOTSTRAP_LOCK_KEY})`.execute(tx);
}

/**
 * Whether a token of `actorOrgId` reaches `/org/{pathOrgId}`: its own organization, or a simulation organization
 * reserved by one of its fleets and not being purged with it, nor freed from the users of a cleaned one. An organization that does not exist is as unreachable as
 * a stranger's. Both are UUIDs; the path's may be in upper case.
 */
export async function isOrganizationReachable(
  db: Db,
  actorOrgId: string,
  pathOrgId: string,
): Promise<boolean> {
  if (actorOrgId === pathOrgId.toLowerCase()) return true;
  const rows = await selectReachable(db, { actorOrgId, pathOrgId });
  return rows.length > 0;
}

const selectReachable = prepare(
  (db, { actorOrgId, pathOrgId }: { readonly actorOrgId: string; readonly pathOrgId: string }) =>
    db
      .selectFrom('organizations')
      .select('id')
      .where('id', '=', pathOrgId)
      .where('parent_org_id', '=', actorOrgId)
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom('fleets')
              .select('fleets.id')
              .where('fleets.simulation_org_id', '=', pathOrgId)
              .where((fleet) =>
                fleet.or([
                  fleet('fleets.status', '=', 'purging'),
                  fleet('fleets.has_users_to_remove', '=', true),
                ]),
              ),
          ),
        ),
      ),
);
