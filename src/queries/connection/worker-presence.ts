import { randomInt } from 'node:crypto';
import type pg from 'pg';
import { openReconnectingSession } from './session.ts';

/** The first number of the advisory locks by which workers show that they live; the second one is the worker's id. */
const PRESENCE_LOCK_CLASS = 0x70_72_65_73;

/** PostgreSQL notices the death of a machine within 6 s; that of a process it notices at once. */
const KEEPALIVE_SETTINGS = `
  set tcp_keepalives_idle = 2; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 2
`;

/** What broke one worker's connection may have broken those of others, which have come back by then: twice their longest wait, and a connection. */
const RETURN_MS = 3_500;

/** Shows to all workers on the database that this one lives. */
export interface WorkerPresence {
  /** The worker's id in `in_flight_slots`; random, from 1 to 2^31 - 2. */
  readonly workerId: number;
  /** False while the connection is broken: what the worker claims then would look abandoned. */
  readonly isConnected: () => boolean;
  /**
   * Ids of workers that hold leases and are gone. A worker is only listed when two calls in a row have missed it, so that
   * one whose connection broke alone has time to reconnect. Nobody is listed in the first 3.5 s of a new connection of this
   * worker's own: at a failover of the database all connections break, and those that are back first must not send again what the others have
   * in flight.
   */
  readonly listAbsentWorkers: () => Promise<readonly number[]>;
  /** Ends the presence: the worker's leases can be released by others. */
  stop(): Promise<void>;
}

/**
 * Holds a session-level advisory lock, which PostgreSQL releases when the process ends, however it ends. It is a shared
 * lock, because after a broken connection the old session may live on beside the new one for a while. Rejects when the
 * first connection cannot be made; `onError` hears of later ones.
 */
export async function startWorkerPresence(
  config: pg.ClientConfig,
  onError: (error: unknown) => void,
  monotonicMs = (): number => performance.now(),
): Promise<WorkerPresence> {
  const workerId = randomInt(1, 2 ** 31 - 1);
  let suspects: ReadonlySet<number> = new Set();
  let connections = 0;
  let othersAreBackAtMs = -Infinity;
  const session = await openReconnectingSession(
    config,
    async (client) => {
      suspects = new Set();
      if (connections > 0) othersAreBackAtMs = monotonicMs() + RETURN_MS;
      connections += 1;
      await client.query(KEEPALIVE_SETTINGS);
      await client.query('select pg_advisory_lock_shared($1, $2)', [PRESENCE_LOCK_CLASS, workerId]);
    },
    onError,
  );
  return {
    workerId,
    isConnected: () => session.client() !== undefined,
    listAbsentWorkers: async () => {
      if (monotonicMs() < othersAreBackAtMs) return [];
      const missing = await listWorkersWithoutLock(session.client());
      const absent = missing.filter((each) => suspects.has(each));
      suspects = new Set(missing);
      return absent;
    },
    stop: () => session.end(),
  };
}

async function listWorkersWithoutLock(client: pg.Client | undefined): Promise<number[]> {
  if (client === undefined) return [];
  const { rows } = await client.query<{ worker_id: number }>(
    `select distinct worker_id from in_flight_slots
     where worker_id > 0
       and worker_id not in (
         select objid::bigint::integer from pg_locks
         where locktype = 'advisory' and classid = $1::integer::oid and objsubid = 2
           and database = (select oid from pg_database where datname = current_database()))`,
    [PRESENCE_LOCK_CLASS],
  );
  return rows.map(({ worker_id }) => worker_id);
}
