// What a partner may take of what all partners share.
import type { Bound } from './bound.ts';

const POOL = 'src/compute/pool.ts';
const SENDS_NOTHING_TO_THREADS =
  "const { runJob } = await import('./jobs.ts'); const answer = { output: await runJob({ name, input }) } as JobAnswer;";

export const boundsOfPartners: readonly Bound[] = [
  {
    name: 'connections to the database of a partner, and of all whom nobody knows',
    attacks: [
      'unknown-tokens',
      'unknown-sessions',
      'unknown-clients',
      'victims-client',
      'sign-up',
      'stored-prices',
      'users-slowly',
      'deep-offsets',
      'many-codes',
      'user-flood',
      'ten-applications',
      'long-lists',
      'device-pages',
      'fleet-flood',
      'expand-purge',
    ],
    edits: [
      {
        file: 'src/compose/database.ts',
        from: 'acquireShare: (partnerId, signal) => share.acquire(partnerId, signal),',
        to: 'acquireShare: () => Promise.resolve(() => undefined),',
      },
    ],
  },
  {
    name: 'turns of a partner, and threads beside the event loop',
    attacks: [
      'valid-prices',
      'faulty-prices',
      'previews',
      'series',
      'schedules',
      'fleet-flood',
      'expand-purge',
    ],
    edits: [
      {
        file: POOL,
        from: 'const answer = await this.#runOnThread(name, input);',
        to: SENDS_NOTHING_TO_THREADS,
      },
      {
        file: POOL,
        from: 'return this.#turns.acquire(partnerId, signal);',
        to: 'return Promise.resolve(() => undefined);',
      },
      {
        file: POOL,
        from: 'return this.#turns.run(partnerId, () => this.run(partnerId, name, input));',
        to: 'return this.run(partnerId, name, input);',
      },
      {
        file: POOL,
        from: 'const release = await this.#units.acquire(partnerId, signal);',
        to: 'const release = (): void => undefined;',
      },
    ],
  },
  {
    name: 'fleets that are worked on at once, and what one turn removes',
    attacks: ['fleet-flood', 'expand-purge'],
    edits: [
      {
        file: 'src/fleets/runner.ts',
        from: 'const { db, now, lanes = 3 } = this.#options;',
        to: 'const { db, now, lanes = 1_000 } = this.#options;',
      },
      {
        file: 'src/fleets/runner.ts',
        from: 'const PURGE_BATCHES_OF_A_TURN = 20;',
        to: 'const PURGE_BATCHES_OF_A_TURN = Infinity;',
      },
    ],
  },
  {
    name: 'fleets and households of a partner',
    attacks: ['fleet-flood'],
    edits: [
      {
        file: 'src/operations/fleets/create.ts',
        from: "await requireWithinQuota(tx, scope, 'fleets');",
        to: '',
      },
      {
        file: 'src/operations/fleets/create.ts',
        from: "await requireWithinQuota(tx, scope, 'households', fleet.household_count);",
        to: '',
      },
    ],
  },
  {
    name: 'lists that are streamed at once',
    attacks: ['locations', 'users-slowly', 'stored-prices', 'long-lists'],
    edits: [
      {
        file: 'src/compose/api.ts',
        from: 'new FairShare(STREAMED_LISTS)',
        to: 'new FairShare({ capacity: 10_000, maxWaiting: 10_000 })',
      },
      {
        file: 'src/compose/api.ts',
        from: 'new FairShare(LIST_CHUNKS)',
        to: 'new FairShare({ capacity: 10_000, maxWaiting: 10_000 })',
      },
    ],
  },
  {
    name: 'time slices of the states of devices',
    attacks: ['device-pages'],
    edits: [
      {
        file: 'src/households/device-states.ts',
        from: 'if (rows.length > 1) await context.yieldToEventLoop(0, partnerId);',
        to: '',
      },
      {
        file: 'src/households/time-slicer.ts',
        from: 'if (this.#left < days || performance.now() >= this.#untilMs) {',
        to: 'if (this.#isStopping()) {',
      },
    ],
  },
  {
    name: 'event streams of a partner',
    attacks: ['event-streams'],
    edits: [
      {
        file: 'src/streams/event-feed.ts',
        from: 'if (others >= limit || this.isFull) return undefined;',
        to: 'if (this.isFull) return undefined;',
      },
    ],
  },
  {
    name: 'tests of webhooks under way at once',
    attacks: ['webhook-tests'],
    edits: [
      {
        file: 'src/compose/services.ts',
        from: 'runInTurn: (partnerId, work) => tests.run(partnerId, work),',
        to: 'runInTurn: (_partnerId, work) => work(),',
      },
    ],
  },
  {
    name: 'items that a page passes over',
    attacks: ['deep-offsets'],
    edits: [
      {
        file: 'generated/validate-queries.js',
        from: ' > 10000 || isNaN(',
        to: ' > Infinity || isNaN(',
        everywhere: true,
      },
    ],
  },
  {
    name: 'one quota for all tokens of a partner',
    attacks: ['ten-applications'],
    edits: [{ file: 'src/http/authorize.ts', from: "{ policy: 'partner', subject: partner },", to: '' }],
  },
  {
    name: 'depth, properties and containers of JSON',
    attacks: ['nesting'],
    edits: [
      {
        file: 'src/contract/json-body.ts',
        from: 'const fault = findJsonFault(text);',
        to: 'const fault = ((): string | undefined => undefined)();',
      },
    ],
  },
  {
    name: 'errors that are sought and told',
    attacks: ['faulty-prices'],
    edits: [
      {
        file: 'generated/find-body-errors.js',
        from: 'if(errors >= 408){',
        to: 'if(errors >= Infinity){',
        everywhere: true,
      },
      {
        file: 'src/contract/field-errors.ts',
        from: 'if (seen.size === FIELD_ERRORS_SOUGHT) break;',
        to: '',
      },
    ],
  },
];
