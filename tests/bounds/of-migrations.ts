// How long a migration holds up those that serve.
import type { Bound } from '../../bench/abuse/bounds/bound.ts';
import { bound, replace, testsOf } from './define.ts';

const MIGRATIONS = 'src/queries/connection/migrations.ts';

const migrations = testsOf('tests/queries/connection/migrations.test.ts');

export const boundsOfMigrations: readonly Bound[] = [
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
];
