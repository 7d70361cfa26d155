import { sql } from 'kysely';
import { isActiveUser } from '../accounts/active-users.ts';
import type { StoredCheckpoint } from './checkpoints.ts';
import type { Db } from '../connection/database.ts';
import { prepare } from '../connection/prepared.ts';

/** Households of a simulation organization whose users are not deleted. */
export interface HouseholdFilter {
  readonly orgId: string;
  /** Those of one group; a name that no group has matches nothing. */
  readonly group: string | undefined;
}

export interface CountedHouseholds {
  readonly count: number;
  /** Behind the index of the last one; 0 when there is none. */
  readonly endIndex: number;
}

const matches = ({ orgId, group }: HouseholdFilter) =>
  sql`households.org_id = ${orgId} and ${group === undefined ? sql`true` : sql`households.group_name = ${group}`}
    and ${isActiveUser(orgId, 'households.user_id')}`;

/** How many match. */
export async function countHouseholds(db: Db, filter: HouseholdFilter): Promise<CountedHouseholds> {
  const { rows } = await sql<CountedHouseholds>`
    select count(*) as count, coalesce(max(household_index) + 1, 0) as "endIndex"
    from households where ${matches(filter)}`.execute(db);
  return rows[0] ?? { count: 0, endIndex: 0 };
}

/** The IANA time zone of an organization's first household; undefined when it has none. */
export async function findTimeZone(db: Db, orgId: string): Promise<string | undefined> {
  const [row] = await selectTimeZone(db, { orgId });
  return row?.zone;
}

const selectTimeZone = prepare(
  (_db, { orgId }: { readonly orgId: string }) => sql<{ zone: string }>`
    select attributes ->> 'time_zone' as zone from households where org_id = ${orgId}
    order by household_index limit 1`,
);

/** Some households, with what is stored of them as the JSON texts of lists, which nobody has to read on the way. */
export interface HouseholdPage {
  readonly households: readonly PagedHousehold[];
  /** What was drawn for each. */
  readonly attributes: string;
  /** The latest checkpoint of each, or null. */
  readonly checkpoints: string;
  /** Whether none comes behind them. */
  readonly isLast: boolean;
}

/** A household and what was asked of it so far, by its version. */
export interface PagedHousehold {
  /** The simulation organization. */
  readonly org_id: string;
  readonly user_id: string;
  readonly household_index: number;
  readonly control_version: number;
  readonly household_created_at: Date;
  /** Where it was drawn. */
  readonly attributes: { readonly latitude: number; readonly longitude: number };
}

/** Which households a page has. */
interface PageBounds {
  /** The index of the first that may be one. */
  readonly from: number;
  /** Behind that of the last. */
  readonly end: number;
  readonly limit: number;
  /** What was asked of all of them together, by their versions: a page ends before the household that has more, unless it is the first. */
  readonly changes: number;
}

/** One by one by their key: joined, those of a whole fleet of 10,000 are read for each page. */
const checkpointText = (orgId: string) => sql`(
  select to_jsonb(household_checkpoints)::text from household_checkpoints
  where household_checkpoints.org_id = ${orgId} and household_checkpoints.household_index = counted.household_index)`;

interface PagedTexts {
  /** What was drawn for the household. */
  readonly text: string;
  readonly checkpoint: string;
  /** How many were found before what was asked of them was counted. */
  readonly found: number;
}

/** The next households by index. */
export async function readHouseholdPage(
  db: Db,
  filter: HouseholdFilter,
  { from, end, limit, changes }: PageBounds,
): Promise<HouseholdPage> {
  const { rows } = await sql<PagedHousehold & PagedTexts>`
    with page as (
      select org_id, user_id, household_index, control_version, created_at, attributes
      from households
      where ${matches(filter)} and household_index >= ${from} and household_index < ${end}
      order by household_index
      limit ${sql.lit(limit)}
    ), counted as (
      select *, count(*) over () as found, row_number() over in_order as place, sum(control_version) over in_order as changes
      from page window in_order as (order by household_index)
    )
    select org_id, user_id, household_index, control_version, created_at as household_created_at,
      json_build_object('latitude', attributes->'latitude', 'longitude', attributes->'longitude') as attributes,
      attributes::text as text, coalesce(${checkpointText(filter.orgId)}, 'null') as checkpoint, found
    from counted where place = 1 or changes <= ${sql.lit(changes)}
    order by household_index`.execute(db);
  const found = rows[0]?.found ?? 0;
  return {
    households: rows.map(
      ({ org_id, user_id, household_index, control_version, household_created_at, attributes }) => ({
        org_id,
        user_id,
        household_index,
        control_version,
        household_created_at,
        attributes,
      }),
    ),
    attributes: `[${rows.map(({ text }) => text).join(',')}]`,
    checkpoints: `[${rows.map(({ checkpoint }) => checkpoint).join(',')}]`,
    isLast: rows.length === found && found < limit,
  };
}

/** The simulated household of a user who is not deleted. */
export interface HouseholdOfUser {
  readonly user_id: string;
  readonly control_version: number;
  readonly household_created_at: Date;
  /** What was drawn for the household, as it is stored. */
  readonly attributes: unknown;
  /** The latest that is stored of the household. */
  readonly checkpoint: StoredCheckpoint | null;
  /** When its fleet ended. */
  readonly stopped_at: Date | null;
}

/** Undefined for a user whom no fleet simulates. */
export async function findHouseholdOfUser(
  db: Db,
  orgId: string,
  userId: string,
): Promise<HouseholdOfUser | undefined> {
  const [household] = await selectOfUser(db, { orgId, userId });
  return household;
}

const selectOfUser = prepare((db, { orgId, userId }: { readonly orgId: string; readonly userId: string }) =>
  db
    .selectFrom('users')
    .innerJoin('households', (join) =>
      join
        .onRef('households.org_id', '=', 'users.org_id')
        .onRef('households.household_index', '=', 'users.household_index'),
    )
    .leftJoin('household_checkpoints', (join) =>
      join
        .onRef('household_checkpoints.org_id', '=', 'households.org_id')
        .onRef('household_checkpoints.household_index', '=', 'households.household_index'),
    )
    .innerJoin('fleets', (join) =>
      join
        .onRef('fleets.simulation_org_id', '=', 'households.org_id')
        .onRef('fleets.id', '=', 'households.fleet_id'),
    )
    .select([
      'households.user_id',
      'households.control_version',
      'households.created_at as household_created_at',
      'households.attributes',
      sql<StoredCheckpoint | null>`to_jsonb(household_checkpoints)`.as('checkpoint'),
      'fleets.stopped_at',
    ])
    .where('users.org_id', '=', orgId)
    .where('users.id', '=', userId)
    .whereRef('households.user_id', '=', 'users.id')
    .where('users.deleted_at', 'is', null),
);
