import { sql } from 'kysely';
import type { Role } from '../../domain/users/roles.ts';
import type { Tx } from '../connection/database.ts';

/** Where a user says to live from a quarter hour on; without coordinates where it was before it ever said. */
export interface NewPlace {
  readonly effective_from: Date;
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly received_at: Date;
  readonly actor_org_id: string;
  readonly actor_user_id: string;
  readonly actor_role: Role;
  readonly request_id: string;
}

interface UserKey {
  readonly orgId: string;
  readonly id: string;
}

interface Coordinates {
  readonly latitude: number | null;
  readonly longitude: number | null;
}

/**
 * Keeps where a user with devices lives from now on, in place of what began with the same quarter hour; its household is another
 * one from then on. `before`: where it lived, which is kept too when no fleet knows that. Resolves to the number of its places,
 * 0 where it has no devices. The user must be locked.
 */
export async function upsertUserPlace(
  tx: Tx,
  { orgId, id }: UserKey,
  before: Coordinates,
  place: NewPlace,
): Promise<number> {
  await insertFirstPlace(tx, { orgId, id }, before);
  const { numAffectedRows = 0n } = await sql`
    insert into user_places as p (org_id, user_id, effective_from, latitude, longitude, received_at, actor_org_id,
      actor_user_id, actor_role, request_id)
    select u.org_id, u.id, greatest(${place.effective_from}::timestamptz, (
        select max(effective_from) from user_places where org_id = ${orgId} and user_id = ${id})),
      ${place.latitude}, ${place.longitude}, ${place.received_at}, ${place.actor_org_id}, ${place.actor_user_id},
      ${place.actor_role}, ${place.request_id}
    from users u
    where u.org_id = ${orgId} and u.id = ${id} and exists (
      select from devices d where d.org_id = u.org_id and d.user_id = u.id)
    on conflict on constraint user_places_pkey do update
    set latitude = excluded.latitude, longitude = excluded.longitude, received_at = excluded.received_at,
      actor_org_id = excluded.actor_org_id, actor_user_id = excluded.actor_user_id, actor_role = excluded.actor_role,
      request_id = excluded.request_id
  `.execute(tx);
  if (numAffectedRows === 0n) return 0;
  await sql`
    update households h set control_version = h.control_version + 1
    from users u
    where u.org_id = ${orgId} and u.id = ${id} and h.org_id = u.org_id and h.household_index = u.household_index
  `.execute(tx);
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from user_places where org_id = ${orgId} and user_id = ${id}
  `.execute(tx);
  return rows[0]?.count ?? 0;
}

/** Of a household its fleet knows where it was drawn. */
async function insertFirstPlace(
  tx: Tx,
  { orgId, id }: UserKey,
  { latitude, longitude }: Coordinates,
): Promise<void> {
  if (latitude === null || longitude === null) return;
  await sql`
    insert into user_places (org_id, user_id, effective_from, latitude, longitude, received_at)
    select u.org_id, u.id, to_timestamp(0), ${latitude}, ${longitude}, u.created_at
    from users u
    where u.org_id = ${orgId} and u.id = ${id} and u.household_index is null
      and exists (select from devices d where d.org_id = u.org_id and d.user_id = u.id)
      and not exists (select from user_places p where p.org_id = u.org_id and p.user_id = u.id)
  `.execute(tx);
}
