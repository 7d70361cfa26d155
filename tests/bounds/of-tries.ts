// How long a migration holds up those that serve, and how often it and transactions are tried.
import type { Bound } from '../../bench/abuse/bounds/bound.ts';
import { bound, replace, testsOf } from './define.ts';

const MIGRATIONS = 'src/queries/connection/migrations.ts';

const migrations = testsOf('tests/queries/connection/migrations.test.ts');

export const boundsOfTries: readonly Bound[] = [
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
