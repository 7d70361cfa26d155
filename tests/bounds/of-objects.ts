// How many objects a partner may have, and how large they are.
import type { Bound } from '../../bench/abuse/bounds/bound.ts';
import { bound, replace, testsOf } from './define.ts';

const BODIES = 'generated/validate-bodies.js';
const QUERIES = 'generated/validate-queries.js';
const QUOTAS = 'src/accounts/quotas.ts';
const quotas = testsOf('tests/operations/quotas.test.ts');
const idempotency = testsOf('tests/operations/idempotency.test.ts');
const pendingDeliveries = testsOf('tests/queries/deliveries/pending-counts.test.ts');

export const boundsOfObjects: readonly Bound[] = [
  bound(
    'batches of new users, and connections of a partner',
    [
      replace(
        'src/accounts/new-users.ts',
        'return isTransaction(db) ? insertAlone(db, creation) :',
        'return true ? insertAlone(db, creation) :',
      ),
      replace(
        'src/compose/database.ts',
        'acquireShare: shareConnections(capacity, recentPartners),',
        'acquireShare: () => Promise.resolve(() => undefined),',
      ),
    ],
    testsOf('tests/abuse/connections.test.ts')('and others are left', 'user-flood'),
  ),
  bound(
    'users of a partner',
    [
      replace('src/accounts/new-users.ts', "await checkQuota(db, first.scope, 'users');", ''),
      replace(
        'src/accounts/new-users.ts',
        "const quota = await findQuota(tx, partnerId, 'users', quotas.users);",
        'const quota = 2_000_000_000;',
      ),
    ],
    quotas('of ten at once for whom three places are left', 'users'),
  ),
  bound(
    'webhooks of a partner',
    [
      replace(
        'src/operations/webhooks.ts',
        "await requireWithinQuota(tx, quotaScope(context), 'webhooks');",
        '',
      ),
    ],
    quotas('of ten at once for whom three places are left', 'webhooks'),
  ),
  bound(
    'applications of a partner',
    [
      replace(
        'src/accounts/applications.ts',
        "await requireWithinQuota(tx, { partnerId, quotas }, 'applications');",
        'void [partnerId, quotas];',
      ),
    ],
    testsOf('tests/portal/credentials.test.ts')('beyond the quota of applications the form says so'),
  ),
  bound(
    'households of a partner by expansions',
    [
      replace(
        'src/operations/fleets/transitions.ts',
        "await requireWithinQuota(tx, quotaScope(context), 'households', count);",
        '',
      ),
    ],
    quotas('households count from the call on'),
  ),
  bound(
    'quarters with prices of a partner',
    [
      replace(
        QUOTAS,
        'if (newQuarters > 0) await checkStored(',
        'if (newQuarters > Infinity) await checkStored(',
      ),
    ],
    quotas('of ten at once for whom three places are left', 'price_quarters'),
  ),
  bound(
    'revisions of a price',
    [replace(QUOTAS, 'if (mostRevisions > revisions) {', 'if (mostRevisions > Infinity) {')],
    quotas('so many prices are stored for a quarter hour'),
  ),
  bound(
    'revisions of what is asked of a device',
    [
      replace(
        QUOTAS,
        'if (used >= quota) throw quotaReachedProblem(',
        'if (used >= Infinity) throw quotaReachedProblem(',
      ),
    ],
    testsOf('tests/operations/preference-revisions.test.ts')('are as many for each device as the quota says'),
    testsOf('tests/operations/places.test.ts')('are as many as the quota says'),
  ),
  bound(
    'the length of a boost',
    [
      replace(
        'src/operations/preferences/boosts.ts',
        'const MAX_BOOST_MS = DAY_MS;',
        'const MAX_BOOST_MS = 1e6 * DAY_MS;',
      ),
    ],
    testsOf('tests/operations/boosts.test.ts')('is refused', '2026-06-16T12:02:00.001Z'),
  ),
  bound(
    'pending deliveries of a partner',
    [
      replace(
        'migrations/0027-insert-message.sql',
        'select t.id, partner.has_room or not exists (',
        'select t.id, true or not exists (',
      ),
    ],
    pendingDeliveries('at the quota an event is written and its deliveries are dropped'),
    pendingDeliveries('a webhook for which nothing is pending'),
    pendingDeliveries('simulation organizations count with their partner'),
    pendingDeliveries('events at the same time pass the quota by no more'),
    testsOf('tests/fleets/due-faults.test.ts')('faults begin at the quota of pending deliveries'),
    testsOf('tests/operations/pending-deliveries.test.ts')('an event of a device is written all the same'),
  ),
  bound(
    'pending deliveries of a partner that are sent again',
    [
      replace(
        'src/operations/deliveries.ts',
        "await checkStored(tx, quotaScope(context), 'pending_deliveries', 1);",
        'void [checkStored, quotaScope];',
      ),
    ],
    testsOf('tests/operations/pending-deliveries.test.ts')('nothing is sent again'),
  ),
  bound(
    'quotas of one partner beside the defaults',
    [
      replace(
        QUOTAS,
        'const quota = await findQuota(db, partnerId, name, quotas[name]);',
        'const quota = quotas[name] + 0 * (await findQuota(db, partnerId, name, quotas[name]));',
      ),
    ],
    quotas('of ten at once for whom three places are left', 'fleets'),
  ),
  bound(
    'request_ids of fleets that are remembered',
    [
      replace(
        'src/operations/fleets/fleet-requests.ts',
        "await requireStoredWithinQuota(tx, scope, 'fleet_requests');",
        'void [requireStoredWithinQuota, scope];',
      ),
    ],
    quotas('request_ids of fleets', 'creations'),
    quotas('request_ids of fleets', 'expansions'),
    quotas('request_ids of fleets', 'events'),
  ),
  bound(
    'fleets created at once at the quota of request_ids',
    [replace(QUOTAS, 'await lockPartner(tx, scope.partnerId);\n  await checkStored', 'await checkStored')],
    quotas('of ten at once for whom three places are left', 'fleet_requests'),
  ),
  bound(
    'partners that ask for one quota at once',
    [replace(QUOTAS, 'await lockPartner(tx, scope.partnerId);\n  await checkQuota', 'await checkQuota')],
    quotas('who asks for a quota waits for who does at the moment'),
  ),
  bound(
    'households of a fleet',
    [
      replace(
        'src/operations/fleets/transitions.ts',
        'if (fleet.household_count + count <= FLEET_LIMITS.households_max) return [];',
        'if (fleet.household_count > 0) return [];',
      ),
    ],
    testsOf('tests/operations/fleets-transitions.test.ts')(
      'an expansion has 1 to 1000 households, and a fleet 10,000',
    ),
  ),
  bound(
    'outages of a fleet that have not ended',
    [
      replace(
        'src/operations/fleets/fleet-events.ts',
        'if ((await countOpenOutages(tx, orgId, now)) < most) return;',
        'if ((await countOpenOutages(tx, orgId, now)) < most * 1_000) return;',
      ),
    ],
    testsOf('tests/operations/fleet-events.test.ts')('raises at most as many outages as may be open'),
  ),
  bound(
    'outages of a fleet that have not struck all their devices',
    [
      replace(
        'src/queries/fleets/shared-outages.ts',
        "eb.or([eb('ends_at', '>', now), eb('is_applied', '=', false)])",
        "eb('ends_at', '>', now)",
      ),
    ],
    testsOf('tests/operations/fleet-events.test.ts')('raises at most as many outages as may be open'),
  ),
  bound(
    'times in which a condition of a device held',
    [
      replace(
        'src/queries/notifications/device-conditions.ts',
        '${endsAt}, ${MAX_INTERRUPTIONS}',
        '${endsAt}, 1000 * ${MAX_INTERRUPTIONS}',
      ),
    ],
    testsOf('tests/operations/conditions-bite.test.ts')(
      'a condition begins as often as its times can be kept',
    ),
  ),
  bound(
    'length of the address of a webhook',
    [
      replace(
        'src/domain/notifications/endpoint.ts',
        'if (isLongerThan(text, MAX_URL_LENGTH)) {',
        'if (isLongerThan(text, 1_000_000)) {',
      ),
      replace(
        'src/domain/notifications/endpoint.ts',
        'if (errors.length === 0 && uri.length > MAX_URL_LENGTH) {',
        'if (uri.length > 1_000_000) {',
      ),
    ],
    testsOf('tests/domain/notifications/endpoint.test.ts')(
      'of a text that is too long nothing else is looked at',
    ),
  ),
  bound(
    'entries of an upload of prices',
    [{ ...replace(BODIES, '.length > 10000', '.length > Infinity'), everywhere: true }],
    testsOf('tests/operations/trading.test.ts')('holds 10,000 entries and no more'),
  ),
  bound(
    'households of one call',
    [{ ...replace(BODIES, ' > 1000 || isNaN(', ' > Infinity || isNaN('), everywhere: true }],
    testsOf('tests/operations/fleets-transitions.test.ts')('an expansion has 1 to 1000 households'),
  ),
  bound(
    'pages of a list, and items of a page of users',
    [{ ...replace(QUERIES, ' > 1000 || isNaN(', ' > Infinity || isNaN('), everywhere: true }],
    testsOf('tests/operations/all-errors.test.ts')('lists are not passed over without end'),
    testsOf('tests/operations/users-list.test.ts')('a cursor that the list has not issued is refused'),
  ),
  bound(
    'items of a page',
    [{ ...replace(QUERIES, ' > 100 || isNaN(', ' > Infinity || isNaN('), everywhere: true }],
    testsOf('tests/operations/deliveries.test.ts')('refuses', 'maximum'),
  ),
  bound(
    'idempotency keys of a partner',
    [
      replace(
        'src/operations/idempotency.ts',
        "if (used >= quota) throw quotaReachedProblem('idempotency_keys', { quota, used, more: 1 });",
        'void [quota, quotaReachedProblem];',
      ),
    ],
    idempotency('beyond its quota of keys a partner is refused'),
  ),
  bound(
    'hours for which idempotency keys are kept',
    [
      replace(
        'src/maintenance/sweeper.ts',
        '(limit) => deleteKeysUsedBefore(db, new Date(now.getTime() - KEY_MEMORY_MS), limit),',
        '',
      ),
    ],
    idempotency('a key is remembered for 24 hours, and swept then'),
  ),
];
