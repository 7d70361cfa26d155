// Where the names of webhooks lead, and what the operator is told of those that are not called.
import type { Bound } from '../../bench/abuse/bounds/bound.ts';
import { bound, replace, testsOf } from './define.ts';

const REFUSED = 'src/webhooks/refused-destinations.ts';
const refused = testsOf('tests/webhooks/refused-destinations.test.ts');

export const boundsOfDestinations: readonly Bound[] = [
  bound(
    'addresses of a name',
    [replace('src/webhooks/destination.ts', 'MAX_ADDRESSES = 32;', 'MAX_ADDRESSES = 1_000_000_000;')],
    testsOf('tests/webhooks/destination.test.ts')('a name with more than 32 addresses is not called'),
  ),
  bound(
    'lines for a webhook that is not called',
    [replace(REFUSED, 'INTERVAL_MS = 60_000;', 'INTERVAL_MS = 0;')],
    refused('each webhook is told of once a minute'),
    refused('the log has the host and the webhook of deliveries and tests'),
  ),
  bound(
    'webhooks that are not called and remembered',
    [replace(REFUSED, 'MAX_WEBHOOKS = 10_000;', 'MAX_WEBHOOKS = 20_000;')],
    refused('10,000 webhooks are remembered'),
  ),
];
