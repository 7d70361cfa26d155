import pg from 'pg';
import { OWN_LOCKS } from './database.ts';
import type { TestDatabase } from './database.ts';

/** A lock for which triggers of a test wait. Each server of a distributed database has it, since its triggers run there. */
export class Gate {
  readonly #key: number;
  readonly #keepers: readonly pg.Client[];

  private constructor(key: number, keepers: readonly pg.Client[]) {
    this.#key = key;
    this.#keepers = keepers;
  }

  static async make({ everywhere }: Pick<TestDatabase, 'everywhere'>, key: number): Promise<Gate> {
    const keepers = everywhere.map((connection) => new pg.Client(connection));
    for (const keeper of keepers) await keeper.connect();
    return new Gate(key, keepers);
  }

  close(): Promise<void> {
    return this.#run(`select pg_advisory_lock(${this.#key})`);
  }

  open(): Promise<void> {
    return this.#run(`select pg_advisory_unlock(${this.#key})`);
  }

  async countWaiting(): Promise<number> {
    let count = 0;
    for (const keeper of this.#keepers) {
      const waiting = `select from ${OWN_LOCKS} where locktype = 'advisory' and objid = ${this.#key} and not granted`;
      count += (await keeper.query(waiting)).rowCount ?? 0;
    }
    return count;
  }

  async end(): Promise<void> {
    for (const keeper of this.#keepers) await keeper.end();
  }

  async #run(statement: string): Promise<void> {
    for (const keeper of this.#keepers) await keeper.query(statement);
  }
}
