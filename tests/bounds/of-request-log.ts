// What is kept of requests.
import type { Bound } from '../../bench/abuse/bounds/bound.ts';
import { bound, replace, testsOf } from './define.ts';

const LOG = 'src/http/request-log.ts';
const EXCHANGE = 'src/http/logged-exchange.ts';

const log = testsOf('tests/http/request-log.test.ts');
const logged = testsOf('tests/http/logged-requests.test.ts');

export const boundsOfRequestLog: readonly Bound[] = [
  bound(
    'requests of an organization that are logged',
    [replace(LOG, 'return available >= 1;', 'return available >= 0;')],
    log('a burst of a minute is logged'),
  ),
  bound(
    'requests that wait to be logged',
    [replace(LOG, 'const MAX_WAITING = 2_000;', 'const MAX_WAITING = 1_000_000_000;')],
    log('2,000 wait at most'),
  ),
  bound(
    'organizations whose logged requests are remembered',
    [replace(LOG, 'const MAX_ORGANIZATIONS = 10_000;', 'const MAX_ORGANIZATIONS = 1_000_000_000;')],
    log('10,000 organizations are remembered'),
  ),
  bound(
    'bodies that are logged',
    [replace(EXCHANGE, 'const MAX_BODY_BYTES = 4_096;', 'const MAX_BODY_BYTES = 1_000_000_000;')],
    logged('a refused body of more than 4 KiB is not kept'),
  ),
  bound(
    'paths that are logged',
    [replace(EXCHANGE, 'const MAX_PATH_CHARACTERS = 500;', 'const MAX_PATH_CHARACTERS = 1_000_000_000;')],
    logged('of a path 500 characters are kept'),
  ),
];
