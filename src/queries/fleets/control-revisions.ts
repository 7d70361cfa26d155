import { sql } from 'kysely';
import type { Role } from '../../domain/users/roles.ts';
import { MAX_PAGE_LIMIT } from '../../domain/api/page-links.ts';
import type { Db, Tx } from '../connection/database.ts';
import { prepare, prepareShapes } from '../connection/prepared.ts';

/** What was asked of a device at one time, with all that is asked from then on. */
export interface ControlRevision {
  readonly revision: number;
  readonly received_at: Date;
  readonly effective_from: Date;
  readonly change: 'preferences' | 'boost' | 'boost_end';
  readonly preferences: unknown;
  readonly boost_ends_at: Date | null;
  readonly actor_org_id: string;
  readonly actor_user_id: string;
  readonly actor_role: Role;
  readonly request_id: string;
}

export interface DeviceKey {
  readonly orgId: string;
  readonly deviceId: string;
}

const COLUMNS =
  sql.raw(`revision, received_at, effective_from, change, preferences, boost_ends_at, actor_org_id,
  actor_user_id, actor_role, request_id`);

/** Lets one transaction at a time ask something of a device; false when there is none. */
export async function lockDevice(tx: Tx, { orgId, deviceId }: DeviceKey): Promise<boolean> {
  const row = await tx
    .selectFrom('devices')
    .select('id')
    .where('org_id', '=', orgId)
    .where('id', '=', deviceId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row !== undefined;
}

/** What was asked of a device last; undefined where nothing was. Stays the last until the commit only under `lockDevice`. */
export async function findLatestControlRevision(
  db: Db | Tx,
  key: DeviceKey,
): Promise<ControlRevision | undefined> {
  const [row] = await selectLatest(db, key);
  return row;
}

const selectLatest = prepare(
  (_db, { orgId, deviceId }: DeviceKey) => sql<ControlRevision>`
    select ${COLUMNS} from control_revisions
    where org_id = ${orgId} and device_id = ${deviceId}
    order by received_at desc limit 1
  `,
);

/** A page, and the row that tells whether there is another one. */
const MOST_ROWS = MAX_PAGE_LIMIT + 1;

/** At most `limit` (101 at most) of a device's revisions that came in before `before`, newest first. */
export function listControlRevisions(
  db: Db,
  key: DeviceKey,
  { before, limit }: { readonly before: Date | undefined; readonly limit: number },
): Promise<ControlRevision[]> {
  return selectPage({ isFirst: before === undefined })(db, { ...key, before, limit });
}

const selectPage = prepareShapes(
  (
    _db,
    { isFirst }: { readonly isFirst: boolean },
    {
      orgId,
      deviceId,
      before,
      limit,
    }: DeviceKey & { readonly before: Date | undefined; readonly limit: number },
  ) => sql<ControlRevision>`
    select ${COLUMNS} from (
      select ${COLUMNS} from control_revisions
      where org_id = ${orgId} and device_id = ${deviceId} and ${isFirst ? sql`true` : sql`received_at < ${before}::timestamptz`}
      order by received_at desc
      limit ${sql.lit(MOST_ROWS)}
    ) page
    order by received_at desc
    limit ${limit}
  `,
);

/** Adds what was asked of a device; its household is another one from then on. The device must be locked. */
export async function insertControlRevision(
  tx: Tx,
  { orgId, deviceId }: DeviceKey,
  row: ControlRevision,
): Promise<void> {
  await sql`
    with device as (
      select org_id, id, user_id, household_index from devices where org_id = ${orgId} and id = ${deviceId}
    ), inserted as (
      insert into control_revisions (org_id, device_id, user_id, ${COLUMNS})
      select org_id, id, user_id, ${row.revision}, ${row.received_at}, ${row.effective_from}, ${row.change},
        ${JSON.stringify(row.preferences)}, ${row.boost_ends_at}, ${row.actor_org_id}, ${row.actor_user_id},
        ${row.actor_role}, ${row.request_id}
      from device
    )
    update households h set control_version = h.control_version + 1
    from device where h.org_id = ${orgId} and h.household_index = device.household_index
  `.execute(tx);
}
