// What a partner's heavy requests and fleets may take of threads, turns and lanes.
import type { Bound, Proof } from './bound.ts';

const POOL = 'src/compute/pool.ts';
const SUMS = 'src/operations/summed-data.ts';
const FLEET_DATA = 'src/operations/fleets/fleet-data.ts';
const RUNNER = 'src/fleets/runner.ts';
const LANES = 'src/fleets/fleet-lanes.ts';
const SENDS_NOTHING_TO_THREADS =
  "const { runJob } = await import('./jobs.ts'); const answer = { output: await runJob({ name, input }) } as JobAnswer;";
const HEAVY = ['valid-prices', 'faulty-prices', 'previews', 'series', 'schedules'] as const;
const BESIDE_SERIES = 'previews-by-series';
const OF_FLEETS = ['fleet-flood', 'expand-purge'] as const;

// How long the loop is held without threads depends on the machine: some of the work is done in less than 50 ms.
const heavyWork = (only: string): Proof => ({
  file: 'tests/abuse/heavy-work.test.ts',
  test: 'worked on by threads that give way',
  only,
});
const ofTurns = (test: string): Proof => ({ file: 'tests/compute/turns.test.ts', test });
const ofFleets = (test: string): Proof => ({ file: 'tests/fleets/turns.test.ts', test });

