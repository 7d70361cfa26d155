import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { DAY_MS } from '../../domain/api/durations.ts';
import type { FleetStatus } from '../../domain/fleets/fleet-states.ts';
import type { Db, Tx } from '../connection/database.ts';
import { FLEET_COLUMNS, IS_NOT_SUSPENDED, type Fleet, type FleetKey } from './fleets.ts';

/*
 * Work on a fleet is claimed with a lease and a token. Every step is a transaction that first locks the fleet and
 * checks that the token is still there: an operation that changed the state (or another worker that took over
 * after the lease ran out) has replaced it, and the late one writes nothing.
 */

/** A fleet whose work is the caller's until the lease ends. */
export interface ClaimedFleet extends Fleet {
  readonly work_token: string;
}

/**
 * A fleet with work that nobody does, of a partner that is neither suspended nor among `except`; a queued one is provisioning
 * from now on. Partners take turns: first those with the fewest fleets in work, of these one that is not among `served` (the latest
 * last), then the one served longest ago; of a partner the oldest fleet.
 */
export async function claimFleet(
  db: Db,
  now: Date,
  leaseUntil: Date,
  served: readonly string[] = [],
  except: readonly string[] = [],
): Promise<ClaimedFleet | undefined> {
  const { rows: candidates } = await sql<Pick<Fleet, 'simulation_org_id'>>`
    with in_work as (
      select org_id, count(*) as fleets from fleets
      where status in ('queued', 'provisioning', 'expanding', 'purging') and work_lease_until > ${now}
      group by org_id
    )
    select fleets.simulation_org_id from fleets left join in_work on in_work.org_id = fleets.org_id
    where ${hasFreeWork(now)} and fleets.org_id <> all(${[...except]}::uuid[])
    order by coalesce(in_work.fleets, 0), array_position(${[...served]}::uuid[], fleets.org_id) nulls first,
      fleets.created_at
    limit ${sql.lit(MOST_CANDIDATES)}
  `.execute(db);
  for (const { simulation_org_id: orgId } of candidates) {
    const { rows } = await sql<ClaimedFleet>`
      update fleets
      set work_token = ${randomUUID()}, work_lease_until = ${leaseUntil},
        status = case when status = 'queued' then 'provisioning' else status end
      where simulation_org_id = ${orgId} and id = (
        select fleets.id from fleets where fleets.simulation_org_id = ${orgId} and ${hasFreeWork(now)} for update skip locked)
      returning ${sql.join(FLEET_COLUMNS.map((column) => sql.ref(column)))}, work_token
    `.execute(db);
    if (rows[0] !== undefined) return rows[0];
  }
  return undefined;
}

/** The next ones in turn: other workers may take the first of them at the same time. */
const MOST_CANDIDATES = 32;

const hasFreeWork = (
  now: Date,
) => sql<boolean>`fleets.status in ('queued', 'provisioning', 'expanding', 'purging')
  and (fleets.work_lease_until is null or fleets.work_lease_until <= ${now}) and ${IS_NOT_SUSPENDED}`;

/** The claimed fleet, locked; undefined when the claim is lost or the partner has been suspended. */
export function lockClaimedFleet(tx: Tx, claim: ClaimedFleet): Promise<Fleet | undefined> {
  return tx
    .selectFrom('fleets')
    .select(FLEET_COLUMNS)
    .where('simulation_org_id', '=', claim.simulation_org_id)
    .where('org_id', '=', claim.org_id)
    .where('id', '=', claim.id)
    .where('work_token', '=', claim.work_token)
    .where(IS_NOT_SUSPENDED)
    .forUpdate()
    .executeTakeFirst();
}

/** Extends the lease of a claim; false when the claim is lost. */
export async function renewFleetClaim(db: Db, claim: ClaimedFleet, leaseUntil: Date): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('fleets')
    .set({ work_lease_until: leaseUntil })
    .where('simulation_org_id', '=', claim.simulation_org_id)
    .where('org_id', '=', claim.org_id)
    .where('id', '=', claim.id)
    .where('work_token', '=', claim.work_token)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Records progress and extends the lease of the claim. */
