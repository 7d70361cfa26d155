// How much is computed in slices of the event loop at once, and for whom.
import type { Bound } from '../../bench/abuse/bounds/bound.ts';
import { bound, replace, testsOf } from './define.ts';

const POOL = 'src/compute/pool.ts';
const pool = testsOf('tests/compute/pool.test.ts');
const slicedWork = testsOf('tests/operations/sliced-work.test.ts');

export const boundsOfSlices: readonly Bound[] = [
  bound(
    'states and short series of a partner that are computed at once',
    [replace(POOL, 'return this.#sliced.run(partnerId, work, signal);', 'return work();')],
    pool('of one partner 128 computations in slices are under way'),
    slicedWork('beyond what its partner has under way', 'a state'),
    slicedWork('beyond what its partner has under way', 'a series'),
  ),
  bound(
    'states that are computed in the share of their partner',
    [
      replace(
        'src/operations/user-devices.ts',
        'return workInSlices(context, async () => {',
        'return (async () => {\n    void workInSlices;',
      ),
      replace(
        'src/operations/user-devices.ts',
        'return { status: 200 as const, body: device };\n  });',
        'return { status: 200 as const, body: device };\n  })();',
      ),
    ],
    slicedWork('beyond what its partner has under way', 'a state'),
  ),
  bound(
    'short series that are computed in the share of their partner',
    [
      replace(
        'src/operations/device-data.ts',
        'await workInSlices(context, () => answerShort(context, userId, query, type, id))',
        'await answerShort(context, userId, query, type, id)',
      ),
    ],
    slicedWork('beyond what its partner has under way', 'a series'),
  ),
  bound(
    'computations in slices of a partner',
    [replace(POOL, '  atMost: 128,\n', '')],
    pool('of one partner 128 computations in slices are under way'),
  ),
  bound(
    'computations in slices of all partners',
    [replace(POOL, '  capacity: 512,\n', '  capacity: 1_000_000,\n')],
    pool('of all partners 512 computations in slices are under way'),
  ),
  bound(
    'computations in slices of a partner that wait',
    [
      replace(
        POOL,
        '  maxWaiting: 1_000,\n  refuseAfterMs: REFUSE_AFTER_MS,\n};',
        '  maxWaiting: 1_000_000,\n  refuseAfterMs: REFUSE_AFTER_MS,\n};',
      ),
    ],
    pool('1,000 computations in slices of a partner wait'),
  ),
  bound(
    'computations in slices that wait for a caller that has left',
    [
      replace(
        'src/operations/heavy-jobs.ts',
        'whileWanted((signal) => compute.inSlices(actor.partnerId, work, signal))',
        'whileWanted(() => compute.inSlices(actor.partnerId, work))',
      ),
    ],
    slicedWork('who leaves while the computation waits for its share'),
  ),
  bound(
    'slices for a caller that has left',
    [replace('src/http/operation-handler.ts', '      checkNotGivenUp(response);\n', '')],
    slicedWork('that nobody waits for any more', 'a state'),
    slicedWork('that nobody waits for any more', 'a series'),
    slicedWork('that nobody waits for any more', 'a list'),
  ),
  bound(
    'slices for a browser that has left',
    [replace('src/portal/operations.ts', '      checkBrowser(response);\n', '')],
    testsOf('tests/portal/page-turns-held.test.ts')('what a page computes ends at its next slice'),
  ),
];
