import type { Db } from './database.ts';

/** A text that changes whenever a price that begins at `from` or later is stored for the organization. */
export async function findPriceState(db: Db, orgId: string, from: Date): Promise<string> {
  const row = await db
    .selectFrom('day_ahead_prices')
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.max<Date | null>('received_at').as('latest')])
    .where('org_id', '=', orgId)
    .where('starts_at', '>=', from)
    .executeTakeFirstOrThrow();
  return `${row.count} ${row.latest?.toISOString() ?? ''}`;
}
