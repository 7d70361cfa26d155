// Target 5: rows claimed in a second, of a thousand and of a million, by turns in two databases.
import { randomUUID } from 'node:crypto';
import { claimDeliveries } from '../../src/queries/deliveries/delivery-queue.ts';
import { startDatabase } from '../database.ts';
import type { BenchDatabase } from '../database.ts';
import type { Samples } from '../row.ts';
import { addBacklog, addWebhooks } from './world.ts';

const BATCHES = 40;
export const CLAIMS = 'rows claimed of 1,000,000 pending';

/** The limit is the first in every other round. */
export async function* measureClaims(): AsyncGenerator<Samples, never> {
  const databases: BenchDatabase[] = [];
  const startWith = async (pending: number): Promise<BenchDatabase> => {
    const database = await startDatabase();
    databases.push(database);
    await fill(database, pending);
    return database;
  };
  try {
    const few = await startWith(1_000);
    const many = await startWith(1_000_000);
    await claimRate(few);
    await claimRate(many);
    yield {};
    for (let round = 0; ; round += 1) {
      const before = round % 2 === 0 ? await claimRate(few) : undefined;
      const measured = await claimRate(many);
      yield { [CLAIMS]: { measured, limit: before ?? (await claimRate(few)) } };
    }
  } finally {
    for (const database of databases) await database.remove();
  }
}

async function fill(database: BenchDatabase, pending: number): Promise<void> {
  const ports = Array.from({ length: 100 }, () => 1);
  await addBacklog(database, await addWebhooks(database, ports), pending);
  // What the server would do beside the measurement: the rows were not all written just now.
  await database.pool.query('vacuum analyze messages');
  await database.pool.query('vacuum analyze deliveries');
  await database.pool.query('checkpoint');
}

async function claimRate({ db, pool }: BenchDatabase): Promise<number> {
  const limits = { first: 192, retry: 64, perWebhook: 16, perPartner: 512 };
  let claimed = 0;
  let claiming = 0;
  for (let each = 0; each < BATCHES; each += 1) {
    const lease = { workerId: 0, leaseMs: 20_000, leaseToken: randomUUID() };
    const startedAt = performance.now();
    const { deliveries: rows } = await claimDeliveries(db, limits, lease);
    claiming += performance.now() - startedAt;
    claimed += rows.length;
    // As a result would: the slots are cleared and the rows move to the end of their lane.
    await pool.query(
      `with emptied as (
         update in_flight_slots set org_id = null, partner_id = null, message_id = null, webhook_id = null,
           is_retry = null, lease_token = null, lease_until = null
         where message_id is not null
         returning old.org_id, old.message_id, old.webhook_id
       )
       update deliveries d set due_at = now() from emptied e
       where d.org_id = e.org_id and d.message_id = e.message_id and d.webhook_id = e.webhook_id`,
    );
  }
  return claimed / (claiming / 1000);
}
