// What work on fleets may keep waiting.
import type { Bound } from '../../bench/abuse/bounds/bound.ts';
import { bound, replace, testsOf } from './define.ts';

const RUNNER = 'src/fleets/runner.ts';
const DATABASE_ERRORS = 'src/queries/connection/database-errors.ts';
const CHECKPOINTS = 'src/fleets/checkpoints.ts';
const RENEWAL = 'src/fleets/claim-renewal.ts';
const FILLING = 'this.#loop(() => this.#lanes.fill())';
const CHANGING = '= this.#loop(\n      () => this.#changeConditions(onError),';
const WITHOUT_REMOVING = replace(RUNNER, '      this.#loop(() => this.#removeLeftUsers(onError)),\n', '');

const heldUp = testsOf('tests/fleets/held-up.test.ts');
const checkpoints = testsOf('tests/fleets/checkpoints.test.ts');
const renewal = testsOf('tests/fleets/claim-renewal.test.ts');
const dueLists = testsOf('tests/queries/fleets/due-lists.test.ts');
const faultsBegin = (held: string) => heldUp('the faults of another partner begin', held);
const fleetStarts = (held: string) => heldUp('that of another partner starts', held);

export const boundsOfFleets: readonly Bound[] = [
  bound(
    'fleets that wait for the longest one',
    [
      replace(
        'src/fleets/fleet-lanes.ts',
        'this.#begin(claim);\n  }',
        'this.#begin(claim);\n    await this.waitUntilFree();\n  }',
      ),
    ],
    fleetStarts('computed'),
    fleetStarts('purged'),
  ),
  bound(
    'conditions that wait for fleets',
    [
      replace(
        RUNNER,
        FILLING,
        'this.#loop(() => this.#lanes.processAll().then(() => this.#changeConditions(onError)))',
      ),
      replace(RUNNER, CHANGING, '= this.#loop(\n      () => Promise.resolve(),'),
    ],
    faultsBegin('computed'),
    faultsBegin('purged'),
  ),
  bound(
    'fleets that wait for the removal of what clean-ups have left',
    [
      WITHOUT_REMOVING,
      replace(
        RUNNER,
        FILLING,
        'this.#loop(() => this.#removeLeftUsers(onError).then(() => this.#lanes.fill()))',
      ),
    ],
    fleetStarts('cleaned'),
  ),
  bound(
    'conditions that wait for the removal of what clean-ups have left',
    [
      WITHOUT_REMOVING,
      replace(
        RUNNER,
        CHANGING,
        '= this.#loop(\n      () => this.#removeLeftUsers(onError).then(() => this.#changeConditions(onError)),',
      ),
    ],
    faultsBegin('cleaned'),
  ),
  bound(
    'turns of partners with checkpoints to make',
    [replace(CHECKPOINTS, ' || elapsedMs() >= turnEndsMs', '')],
    checkpoints('partners have turns of ten seconds'),
  ),
  bound(
    'partners with checkpoints to make, one after the other',
    [replace('src/queries/fleets/checkpoints.ts', 'order by org_id <= ${served}, org_id, ', 'order by ')],
    checkpoints('partners have turns of ten seconds'),
  ),
  bound(
    'turns of partners whose checkpoints fail',
    [
      replace(CHECKPOINTS, '  onTurn(claim.org_id);\n', ''),
      replace(CHECKPOINTS, '  return claim.org_id;\n', '  onTurn(claim.org_id);\n  return claim.org_id;\n'),
    ],
    checkpoints('a turn that fails is one too'),
  ),
  bound(
    'fleets whose checkpoints fail before others of their partner',
    [
      replace(
        CHECKPOINTS,
        '    await releaseCheckpointClaim(db, claim, leaseUntil()).catch(() => undefined);\n',
        '',
      ),
    ],
    checkpoints('a fleet whose turn fails lets the others of its partner go before it'),
  ),
  bound(
    'claims that end while households are computed',
    [replace(RENEWAL, 'renewUntil(end.signal, context, claim)', 'Promise.resolve()')],
    renewal('households that take longer than a lease are computed by one worker'),
    renewal('without a wait of its own a runner renews by the timers of the process'),
  ),
  bound(
    'renewals of a claim that was lost',
    [replace(RENEWAL, 'isHeld = await renewFleetClaim(', 'await renewFleetClaim(')],
    renewal('a claim that was lost is renewed no more'),
  ),
  bound(
    'planned changes that are read of a fleet to find the first',
    [replace('src/queries/fleets/planned-conditions.ts', 'order by next_change_at limit 1', 'offset 0')],
    dueLists('what waits besides is not read', 'planned change'),
  ),
  bound(
    'cars that are read of a fleet to find the one that is due first',
    [replace('src/queries/fleets/charge-checks.ts', 'order by due_at limit 1', 'offset 0')],
    dueLists('what waits besides is not read', 'whose cars are due'),
  ),
  bound(
    'clean-ups that wait for those of another partner',
    [
      replace(
        'src/fleets/purge.ts',
        'await listFleetsWithLeftUsers(db), async',
        '(await listFleetsWithLeftUsers(db)).slice(0, 1), async',
      ),
    ],
    testsOf('tests/fleets/removal.test.ts')('of clean-ups of several partners'),
  ),
  bound(
    'removals that wait for one that fails',
    [
      replace(
        'src/maintenance/sweeper.ts',
        'if (errors.add(error)) return { isLeft: false, errors: errors.all };',
        'throw error;',
      ),
    ],
    testsOf('tests/maintenance/sweeper.test.ts')('what cannot be removed is told'),
  ),
  bound(
    'partners that wait for one whose work takes too long',
    [
      replace(
        DATABASE_ERRORS,
        'return isSecondTimeout || (!this.#hasTimedOut && isDatabaseAway(error));',
        'return isSecondTimeout || isDatabaseAway(error);',
      ),
    ],
    testsOf('tests/fleets/failing-fleets.test.ts')('keep nothing of others waiting', '57014'),
    testsOf('tests/fleets/due-work.test.ts')('fleets whose work takes too long'),
    testsOf('tests/maintenance/removal-time.test.ts')(
      'so many of what comes behind stay',
      'that takes too long',
    ),
  ),
  bound(
    'times that a pass waits for a database that hangs',
    [
      replace(
        DATABASE_ERRORS,
        'const isSecondTimeout = this.#hasTimedOut && isTimeout(error);',
        'const isSecondTimeout = false;',
      ),
    ],
    testsOf('tests/fleets/due-work.test.ts')('a database that hangs is waited for twice'),
    testsOf('tests/maintenance/removal-time.test.ts')(
      'so many of what comes behind stay',
      'two of them in a row',
    ),
  ),
  bound(
    'what was asked of the households that one job sums up',
    [
      replace(
        'src/operations/household-pages.ts',
        'const CHANGES_PER_JOB = 3_000;',
        'const CHANGES_PER_JOB = 1_000_000_000;',
      ),
    ],
    testsOf('tests/operations/summed-changes.test.ts')('the sums of a fleet are computed of households'),
    testsOf('tests/operations/summed-changes.test.ts')('the powers of its households too'),
  ),
];