export async function extendFleetClaimWithProgress(
  tx: Tx,
  claim: ClaimedFleet,
  change: { readonly leaseUntil: Date; readonly createdCount?: number },
): Promise<void> {
  await tx
    .updateTable('fleets')
    .set({
      work_lease_until: change.leaseUntil,
      ...(change.createdCount === undefined ? {} : { created_count: change.createdCount }),
    })
    .where('simulation_org_id', '=', claim.simulation_org_id)
    .where('org_id', '=', claim.org_id)
    .where('id', '=', claim.id)
    .where('work_token', '=', claim.work_token)
    .execute();
}

export interface FleetWorkResult {
  readonly status: FleetStatus;
  /** Set once; a fleet that ran before keeps its first instant. */
  readonly startedAt?: Date;
  readonly stoppedAt?: Date;
  readonly error?: string;
  readonly householdCount?: number;
  readonly createdCount?: number;
  readonly definition?: unknown;
}

/**
 * The work is done: a new status, and the claim let go. Households that are new have no checkpoint yet: those of the
 * fleet start again from the start of its history, and a worker that was advancing them has lost its claim.
 */
export async function finishFleetWork(tx: Tx, claim: ClaimedFleet, end: FleetWorkResult): Promise<void> {
  await tx
    .updateTable('fleets')
    .set({
      status: end.status,
      work_token: null,
      work_lease_until: null,
      checkpoint_day: Math.floor(claim.history_from.getTime() / DAY_MS),
      checkpoint_token: null,
      checkpoint_lease_until: null,
      ...(end.startedAt === undefined
        ? {}
        : { started_at: sql<Date>`coalesce(started_at, ${end.startedAt})` }),
      ...(end.stoppedAt === undefined ? {} : { stopped_at: end.stoppedAt }),
      ...(end.error === undefined ? {} : { error: end.error }),
      ...(end.householdCount === undefined ? {} : { household_count: end.householdCount }),
      ...(end.createdCount === undefined ? {} : { created_count: end.createdCount }),
      ...(end.definition === undefined ? {} : { definition: JSON.stringify(end.definition) }),
    })
    .where('simulation_org_id', '=', claim.simulation_org_id)
    .where('org_id', '=', claim.org_id)
    .where('id', '=', claim.id)
    .where('work_token', '=', claim.work_token)
    .execute();
}

/** Gives a claim back, so that another worker need not wait for its end. */
export async function releaseFleetClaim(db: Db, claim: ClaimedFleet): Promise<void> {
  await db
    .updateTable('fleets')
    .set({ work_token: null, work_lease_until: null })
    .where('simulation_org_id', '=', claim.simulation_org_id)
    .where('org_id', '=', claim.org_id)
    .where('id', '=', claim.id)
    .where('work_token', '=', claim.work_token)
    .execute();
}

/** Ends every claim of a partner's fleets, so that workers take them up anew; who holds one writes nothing more. */
export async function endFleetClaimsOf(tx: Tx, orgId: string): Promise<void> {
  await tx
    .updateTable('fleets')
    .set({ work_token: null, work_lease_until: null, checkpoint_token: null, checkpoint_lease_until: null })
    .where('org_id', '=', orgId)
    .where((eb) => eb.or([eb('work_token', 'is not', null), eb('checkpoint_token', 'is not', null)]))
    .execute();
}

/** Gives a claim back: no worker takes the work up before `until`. */
export async function postponeFleetClaim(db: Db, claim: ClaimedFleet, until: Date): Promise<void> {
  await db
    .updateTable('fleets')
    .set({ work_token: null, work_lease_until: until })
    .where('simulation_org_id', '=', claim.simulation_org_id)
    .where('org_id', '=', claim.org_id)
    .where('id', '=', claim.id)
    .where('work_token', '=', claim.work_token)
    .execute();
}

/**
 * The weights of the fleet's density as they were sent, a byte for each cell or these compressed: 255 kB at most. Null without
 * a density.
 */
export async function findDensityWeights(db: Db, fleet: FleetKey): Promise<Uint8Array | null> {
  const row = await db
    .selectFrom('fleets')
    .select('density_weights')
    .where('simulation_org_id', '=', fleet.simulation_org_id)
    .where('org_id', '=', fleet.org_id)
    .where('id', '=', fleet.id)
    .executeTakeFirst();
  return row?.density_weights ?? null;
}
