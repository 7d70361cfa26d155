// How long a migration holds up those that serve, how often it and transactions are tried, and how long a connection is waited for.
import type { Bound } from '../../bench/abuse/bounds/bound.ts';
import { bound, replace, testsOf } from './define.ts';

const MIGRATIONS = 'src/queries/connection/migrations.ts';

const waits = testsOf('tests/queries/connection/waits.test.ts');
const migrations = testsOf('tests/queries/connection/migrations.test.ts');

export const boundsOfTries: readonly Bound[] = [
  bound(
    'wait for a connection that is opened',
    [replace('src/queries/connection/bounded-pool.ts', 'else this.#hand(client);', 'else client.release();')],
    waits('has the one that is given back'),
  ),
  bound(
    'how long an idle connection is kept',
    [
      replace(
        'src/queries/connection/database.ts',
        'idleTimeoutMillis: IDLE_MS',
        'idleTimeoutMillis: 100 * IDLE_MS',
      ),
    ],
    waits('an idle connection is kept for ten minutes'),
  ),
  bound(
    'how long a migration waits for a lock',
    [replace(MIGRATIONS, '[String(waitMs)]', '[String(20 * waitMs)]')],
    migrations('holds nobody up for more than a second'),
  ),
  bound(
    'how often a migration tries to get a lock',
    [replace(MIGRATIONS, ' || tries === patience.tries', '')],
    migrations('never gets its lock fails in the end'),
  ),
  bound(
    'repeats of a transaction',
    [
      replace(
        'src/queries/connection/in-transaction.ts',
        "!== 'retry_now') throw error;\n    return run();",
        "!== 'retry_now') throw error;\n    return repeatOnce(run);",
      ),
    ],
    testsOf('tests/queries/connection/in-transaction.test.ts')('it is repeated once'),
  ),
];
