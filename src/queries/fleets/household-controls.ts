import { sql } from 'kysely';
import type { DeviceType } from '../../domain/fleets/devices.ts';
import type { Db } from '../connection/database.ts';
import { prepare } from '../connection/prepared.ts';

/** What was asked of a device from a quarter hour on, of all that would begin with it the last. */
export interface EffectiveRevision {
  readonly user_id: string;
  readonly device_type: DeviceType;
  readonly effective_from: Date;
  readonly preferences: unknown;
  readonly boost_ends_at: Date | null;
}

/** Where a user lives from a quarter hour on; null for where it was drawn. */
export interface EffectivePlace {
  readonly user_id: string;
  readonly effective_from: Date;
  readonly latitude: number | null;
  readonly longitude: number | null;
}

interface UsersKey {
  readonly orgId: string;
  readonly userIds: readonly string[];
}

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
    select r.user_id, d.device_type, r.effective_from, r.preferences, r.boost_ends_at
    from (
      select distinct on (device_id, effective_from) org_id, device_id, user_id, effective_from, preferences, boost_ends_at
      from control_revisions
      where org_id = ${orgId} and user_id = any(${userIds}::uuid[])
      order by device_id, effective_from, received_at desc
    ) r
    join devices d on d.org_id = r.org_id and d.id = r.device_id
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
    select user_id, effective_from, latitude, longitude from user_places
    where org_id = ${orgId} and user_id = any(${userIds}::uuid[])
    order by user_id, effective_from
  `,
);
