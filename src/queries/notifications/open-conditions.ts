import { sql } from 'kysely';
import type { DeviceType } from '../../domain/fleets/devices.ts';
import { CONDITION_CODES } from '../../domain/notifications/conditions.ts';
import type { ConditionCode } from '../../domain/notifications/conditions.ts';
import type {
  ConditionCount,
  OpenCondition,
  OpenConditions,
} from '../../domain/notifications/open-condition.ts';
import type { Db } from '../connection/database.ts';
import { prepare } from '../connection/prepared.ts';

/** The conditions that an organization's devices are in, the latest first, and how many there are of each. */
export async function listOpenConditions(db: Db, orgId: string, limit: number): Promise<OpenConditions> {
  const rows = await countByCode(db, { orgId });
  const counts = Object.fromEntries(rows.map(({ code, count }) => [code, count]));
  return { items: rows.length === 0 ? [] : await selectLatest(db, { orgId, limit }), counts };
}

/**
 * How many devices of each of these organizations are in a condition whose notice nobody has put away, and since when the first of them
 * is; one without any is left out. Costs what is open.
 */
export async function countOpenConditions(db: Db, orgIds: readonly string[]): Promise<ConditionCount[]> {
  if (orgIds.length === 0) return [];
  const { rows } = await sql<ConditionCount>`
    select org_id as "orgId", code, count(*)::integer as count, min(occurred_at) as since from notification_items
    where org_id = any(${orgIds}::uuid[]) and code = any(${[...CONDITION_CODES]}::text[])
      and dismissed_at is null and cleared_at is null
    group by org_id, code
  `.execute(db);
  return rows;
}

/** The conditions that the devices of one user are in, the latest first. */
export function listConditionsOfUser(db: Db, orgId: string, userId: string): Promise<OpenCondition[]> {
  return selectOfUser(db, { orgId, userId });
}

const selectOfUser = prepare((db, { orgId, userId }: { readonly orgId: string; readonly userId: string }) =>
  selectOpen(db, orgId).where('d.user_id', '=', userId),
);

const selectLatest = prepare((db, { orgId, limit }: { readonly orgId: string; readonly limit: number }) =>
  selectOpen(db, orgId).limit(limit),
);

function selectOpen(db: Db, orgId: string) {
  return db
    .selectFrom('device_conditions as c')
    .innerJoin('devices as d', (join) =>
      join.onRef('d.org_id', '=', 'c.org_id').onRef('d.id', '=', 'c.device_id'),
    )
    .select([
      'd.id as deviceId',
      sql<DeviceType>`d.device_type`.as('deviceType'),
      'd.name as deviceName',
      'd.user_id as userId',
      sql<ConditionCode>`c.code`.as('code'),
      'c.changed_at as since',
    ])
    .where('c.org_id', '=', orgId)
    .where('d.org_id', '=', orgId)
    .where('c.active', '=', true)
    .orderBy('c.changed_at', 'desc')
    .orderBy('d.id')
    .orderBy('c.code');
}

interface CodeCount {
  readonly code: ConditionCode;
  readonly count: number;
}

const countByCode = prepare(
  (_db, { orgId }: { readonly orgId: string }) => sql<CodeCount>`
    select code, count(*) as count from device_conditions where org_id = ${orgId} and active group by code
  `,
);
