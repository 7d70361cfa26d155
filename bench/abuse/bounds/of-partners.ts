// What a partner may take of what all partners share.
import type { Bound, Proof } from './bound.ts';

const CREATE = 'src/operations/fleets/create.ts';
const ofNumbers = (test: string): Proof => ({ file: 'tests/abuse/quotas.test.ts', test });

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
        from: 'acquireShare: shareConnections(capacity, recentPartners),',
        to: 'acquireShare: () => Promise.resolve(() => undefined),',
      },
    ],
    // Strangers' tokens and sessions are held up by their look-ups before, look-ups of one client and new users by their batches.
    proofs: ['unknown-clients', 'sign-up', 'fleet-flood', 'expand-purge'].map((only) => ({
      file: 'tests/abuse/connections.test.ts',
      test: 'and others are left',
      only,
    })) as [Proof],
  },
  {
    name: 'what a partner leaves to others while they are at work',
    attacks: ['deep-offsets', 'long-lists', 'ten-applications', 'device-pages', 'price-pages'],
    edits: [
      {
        file: 'src/shares/recent-partners.ts',
        from: '(recentPartners.hasOthers(partnerId) ? besideOthers : alone)',
        to: '(recentPartners.hasOthers(partnerId) ? alone : alone)',
      },
    ],
    proofs: [
      { file: 'tests/shares/fair-share.test.ts', test: 'each partner has two at most beside others' },
      {
        file: 'tests/portal/page-turns.test.ts',
        test: 'pages of a partner are made at once',
        only: '1 pages',
      },
      {
        file: 'tests/operations/list-turns.test.ts',
        test: 'pages are made at once, and another has its own',
        only: 'beside others',
      },
    ],
  },
  {
    name: 'the second before a refusal',
    attacks: [
      'login',
      'password-grant',
      'valid-prices',
      'faulty-prices',
      'previews',
      'series',
      'schedules',
      'webhook-tests',
      'locations',
      'users-slowly',
      'stored-prices',
      'ten-applications',
    ],
    edits: [
      {
        file: 'src/shares/fair-share.ts',
        from: 'export const REFUSE_AFTER_MS = 1_000;',
        to: 'export const REFUSE_AFTER_MS = 0;',
      },
    ],
    proofs: [
      {
        file: 'tests/abuse/slots.test.ts',
        test: 'none of them sooner than after a second',
        only: 'webhook-tests',
      },
      { file: 'tests/abuse/heavy-work.test.ts', test: 'is refused after a second', only: 'series' },
    ],
  },
  {
    name: 'fleets of a partner',
    attacks: ['fleet-flood'],
    edits: [{ file: CREATE, from: "await requireWithinQuota(tx, scope, 'fleets');", to: '' }],
    proofs: [ofNumbers('fleets beyond the quota of a partner')],
  },
  {
    name: 'households of a partner',
    attacks: ['fleet-flood'],
    edits: [
      {
        file: CREATE,
        from: "await requireWithinQuota(tx, scope, 'households', fleet.household_count);",
        to: '',
      },
    ],
    proofs: [{ file: 'tests/operations/quotas.test.ts', test: 'households count from the call on' }],
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
        from: 'if (this.#left < days || this.#monotonicMs() >= this.#untilMs) {',
        to: 'if (this.#isStopping()) {',
      },
    ],
    proofs: [
      { file: 'tests/abuse/heavy-work.test.ts', test: 'counters of a year are summed in slices' },
      { file: 'tests/households/time-slicer.test.ts', test: 'a walk waits for a turn before each slice' },
    ],
  },
  {
    name: 'prices that are read for states',
    attacks: ['price-quota'],
    edits: [
      {
        file: 'src/households/history-revisions.ts',
        from: 'const toMs = loadedAtMs + PLANNED_AROUND_MS + READ_AHEAD_MS;',
        to: "const toMs = Date.parse('9999-12-31T00:00:00Z');",
      },
    ],
    proofs: [
      {
        file: 'tests/households/history-prices.test.ts',
        test: 'prices that begin after the day after tomorrow are not read',
      },
    ],
  },
  {
    name: 'one load of prices for all who ask',
    attacks: ['price-quota'],
    edits: [
      {
        file: 'src/households/history-revisions.ts',
        from: 'const loading = loads.get(orgId);',
        to: 'const loading = loads.get(`nobody ${orgId}`);',
      },
    ],
    proofs: [
      { file: 'tests/households/history-prices.test.ts', test: 'thirty who ask at once share one load' },
    ],
  },
  {
    name: 'connections of a partner',
    attacks: ['price-quota', 'price-pages'],
    edits: [
      {
        file: 'src/compose/database.ts',
        from: 'atMost: whenAlone(recentPartners, alone, asOfRight),',
        to: '',
      },
    ],
    proofs: [
      {
        file: 'tests/shares/fair-share.test.ts',
        test: 'connections a partner that is alone at work has',
        only: 'of 10 ',
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
    proofs: [{ file: 'tests/abuse/event-streams.test.ts', test: 'of 60 event streams 50 are opened' }],
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
    proofs: [{ file: 'tests/abuse/slots.test.ts', test: 'are refused first', only: 'webhook-tests' }],
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
    proofs: [
      {
        file: 'tests/abuse/bodies.test.ts',
        test: 'what is within the bounds is answered',
        only: 'deep-offsets',
      },
    ],
  },
  {
    name: 'one quota for all tokens of a partner',
    attacks: ['ten-applications'],
    edits: [{ file: 'src/http/authorize.ts', from: "{ policy: 'partner', subject: partner },", to: '' }],
    proofs: [
      ofNumbers('ten applications of a partner share one quota'),
      { file: 'tests/http/rate-limits.test.ts', test: 'ten tokens of a partner are not ten times the quota' },
    ],
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
    proofs: [{ file: 'tests/abuse/bodies.test.ts', test: 'bodies nested 500,000 deep' }],
  },
  {
    name: 'errors that are sought',
    attacks: ['faulty-prices'],
    edits: [
      {
        file: 'generated/find-body-errors.js',
        from: 'if(errors >= 408){',
        to: 'if(errors >= Infinity){',
        everywhere: true,
      },
    ],
    proofs: [
      { file: 'tests/abuse/bodies.test.ts', test: '8 MB of faulty prices are refused' },
      { file: 'tests/contract/body-costs.test.ts', test: 'the first pass stops at the first error' },
    ],
  },
  {
    name: 'errors that are told',
    attacks: ['faulty-prices'],
    edits: [
      {
        file: 'src/contract/field-errors.ts',
        from: 'if (seen.size === FIELD_ERRORS_SOUGHT) break;',
        to: '',
      },
    ],
    proofs: [
      { file: 'tests/contract/body-costs.test.ts', test: 'of many errors one more is found than is told' },
    ],
  },
];
