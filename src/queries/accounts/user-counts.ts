import { sql } from 'kysely';
import { unnestRows } from '../connection/rows.ts';
import type { Tx } from '../connection/database.ts';

/*
 * The number of a partner's users (not deleted, no simulated households) is kept in the shards of user_counts. Whoever changes
 * a count takes its shard before any row of users, so that no two transactions wait for each other. The migration that made the
 * table tells how shards are granted their parts of the quota.
 */

/** As many as may be created at once by a process's connections without often meeting in one shard. */
const SHARDS = 64;

/** A part is not made smaller, while there is more than one: it has room for a few batches before all is divided anew. */
const SMALLEST_PART = 500;

/** Where users are counted off whom a purge removes: no creation waits for it. */
export const REMOVAL_SHARD = -1;

/** The shard that counts a user. The id is a UUID; the last digits of ours are random. */
export function userShardOf(userId: string): number {
  return Number.parseInt(userId.slice(-2), 16) % SHARDS;
}

/** Adds to the count of a shard, or takes off, whatever it was granted: the user is there or gone in any case. */
export async function changeUserCount(
  tx: Tx,
  partnerId: string,
  shard: number,
  change: number,
): Promise<void> {
  await tx
    .insertInto('user_counts')
    .values({ org_id: partnerId, shard, users: change })
    .onConflict((conflict) =>
      conflict.columns(['org_id', 'shard']).doUpdateSet({ users: sql`user_counts.users + excluded.users` }),
    )
    .execute();
}

/**
 * Makes room in a shard, unless one has got it meanwhile: divides what is left of the quota among the shards, after the shard that
 * asks has got what it asks for; it gets the remainder too, and all when there is no more than it asks for. When little is left,
 * the shards behind the one that asks get nothing, as many as need be. Resolves to the number of users; when it is the quota or
 * more, nothing is granted. All shards stay locked until the transaction ends.
 */
export async function grantUserCounts(
  tx: Tx,
  partnerId: string,
  { shard, more }: { readonly shard: number; readonly more: number },
  quota: number,
): Promise<number> {
  const counts = await lockUserCounts(tx, partnerId);
  const used = counts.reduce((sum, { users }) => sum + users, 0);
  const left = quota - used;
  if (left <= 0) return used;
  const shards = counts.filter((count) => count.shard !== REMOVAL_SHARD);
  if (shards.some((count) => count.quota === quota && count.users + more <= count.granted)) return used;
  const sharing = Math.min(SHARDS, Math.max(1, Math.floor(left / SMALLEST_PART)));
  const part = Math.floor(Math.max(0, left - more) / sharing);
  const rest = left - part * sharing;
  const grants = shards.map((count) => {
    const distance = (count.shard - shard + SHARDS) % SHARDS;
    const share = (distance < sharing ? part : 0) + (distance === 0 ? rest : 0);
    return { shard: count.shard, granted: count.users + share };
  });
  await sql`
    update user_counts c set granted = rows.granted, quota = ${quota}
    from ${unnestRows(grants, { shard: 'smallint', granted: 'bigint' })}
    where c.org_id = ${partnerId} and c.shard = rows.shard
      and (c.granted, c.quota) is distinct from (rows.granted, ${quota}::bigint)
  `.execute(tx);
  return used;
}

interface UserCount {
  readonly shard: number;
  readonly users: number;
  readonly granted: number;
  readonly quota: number;
}

/** All shards, made where they are missing, locked in their order: so two that grant at once wait for each other in one direction. */
async function lockUserCounts(tx: Tx, partnerId: string): Promise<UserCount[]> {
  const shardsOfPartner = tx.selectFrom('user_counts').where('org_id', '=', partnerId);
  const { present } = await shardsOfPartner
    .where('shard', '>=', 0)
    .select((eb) => eb.fn.countAll<number>().as('present'))
    .executeTakeFirstOrThrow();
  if (present < SHARDS) {
    await sql`
      insert into user_counts (org_id, shard, users)
      select ${partnerId}, shard, 0 from generate_series(0, ${SHARDS - 1}) as shard
      order by shard
      on conflict on constraint user_counts_pkey do nothing
    `.execute(tx);
  }
  return shardsOfPartner
    .select(['shard', 'users', 'granted', 'quota'])
    .orderBy('shard')
    .forUpdate()
    .execute();
}
