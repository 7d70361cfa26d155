// What a request may take before anybody knows who sends it.
import type { Bound, Proof } from './bound.ts';

const BOUNDS_OF_REQUESTS = 'src/http/request-bounds.ts';
const LABELS = 'src/http/route-label.ts';
const TURNS = 'tests/abuse/unproven-turns.test.ts';
const SERVER = 'src/http/bounded-server.ts';

const unproven = (test: string, only?: string): Proof => ({
  file: 'tests/abuse/before-authentication.test.ts',
  test,
  ...(only === undefined ? {} : { only }),
});
const body = (only: string): Proof => ({
  file: 'tests/abuse/bodies.test.ts',
  test: 'what is within the bounds is answered',
  only,
});
const ofRequest = (test: string): Proof => ({ file: 'tests/http/bounds.test.ts', test });
const ofConnection = (test: string): Proof => ({ file: 'tests/http/connections.test.ts', test });

export const boundsOfRequests: readonly Bound[] = [
  {
    name: 'length of an address',
    attacks: ['query-string', 'long-paths'],
    edits: [{ file: BOUNDS_OF_REQUESTS, from: 'if (url.length > MAX_URL_BYTES) {', to: 'if (url === "") {' }],
    proofs: [unproven('addresses of 15 kB are refused'), ofRequest('of 8 KiB is read')],
  },
  {
    name: 'parameters of a query',
    attacks: ['query-string', 'many-codes'],
    edits: [
      {
        file: BOUNDS_OF_REQUESTS,
        from: 'countParameters(url, query) > MAX_QUERY_PARAMETERS',
        to: 'countParameters(url, query) > Infinity',
      },
    ],
    proofs: [body('many-codes'), ofRequest('may have 100 parameters')],
  },
  {
    name: 'reading of a query in linear time',
    attacks: ['query-string'],
    edits: [
      {
        file: 'src/http/request-values.ts',
        from: "if (typeof before === 'string') values.set(name, [before, value]);",
        to: "if (typeof before !== 'number') values.set(name, [before, value].flat());",
      },
    ],
    proofs: [ofRequest('with repeated names is read in one go')],
  },
  {
    name: 'fields of a header',
    attacks: ['large-headers'],
    edits: [
      {
        file: BOUNDS_OF_REQUESTS,
        from: 'if (rawHeaders.length > 2 * MAX_HEADER_FIELDS) {',
        to: 'if (rawHeaders.length > Infinity) {',
      },
    ],
    proofs: [ofRequest('a request may have 100 header fields')],
  },
  {
    name: 'bytes of a header',
    attacks: ['large-headers', 'cookies'],
    edits: [
      { file: SERVER, from: 'const MAX_HEADER_BYTES = 16_384;', to: 'const MAX_HEADER_BYTES = 16_777_216;' },
    ],
    // Large headers have too many fields too.
    proofs: [unproven('headers of 60 kB are refused', 'cookies')],
  },
  {
    name: 'size of a form at the token endpoint',
    attacks: ['forms'],
    edits: [
      {
        file: 'src/http/oauth-routes.ts',
        from: 'const limit = route.body?.maxBytes ?? 0;',
        to: 'const limit = 1_048_576;',
      },
    ],
    proofs: [
      unproven('forms of 1 MiB are refused without being parsed'),
      ofRequest('is refused as soon as it is, when it comes in chunks'),
    ],
  },
  {
    name: 'connections of an address, and of all',
    attacks: ['half-open', 'half-open-burst', 'slow-headers'],
    edits: [
      {
        file: SERVER,
        from: 'shareConnections(server, isTrusted, limits);',
        to: 'void shareConnections;',
      },
    ],
    proofs: [
      ofConnection('one address has so many; more are closed'),
      ofConnection('the one that has waited the longest makes room'),
      ofConnection('an address keeps so many that have sent no whole header'),
      ofConnection('the address that has most makes room'),
      ofConnection('a trusted proxy has as many as the server'),
    ],
  },
  {
    name: 'time of a header',
    attacks: ['half-open', 'half-open-burst', 'slow-headers'],
    edits: [{ file: SERVER, from: 'headersTimeout: limits.headersMs,', to: 'headersTimeout: 0,' }],
    proofs: [
      { ...ofConnection('a request that does not arrive in time'), only: 'a connection without a byte' },
      { ...ofConnection('a request that does not arrive in time'), only: 'a header without an end' },
    ],
  },
  {
    name: 'time of a request',
    attacks: ['half-open', 'half-open-burst', 'slow-headers'],
    edits: [{ file: SERVER, from: 'requestTimeout: limits.requestMs,', to: 'requestTimeout: 0,' }],
    proofs: [{ ...ofConnection('a request that does not arrive in time'), only: 'a body without an end' }],
  },
  {
    name: 'counts of the queue that scrapes share',
    attacks: ['probes'],
    edits: [
      {
        file: 'src/compose/metrics.ts',
        from: 'const QUEUE_STATUS_MAX_AGE_MS = 5_000;',
        to: 'const QUEUE_STATUS_MAX_AGE_MS = 0;',
      },
    ],
    proofs: [
      unproven('scrapes of the metrics share one count'),
      { file: 'tests/webhooks/metrics.test.ts', test: 'scrapes within five seconds share one count' },
    ],
  },
  {
    name: 'text of the metrics that scrapes share',
    attacks: ['probes'],
    edits: [
      {
        file: 'src/http/health.ts',
        from: 'send(await readMetrics());',
        to: 'send(await options.registry.metrics());',
      },
    ],
    proofs: [unproven('scrapes within a second get the same text')],
  },
  {
    name: 'question of readiness that probes share',
    attacks: ['probes'],
    edits: [
      {
        file: 'src/queries/connection/probe.ts',
        from: 'return shareAnswer(ask, { maxAgeMs: ANSWER_MAX_AGE_MS, monotonicMs });',
        to: 'void [shareAnswer, ANSWER_MAX_AGE_MS, monotonicMs]; return ask;',
      },
    ],
    proofs: [{ file: 'tests/faults/database.test.ts', test: 'probes of readiness share one question' }],
  },
  {
    name: 'links of no form, or whose hour is over, without the database',
    attacks: ['consent-links'],
    edits: [
      {
        file: 'src/portal/consent.ts',
        from: 'if (!isLinkPlausible(secret, clock())) return REFUSALS.invalid;',
        to: '',
      },
    ],
    proofs: [{ file: TURNS, test: 'a consent page with' }],
  },
  {
    name: 'look-ups of clients in the share of who names them',
    attacks: ['victims-client', 'unknown-clients'],
    edits: [
      { file: 'src/http/oauth-routes.ts', from: '  assignToPartner(partnerId);', to: 'undefined' },
      { file: 'src/queries/connection/batches.ts', from: "findRequestScope()?.party ?? ''", to: "''" },
    ],
    proofs: [
      { file: TURNS, test: 'a client whose header was right before' },
      {
        file: 'tests/queries/connection/batches.test.ts',
        test: 'is in a batch with callers of the same partner',
      },
    ],
  },
  {
    name: 'series of the metrics',
    attacks: ['odd-methods'],
    edits: [
      {
        file: LABELS,
        from: 'NAMED_METHODS.has(request.method) ? request.method : OTHER',
        to: 'request.method',
      },
      { file: LABELS, from: ' && status !== 405', to: '' },
      {
        file: 'src/http/api-routes.ts',
        from: 'const { handlers, isForClients } = match.target;',
        to: 'const { handlers, isForClients } = match.target; request.route = { path: request.path };',
      },
    ],
    proofs: [
      {
        file: 'tests/http/metric-labels.test.ts',
        test: 'every method on every path makes no more series',
      },
    ],
  },
  {
    name: 'look-ups of unknown tokens and sessions at once',
    attacks: ['unknown-tokens', 'unknown-sessions'],
    edits: [
      {
        file: 'src/compose/api.ts',
        from: 'const lookups = new FairShare(CREDENTIAL_LOOKUPS);',
        to: 'const lookups = { run: <Result>(_address: string, work: () => Promise<Result>) => work() };',
      },
    ],
    proofs: [
      {
        file: 'tests/abuse/connections.test.ts',
        test: 'at once, however many connections',
        only: 'unknown-tokens',
      },
      {
        file: 'tests/abuse/connections.test.ts',
        test: 'at once, however many connections',
        only: 'unknown-sessions',
      },
    ],
  },
  {
    name: 'password hashes at once',
    attacks: ['login', 'password-grant'],
    edits: [
      {
        file: 'src/compose/api.ts',
        from: 'createTurns(PASSWORD_HASHES)',
        to: 'createTurns({ capacity: 10_000, maxWaiting: 10_000 })',
      },
    ],
    proofs: [{ file: 'tests/abuse/slots.test.ts', test: 'are refused first', only: 'password-grant' }],
  },
  {
    name: 'threads for password hashes, which give way',
    attacks: ['login', 'password-grant'],
    edits: [
      {
        file: 'src/compute/password-threads.ts',
        from: 'const THREADS = { minThreads: 1, maxThreads: 2,',
        to: 'const THREADS = { minThreads: 1, maxThreads: 4,',
      },
      { file: 'src/compute/password-threads.ts', from: 'niceIncrement: NICE_INCREMENT,', to: '' },
    ],
    proofs: [
      { file: 'tests/abuse/slots.test.ts', test: 'computed by threads that give way', only: 'login' },
      {
        file: 'tests/abuse/slots.test.ts',
        test: 'computed by threads that give way',
        only: 'password-grant',
      },
    ],
  },
];
