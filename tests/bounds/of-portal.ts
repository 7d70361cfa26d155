// What people have in the portal: secrets of applications, tokens of sessions, and what a page looks through.
import type { Bound } from '../../bench/abuse/bounds/bound.ts';
import { bound, replace, testsOf } from './define.ts';

const FLEET_POWERS = 'src/portal/fleet-powers.ts';
const fleetPowers = testsOf('tests/portal/fleet-powers.test.ts');

export const boundsOfPortal: readonly Bound[] = [
  bound(
    'tokens of a portal session',
    [replace('src/accounts/session-tokens.ts', 'const MAX_TOKENS = 4;', 'const MAX_TOKENS = 1_000_000_000;')],
    testsOf('tests/portal/explorer.test.ts')('of a session four tokens'),
  ),
  bound(
    'how long a token of a portal session lasts',
    [
      replace(
        'src/accounts/session-tokens.ts',
        'const LIFETIME_MS = 15 * MINUTE_MS;',
        'const LIFETIME_MS = 1_000_000 * MINUTE_MS;',
      ),
    ],
    testsOf('tests/portal/explorer.test.ts')('a token acts as the person'),
  ),
  bound(
    'messages that a page looks through for a topic',
    [
      replace(
        'src/queries/notifications/recent-events.ts',
        'MOST_LOOKED_THROUGH = 2_000',
        'MOST_LOOKED_THROUGH = 1_000_000_000',
      ),
    ],
    testsOf('tests/portal/events.test.ts')('for a topic the 2,000 newest'),
  ),
  bound(
    'attempts that are shown of a delivery',
    [
      replace(
        'src/domain/api/page-links.ts',
        'MAX_SHOWN_ATTEMPTS = 100;',
        'MAX_SHOWN_ATTEMPTS = 1_000_000_000;',
      ),
    ],
    testsOf('tests/queries/deliveries/delivery-log.test.ts')('the newest hundred attempts are read'),
    testsOf('tests/operations/deliveries.test.ts')('shows its newest hundred attempts'),
    testsOf('tests/portal/deliveries.test.ts')('says that its oldest attempts are not shown'),
  ),
  bound(
    'attempts of a message in the picture of a webhook',
    [
      replace(
        'src/domain/notifications/webhook-statistics.ts',
        'MOST_ATTEMPTS_OF_MESSAGE = 20;',
        'MOST_ATTEMPTS_OF_MESSAGE = 1_000_000_000;',
      ),
    ],
    testsOf('tests/portal/failing-webhooks.test.ts')('the newest attempts count'),
  ),
  bound(
    'attempts of a message by which a webhook is failing',
    [
      replace(
        'src/queries/deliveries/failing-webhooks.ts',
        'MOST_ATTEMPTS_OF_EACH = 100;',
        'MOST_ATTEMPTS_OF_EACH = 1_000_000_000;',
      ),
    ],
    testsOf('tests/portal/failing-webhooks.test.ts')('the newest attempts count'),
  ),
  bound(
    'secrets whose uses wait to be written',
    [
      replace(
        'src/oauth/secret-uses.ts',
        'const MAX_WAITING = 10_000;',
        'const MAX_WAITING = 1_000_000_000;',
      ),
    ],
    testsOf('tests/oauth/application-secrets.test.ts')('10,000 secrets wait'),
  ),
  bound(
    'secrets of an application that work',
    [
      replace(
        'src/queries/accounts/application-secrets.ts',
        "eb('older_secret_ends_at', '<=', now)",
        "eb('older_secret_ends_at', 'is not', null)",
      ),
    ],
    testsOf('tests/oauth/application-secrets.test.ts')('a third secret is not made'),
  ),
  bound(
    'homes of a map that are looked through in one step',
    [replace(FLEET_POWERS, 'HOMES_AT_ONCE = 1_000;', 'HOMES_AT_ONCE = 1_000_000_000;')],
    fleetPowers('a thousand are looked through in one step'),
  ),
  bound(
    'steps of the map of a fleet',
    [replace(FLEET_POWERS, '() => giveWay(context, response)', '() => Promise.resolve(void giveWay)')],
    fleetPowers('gives way to others between reading, summing and writing'),
  ),
];
