import { sql } from 'kysely';
import type { Db } from '../../src/queries/connection/database.ts';
import { DEFAULT_HEAT_PUMP_PREFERENCES } from '../../src/simulation/control/preferences.ts';

/** As many revisions as a device may have. */
export const MOST_REVISIONS = 1_000;

/** Stores the most that may be asked of a heat pump: another temperature from each of the last quarter hours up to `now` on. */
export async function askOften(
  db: Db,
  { orgId, deviceId }: { readonly orgId: string; readonly deviceId: string },
  now: Date,
): Promise<void> {
  await sql`
    with device as (
      select org_id, id, user_id, household_index from devices where org_id = ${orgId} and id = ${deviceId}
    ), revisions as (
      select n, date_bin('15 minutes', ${now}::timestamptz, '1970-01-01Z') - (${MOST_REVISIONS}::int - n) * interval '15 minutes' as quarter
      from generate_series(1, ${MOST_REVISIONS}::int) n
    ), inserted as (
      insert into control_revisions (org_id, device_id, user_id, revision, received_at, effective_from, change, preferences,
        actor_org_id, actor_user_id, actor_role, request_id)
      select org_id, id, user_id, n, quarter - interval '1 minute', quarter, 'preferences',
        ${JSON.stringify(DEFAULT_HEAT_PUMP_PREFERENCES)}::jsonb || jsonb_build_object('comfort_temperature_c', 20 + n % 8 / 4.0),
        org_id, user_id, 'admin', n
      from device, revisions
    )
    update households h set control_version = h.control_version + ${MOST_REVISIONS}::int
    from device where h.org_id = device.org_id and h.household_index = device.household_index
  `.execute(db);
}
