// What a running service keeps, and how much its loops do at once.
import type { Bound } from '../../bench/abuse/bounds/bound.ts';
import { bound, replace, testsOf } from './define.ts';

const SWEEPER = 'src/maintenance/sweeper.ts';
const BATCHES = 'src/maintenance/batches.ts';
const sweeper = testsOf('tests/maintenance/sweeper.test.ts');
const batches = testsOf('tests/maintenance/batches.test.ts');
const A_ROUND = 'a round removes of every kind what was kept for its days';

const ofRetention: readonly Bound[] = [
  ['access tokens', '    (limit) => deleteAccessTokensExpiredBefore(db, ago(days.tokens), limit),\n'],
  ['sessions', '    (limit) => deletePortalSessionsExpiredBefore(db, ago(days.sessions), limit),\n'],
  ['sign-up requests', '    removeOldSignupRequests(db, ago(days.signups), kept),\n'],
  ['attempts', '    (limit) => deleteAttemptsBefore(db, ago(days.attempts), limit),\n'],
  ['messages', '    turns.messages.begin(removeOldMessages(db, ago(days.messages)), errors),\n'],
  [
    'dismissals of broadcasts',
    '    (limit) => deleteDismissalsOfBroadcastsEndedBefore(db, ago(days.items), limit),\n',
  ],
  ['notification items', '    (limit) => deleteItemsEndedBefore(db, ago(days.items), limit),\n'],
  ['replaced prices', '    (limit) => deleteSupersededPricesBefore(db, ago(days.priceRevisions), limit),\n'],
  ['requests to the simulator', '    (limit) => deleteForgettableRequests(db, now, limit),\n'],
  ['shared outages', '    (limit) => deleteOutagesEndedBefore(db, now, limit),\n'],
  ['counts of rate limits', '    (limit) => deleteRateLimitsBefore(db, windowsBefore, limit),\n'],
  ['deleted users', '    (limit) => deleteUsersDeletedBefore(db, ago(days.deleted), limit),\n'],
  ['deleted webhooks', '    (limit) => deleteWebhooksDeletedBefore(db, ago(days.deleted), limit),\n'],
].map(([what = '', line = '']) =>
  bound(`days for which ${what} are kept`, [replace(SWEEPER, line, '')], sweeper(A_ROUND)),
);

const NEWEST = 'the oldest of more deleted users and webhooks';
const ofNewest = ['Users', 'Webhooks'].map((what) =>
  bound(
    `deleted ${what.toLowerCase()} of an organization that are kept`,
    [
      replace(
        SWEEPER,
        `    turns.${what.toLowerCase()}.begin(removeBeyondNewest(db, '${what.toLowerCase()}', of${what}, delete${what}UpTo), errors),\n`,
        '',
      ),
    ],
    testsOf('tests/maintenance/newest-deleted.test.ts')(NEWEST),
  ),
);

const TURNS = 'src/maintenance/turns.ts';
const turns = testsOf('tests/maintenance/turns.test.ts');
const removalTime = testsOf('tests/maintenance/removal-time.test.ts');
const newestOnce = testsOf('tests/maintenance/newest-once.test.ts');
const ONCE = 'a round walks over the newest of each organization once';

/** What keeps those waiting who come behind in a round. */
const ofRounds: readonly Bound[] = [
  bound(
    'time of a removal in a round',
    [replace(SWEEPER, 'mostMs: REMOVAL_MS, ', '')],
    removalTime('a removal that never comes to an end'),
  ),
  bound(
    'time for which batches are removed',
    [replace(BATCHES, 'if (endedAt - begunAt >= mostMs) return true;', '')],
    batches('no batch begins once the time of a removal is over'),
  ),
  bound(
    'time until what a round has left is gone on with',
    [replace(SWEEPER, 'waitMs = isLeft ? 0 : everyMs;', 'waitMs = everyMs;')],
    removalTime('what a round has left is gone on with at once'),
  ),
  bound(
    'organizations that wait for all of another one',
    [replace(TURNS, '      this.#waiting.delete(orgId);\n', '')],
    turns('organizations have turns one after the other'),
  ),
  bound(
    'organizations that wait for one of which nothing can be removed',
    [replace(TURNS, 'if (errors.add(error)) throw error;', 'throw error;')],
    { ...turns('one that fails keeps no other one waiting'), says: 'refused' },
  ),
  bound(
    'walks over the newest deleted rows in a round',
    [replace('src/maintenance/removals-in-turns.ts', 'lasts.get(orgId) ?? ', '')],
    newestOnce(ONCE),
  ),
  bound(
    'walks over the newest sign-up requests in a round',
    [replace(SWEEPER, 'last ??= find', 'last = find')],
    newestOnce(ONCE),
  ),
  bound(
    'messages that a batch looks at',
    [
      replace(
        'src/queries/deliveries/retention.ts',
        'order by announced_at, id limit ${sql.lit(limit)}',
        'order by announced_at, id',
      ),
    ],
    testsOf('tests/queries/deliveries/retention.test.ts')('a batch looks at so many messages'),
  ),
];

