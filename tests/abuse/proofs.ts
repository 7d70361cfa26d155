// For each attack the tests that fail when its bound is taken out: here, or where what holds the bound is tested.

export interface Proof {
  readonly file: string;
  /** A part of the test's title, as it stands in the file. */
  readonly test: string;
}

const requests = (test: string): Proof => ({ file: 'tests/abuse/before-authentication.test.ts', test });
const connections = { file: 'tests/abuse/connections.test.ts', test: 'and one is left' };
const heavyWork = { file: 'tests/abuse/heavy-work.test.ts', test: 'who has no turn is refused at once' };
const slots = { file: 'tests/abuse/slots.test.ts', test: 'are refused first' };
const quotas = (test: string): Proof => ({ file: 'tests/abuse/quotas.test.ts', test });
const bodies = (test: string): Proof => ({ file: 'tests/abuse/bodies.test.ts', test });
const openBodies = requests('of bodies that do not end an address has 256 open');
const largeHeaders = requests('headers of 60 kB are refused');
const pipelined = [
  requests('of requests that are sent without waiting 100 wait'),
  { file: 'tests/http/http-server.test.ts', test: 'are handled one after the other, and answered in order' },
  { file: 'tests/http/http-server.test.ts', test: 'are not kept without limit' },
];
const slowReaders = [
  { file: 'tests/abuse/slow-readers.test.ts', test: 'of 40 readers of a long list 16 are sent it at once' },
  { file: 'tests/http/http-server.test.ts', test: 'that takes nothing of its answer is ended' },
  { file: 'tests/operations/users-list.test.ts', test: 'slow readers of a long list keep no connection' },
];

export const PROOFS: Readonly<Record<string, readonly Proof[]>> = {
  'query-string': [requests('addresses of 15 kB are refused')],
  'long-paths': [requests('addresses of 15 kB are refused')],
  forms: [requests('forms of 1 MiB are refused without being parsed')],
  'half-open': [
    openBodies,
    { file: 'tests/http/connections.test.ts', test: 'one that brings no byte is ended' },
  ],
  'half-open-burst': [openBodies],
  'slow-headers': [{ file: 'tests/http/connections.test.ts', test: 'a header without an end' }],
  pipelining: pipelined,
  'unknown-tokens': [connections],
  'unknown-sessions': [connections],
  'unknown-clients': [connections],
  'victims-client': [
    connections,
    {
      file: 'tests/oauth/client-counts.test.ts',
      test: 'wrong secrets of a client use up nothing of what it has from elsewhere',
    },
  ],
  login: [slots, quotas('logins beyond the quota of an address')],
  'sign-up': [connections, quotas('sign-up requests beyond the quota of an address')],
  'document-slowly': [...pipelined, requests('is made once')],
  document: [requests('is made once')],
  'large-headers': [largeHeaders],
  cookies: [largeHeaders],
  probes: [
    { file: 'tests/faults/database.test.ts', test: 'probes of readiness share one question' },
    requests('scrapes of the metrics share one count'),
  ],
  'faulty-prices': [heavyWork, bodies('8 MB of faulty prices are refused')],
  'valid-prices': [heavyWork],
  'stored-prices': [slowReaders[0] as Proof],
  previews: [heavyWork],
  series: [heavyWork],
  schedules: [heavyWork],
  'users-slowly': slowReaders,
  'event-streams': [{ file: 'tests/abuse/event-streams.test.ts', test: 'of 60 event streams 50 are opened' }],
  'webhook-tests': [slots],
  'deep-offsets': [connections, bodies('what is within the bounds is answered')],
  'many-codes': [connections, bodies('what is within the bounds is answered')],
  'user-flood': [connections],
  'ten-applications': [quotas('ten applications of a partner share one quota')],
  'long-lists': [connections],
  'device-pages': [
    connections,
    { file: 'tests/abuse/heavy-work.test.ts', test: 'counters of a year are summed in slices' },
  ],
  nesting: [bodies('bodies nested 500,000 deep')],
  'password-grant': [slots],
  locations: [
    ...pipelined,
    { file: 'tests/abuse/slow-readers.test.ts', test: 'readers of locations hold no connection' },
  ],
  'fleet-flood': [
    connections,
    quotas('fleets beyond the quota of a partner'),
    { file: 'tests/fleets/turns.test.ts', test: 'does not make another wait for all of them' },
  ],
  'expand-purge': [
    connections,
    { file: 'tests/fleets/turns.test.ts', test: 'a removal of many rows gives its turn up' },
  ],
};