export const boundsOfHeavyWork: readonly Bound[] = [
  {
    name: 'threads beside the event loop',
    attacks: [...HEAVY, 'fleet-sums', 'home-tables', BESIDE_SERIES, ...OF_FLEETS],
    edits: [
      {
        file: POOL,
        from: 'const answer = await this.#runOnThread(name, input);',
        to: SENDS_NOTHING_TO_THREADS,
      },
    ],
    proofs: HEAVY.map(heavyWork) as [Proof],
  },
  {
    name: 'sums of a fleet that are read in a turn',
    attacks: ['fleet-sums'],
    edits: [
      {
        file: FLEET_DATA,
        from: 'await workInTurn(context, false, () =>',
        to: 'await workInTurn(context, true, () =>',
      },
      {
        file: SUMS,
        from: 'workInNextTurn(context, hasBegun, () => sumPage(from))',
        to: 'sumPage(from)',
      },
      {
        file: SUMS,
        from: "runHeavyJob(context, true, 'sumHouseholds', input)",
        to: "workInNextTurn(context, false, () => runHeavyJob(context, true, 'sumHouseholds', input))",
      },
    ],
    proofs: [
      {
        file: 'tests/operations/summed-turns.test.ts',
        test: 'who waits for a turn, or is refused it',
        only: 'sums',
      },
    ],
  },
  {
    name: 'tables that are written by threads',
    attacks: ['fleet-sums', 'home-tables'],
    edits: [
      {
        file: 'src/operations/summed-tables.ts',
        from: "runHeavyJob(context, true, 'writeSums', input)",
        to: 'Promise.resolve(writeSums(input))',
      },
    ],
    proofs: [
      { file: 'tests/operations/summed-parts.test.ts', test: 'each part of a table is written by a thread' },
    ],
  },
  {
    name: 'slices of a schedule of two days',
    attacks: ['short-schedules', 'restless-pump'],
    edits: [
      {
        file: 'src/operations/schedules.ts',
        from: 'await yieldToEventLoop(0, actor.partnerId);',
        to: '',
      },
      {
        file: 'src/compute/heat-pump-schedule.ts',
        from: 'step = work.next()) await slicer.yieldIfDue();',
        to: 'step = work.next()) void slicer;',
      },
    ],
    proofs: [
      {
        file: 'tests/compute/schedule-slices.test.ts',
        test: 'others have their turn between all of them',
      },
    ],
  },
  {
    name: 'short jobs of a partner, one after the other',
    attacks: ['short-schedules', 'restless-pump'],
    edits: [
      { file: POOL, from: 'return this.#shortJobs.run(partnerId, work, signal);', to: 'return work();' },
    ],
    proofs: [
      { file: 'tests/compute/pool.test.ts', test: 'short jobs of a partner are done one after the other' },
    ],
  },
  {
    name: 'short jobs on a thread that is idle',
    attacks: ['short-schedules', 'restless-pump'],
    edits: [
      {
        file: POOL,
        from: 'const release = this.#threads.isStarted ? this.#units.tryAcquire(partnerId) : undefined;',
        to: 'const release = undefined as (() => void) | undefined;',
      },
    ],
    proofs: [
      { file: 'tests/compute/pool.test.ts', test: 'a job that must not wait has a thread that is idle' },
    ],
  },
  {
    name: 'turns of a partner before its body is read',
    attacks: [...HEAVY, BESIDE_SERIES, ...OF_FLEETS],
    edits: [
      {
        file: POOL,
        from: 'return this.#turns.acquire(partnerId, signal);',
        to: 'return Promise.resolve(() => undefined);',
      },
    ],
    proofs: [
      ofTurns('eight requests of a partner wait for its turn'),
      { file: 'tests/compute/pool.test.ts', test: 'a partner has one turn and eight that wait' },
    ],
  },
  {
    name: 'a thread that a partner leaves to others',
    attacks: [...HEAVY, BESIDE_SERIES],
    edits: [{ file: POOL, from: 'const MIN_THREADS = 2;', to: 'const MIN_THREADS = 1;' }],
    proofs: [
      {
        file: 'tests/compute/pool.test.ts',
        test: 'while the jobs of one partner do not end, those of another',
      },
    ],
  },
  {
    name: 'turns of a partner for what has no body',
    attacks: [...HEAVY, BESIDE_SERIES, ...OF_FLEETS],
    edits: [
      {
        file: POOL,
        from: 'return this.#turns.run(partnerId, work, signal);',
        to: 'return work();',
      },
    ],
    proofs: [
      { file: 'tests/compute/pool.test.ts', test: 'work in a turn waits for it before it asks for a thread' },
    ],
  },
  {
    name: 'threads of a partner',
    attacks: [...HEAVY, BESIDE_SERIES, ...OF_FLEETS],
    edits: [
      {
        file: POOL,
        from: 'const release = await this.#units.acquire(partnerId, signal);',
        to: 'const release = (): void => undefined;',
      },
    ],
    proofs: [
      {
        file: 'tests/compute/pool.test.ts',
        test: 'the jobs of one partner do not keep another from the thread',
      },
    ],
  },
  {
    name: 'fleets that are worked on at once',
    attacks: OF_FLEETS,
    edits: [
      {
        file: RUNNER,
        from: 'lanes: options.lanes ?? 3,',
        to: 'lanes: options.lanes ?? 1_000,',
      },
    ],
    proofs: [ofFleets('a process works on three fleets at once')],
  },
  {
    name: 'fleets of one partner that are worked on at once',
    attacks: OF_FLEETS,
    edits: [
      {
        file: 'src/fleets/fleet-claims.ts',
        from: '[...this.#served], partners)',
        to: '[...this.#served], partners.slice(partners.length))',
      },
    ],
    proofs: [ofFleets('a process works on one fleet of a partner at once')],
  },
  {
    name: 'pauses of a fleet that is built or removed',
    attacks: OF_FLEETS,
    edits: [{ file: 'src/loops/pause-for-others.ts', from: 'sleep(PAUSE_MS)', to: 'Promise.resolve(sleep)' }],
    proofs: [ofFleets('a pause is long enough for requests of others')],
  },
  {
    name: 'batches of a fleet that is built',
    attacks: OF_FLEETS,
    edits: [
      {
        file: 'src/fleets/provisioning.ts',
        from: 'const HOUSEHOLD_BATCH_SIZE = 100;',
        to: 'const HOUSEHOLD_BATCH_SIZE = 1_000;',
      },
    ],
    proofs: [ofFleets('requests of others have a pause between the batches')],
  },
  {
    name: 'what one turn of a fleet removes',
    attacks: OF_FLEETS,
    edits: [
      {
        file: LANES,
        from: 'const PURGE_BATCHES_OF_A_TURN = 80;',
        to: 'const PURGE_BATCHES_OF_A_TURN = Infinity;',
      },
    ],
    proofs: [ofFleets('a runner removes a fleet of many rows in several turns')],
  },
];
