import { sql } from 'kysely';
import { classifyDatabaseError } from './database-errors.ts';
import type { Db, Tx } from './database.ts';

/**
 * Runs work in a transaction of its own, or as part of the one that `db` is already. A transaction of its own that only has to be
 * repeated (a deadlock, a shard that has just moved) is repeated once: what the work does outside of it may happen twice.
 */
export async function inTransaction<Result>(db: Db | Tx, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  return isTransaction(db) ? work(db) : repeatOnce(() => db.transaction().execute(work));
}

/** Runs a statement alone, or as part of the transaction that `db` is; alone it is repeated as a transaction is. */
export async function inStatement<Result>(
  db: Db | Tx,
  run: (db: Db | Tx) => Promise<Result>,
): Promise<Result> {
  return isTransaction(db) ? run(db) : repeatOnce(() => run(db));
}

async function repeatOnce<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (classifyDatabaseError(error) !== 'retry_now') throw error;
    return run();
  }
}

/** Whether somebody else commits what is done with `db`. */
export function isTransaction(db: Db | Tx): db is Tx {
  return db.isTransaction;
}

/** Runs work as part of a transaction that goes on when it throws: what the work has done is undone then. */
export async function undoOnFailure<Result>(tx: Tx, work: () => Promise<Result>): Promise<Result> {
  await sql`savepoint work`.execute(tx);
  try {
    return await work();
  } catch (error) {
    await sql`rollback to savepoint work`.execute(tx);
    throw error;
  }
}
