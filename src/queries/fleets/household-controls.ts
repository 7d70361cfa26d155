import { sql } from 'kysely';
import type { DeviceType } from '../../domain/fleets/devices.ts';
import type { Db } from '../connection/database.ts';
import { prepare } from '../connection/prepared.ts';

/** What was asked of a device from a quarter hour on, of all that would begin with it the last. */
export interface EffectiveRevision {
  readonly user_id: string;
  readonly device_type: DeviceType;
  /** Quarter hour since 1970. */
  readonly from: number;
  /** As JSON: of the same preferences the same text. */
  readonly preferences: string;
  /** The first quarter hour behind the boost. */
  readonly boost_end: number | null;
}

/** Where a user lives from a quarter hour on; null for where it was drawn. */
export interface EffectivePlace {
  readonly user_id: string;
  /** Quarter hour since 1970. */
  readonly from: number;
  readonly latitude: number | null;
  readonly longitude: number | null;
}

interface UsersKey {
  readonly orgId: string;
  readonly userIds: readonly string[];
}

/** The instants lie on quarter hours. Numbers and text are read several times as quickly as instants and JSON. */
const quarterOf = (column: string) => sql`(extract(epoch from ${sql.ref(column)}) / 900)::integer`;

/** What was asked of all devices of some users, by device and time. */
export function listEffectiveRevisions(
  db: Db,
  orgId: string,
  userIds: readonly string[],
): Promise<EffectiveRevision[]> {
  return selectRevisions(db, { orgId, userIds });
}

const selectRevisions = prepare(
  (_db, { orgId, userIds }: UsersKey) => sql<EffectiveRevision>`
    select r.user_id, d.device_type, ${quarterOf('r.effective_from')} as "from", r.preferences::text as preferences,
      ${quarterOf('r.boost_ends_at')} as boost_end
    from (
      select distinct on (device_id, effective_from) org_id, device_id, user_id, effective_from, preferences, boost_ends_at
      from control_revisions
      where org_id = ${orgId} and user_id = any(${userIds}::uuid[])
      order by device_id, effective_from, received_at desc
    ) r
    join devices d on d.org_id = ${orgId} and d.id = r.device_id
    order by r.device_id, r.effective_from
  `,
);

/** Where some users have lived, by user and time. */
export function listEffectivePlaces(
  db: Db,
  orgId: string,
  userIds: readonly string[],
): Promise<EffectivePlace[]> {
  return selectPlaces(db, { orgId, userIds });
}

const selectPlaces = prepare(
  (_db, { orgId, userIds }: UsersKey) => sql<EffectivePlace>`
    select user_id, ${quarterOf('effective_from')} as "from", latitude, longitude from user_places
    where org_id = ${orgId} and user_id = any(${userIds}::uuid[])
    order by user_id, effective_from
  `,
);
