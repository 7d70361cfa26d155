import { randomInt } from 'node:crypto';
import type pg from 'pg';
import { keepSession } from './session.ts';

/** Advisory locks of this class are worker presences; the second number is the owner. */
const presenceLocks = 0x70_72_65_73;

/** A dead machine's connection is found out by PostgreSQL within 6 s; a dead process's at once. */
const prepareSession = `
  set tcp_keepalives_idle = 2; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 2
`;

/** That a worker lives, as all workers on the database see it. */
export interface WorkerPresence {
  /** Stands at the worker's places. */
  readonly owner: number;
  /** False while the connection is away: what is claimed now would seem to be nobody's. */
  readonly isHeld: () => boolean;
  /**
   * Owners of leases who are gone. One must be missing at two looks in a row, so that a worker whose connection
   * broke together with everybody's, at a restart of the database, has time to come back.
   */
  readonly listAbsent: () => Promise<readonly number[]>;
  /** The owner's leases become free for all. */
  end(): Promise<void>;
}

/**
 * Holds a session advisory lock: PostgreSQL lets go of it when the process dies, however it dies. It is a shared
 * one, since after a broken connection the old session may linger beside the new one.
 */
export async function holdPresence(
  config: pg.ClientConfig,
  onError: (error: unknown) => void,
): Promise<WorkerPresence> {
  const owner = randomInt(1, 2 ** 31 - 1);
  let suspects: ReadonlySet<number> = new Set();
  const session = await keepSession(
    config,
    async (client) => {
      suspects = new Set();
      await client.query(prepareSession);
      await client.query('select pg_advisory_lock_shared($1, $2)', [presenceLocks, owner]);
    },
    onError,
  );
  return {
    owner,
    isHeld: () => session.client() !== undefined,
    listAbsent: async () => {
      const missing = await missingOwners(session.client());
      const absent = missing.filter((each) => suspects.has(each));
      suspects = new Set(missing);
      return absent;
    },
    end: () => session.end(),
  };
}

async function missingOwners(client: pg.Client | undefined): Promise<number[]> {
  if (client === undefined) return [];
  const { rows } = await client.query<{ owner: number }>(
    `select distinct owner from delivery_places
     where owner > 0
       and owner not in (
         select objid::bigint::integer from pg_locks
         where locktype = 'advisory' and classid = $1::integer::oid and objsubid = 2
           and database = (select oid from pg_database where datname = current_database()))`,
    [presenceLocks],
  );
  return rows.map(({ owner }) => owner);
}