export const boundsOfLoops: readonly Bound[] = [
  ...ofRetention,
  ...ofNewest,
  ...ofRounds,
  bound(
    'checkpoints of a cleaned fleet that are removed at once',
    [
      replace(
        'src/queries/fleets/fleet-removal.ts',
        "deleteBatchOf(tx, 'household_checkpoints', fleet.simulation_org_id, limit)",
        "deleteBatchOf(tx, 'household_checkpoints', fleet.simulation_org_id, 2 ** 40)",
      ),
    ],
    testsOf('tests/fleets/checkpoints.test.ts')('an expansion that is cancelled takes its checkpoints along'),
  ),
  bound(
    'rows of a fleet that are removed at once',
    [
      replace(
        'src/queries/fleets/fleet-removal.ts',
        'export const REMOVAL_BATCH_SIZE = 100;',
        'export const REMOVAL_BATCH_SIZE = 1_000_000;',
      ),
    ],
    testsOf('tests/fleets/removal.test.ts')('no transaction removes more than 100 rows'),
  ),
  bound(
    'devices of an outage that are told of at once',
    [
      replace(
        'src/fleets/shared-outages.ts',
        'const OUTAGE_BATCH_SIZE = 50;',
        'const OUTAGE_BATCH_SIZE = 1_000_000;',
      ),
    ],
    testsOf('tests/fleets/shared-outages.test.ts')(
      'an outage of one partner makes the conditions of another one wait',
    ),
  ),
  bound(
    'deliveries of a batch of conditions',
    [replace('src/fleets/due-work.ts', 'DELIVERIES_OF_A_BATCH = 500;', 'DELIVERIES_OF_A_BATCH = 1_000_000;')],
    testsOf('tests/fleets/shared-outages.test.ts')('with many webhooks a batch strikes fewer devices'),
  ),
  bound(
    'attempts that a turn of the event loop begins',
    [replace('src/webhooks/beginnings.ts', 'const BEGINNING_MS = 1;', 'const BEGINNING_MS = 1_000_000;')],
    testsOf('tests/webhooks/begins.test.ts')(
      'of many attempts that are due a turn of the event loop begins some',
    ),
  ),
  bound(
    'conditions that begin or end at once',
    [
      replace(
        'src/fleets/due-faults.ts',
        'const CONDITION_BATCH_SIZE = 50;',
        'const CONDITION_BATCH_SIZE = 1_000_000;',
      ),
    ],
    testsOf('tests/fleets/shared-outages.test.ts')(
      'an outage of one partner makes the conditions of another one wait',
    ),
  ),
  bound(
    'pauses of an outage that strikes many devices',
    [replace('src/fleets/due-work.ts', '      await pause();\n', '')],
    testsOf('tests/fleets/shared-outages.test.ts')('others have a pause behind each batch of devices'),
  ),
  bound(
    'sign-up requests that are kept',
    [
      replace(
        SWEEPER,
        'const kept = maxSignupRequests ?? MAX_SIGNUP_REQUESTS;',
        'const kept = 1_000_000_000;',
      ),
    ],
    sweeper('of more sign-up requests than are kept the oldest go'),
  ),
  bound(
    'rows that the sweeper removes at once',
    [replace(BATCHES, 'size = Math.min(size * 2, most);', 'size *= 2;')],
    batches('batches grow while they are quick, to the most'),
  ),
  bound(
    'time of a batch of the sweeper',
    [replace(BATCHES, 'if (tookMs > TARGET_MS) size', 'if (tookMs === Infinity) size')],
    batches('batches shrink where rows are dear'),
  ),
  bound(
    'computations of a fleet that take too long',
    [replace('src/fleets/fleet-lanes.ts', 'return count < MAX_OVERLONG_COMPUTATIONS;', 'return count > 0;')],
    testsOf('tests/fleets/households-on-threads.test.ts')(
      'a fleet whose households take too long three times has failed',
    ),
  ),
  bound(
    'turns of partners with fleets',
    [
      replace(
        'src/queries/fleets/fleet-work.ts',
        'order by coalesce(in_work.fleets, 0), array_position(${[...served]}::uuid[], fleets.org_id) nulls first,\n      fleets.created_at',
        'order by cardinality(${[...served]}::uuid[]), fleets.created_at',
      ),
    ],
    // Of three lanes the partner has one in any case.
    testsOf('tests/fleets/turns.test.ts')(
      'a partner with many queued fleets does not make another wait',
      '1 lanes',
    ),
    testsOf('tests/fleets/turns.test.ts')('a partner whose fleet another process works on comes after'),
  ),
  bound(
    'cars of a fleet that one pass looks at',
    [replace('src/fleets/charge-checks.ts', 'orgId, now, CHECKS_OF_FLEET)', 'orgId, now, 1_000_000)')],
    testsOf('tests/fleets/charge-checks.test.ts')(
      'a pass looks at some cars of one fleet of each partner, so that nobody waits for all of another one',
    ),
  ),
  bound(
    'how long one pass looks at cars of a fleet',
    [replace('src/fleets/charge-checks.ts', 'const TURN_MS = 1_000;', 'const TURN_MS = 1_000_000;')],
    testsOf('tests/fleets/turns.test.ts')('a pass that has taken a second looks at no further car'),
  ),
  bound(
    'locks of a fleet that work on all partners waits for',
    [
      replace(
        'src/queries/notifications/condition-devices.ts',
        "selectFleet({ lock: 'skip' })",
        "selectFleet({ lock: 'wait' })",
      ),
    ],
    testsOf('tests/fleets/shared-outages.test.ts')('a fleet that somebody changes is not waited for'),
  ),
  bound(
    'organizations that a notification names',
    [
      replace(
        'src/streams/announcements.ts',
        'orgIds.length > MAX_NAMED_ORGANIZATIONS ? ALL',
        'orgIds.length === Infinity ? ALL',
      ),
    ],
    testsOf('tests/streams/announcements.test.ts')('an announcement fits into a notification'),
  ),
  bound(
    'notifications of many calls',
    [
      replace(
        'src/loops/throttle.ts',
        "if (state === 'idle') callNow();\n    else state = 'called';",
        'callNow();',
      ),
    ],
    testsOf('tests/loops/throttle.test.ts')('calls in quick succession become two'),
  ),
  bound(
    'wait of a failing piece of work',
    [
      replace(
        'src/loops/backoff.ts',
        'Math.min(this.#longestMs, this.#firstMs * 2 ** Math.min(failures, 30))',
        'this.#firstMs * 2 ** Math.min(failures, 30)',
      ),
    ],
    testsOf('tests/loops/backoff.test.ts')(
      'the wait doubles with each failure of a piece of work, up to a limit',
    ),
  ),
  bound(
    'time of a stop of the process',
    [
      replace(
        'src/cli/serve.ts',
        'setTimeout(() => giveUp(withinMs, log), withinMs).unref();',
        'void giveUp;',
      ),
    ],
    testsOf('tests/process/stop.test.ts')('a stop that something holds up is cut off in time'),
  ),
  bound(
    "threads of V8's own",
    [replace('bin/partner', '--v8-pool-size=1', '--v8-pool-size=4')],
    testsOf('tests/abuse/heavy-work.test.ts')('their garbage is collected by one thread'),
  ),
  bound(
    "threads of V8's own that go behind the event loop",
    [replace('src/cli/serve.ts', '  putHelpersBehind();\n', '')],
    testsOf('tests/abuse/heavy-work.test.ts')('their garbage is collected by one thread'),
  ),
];
