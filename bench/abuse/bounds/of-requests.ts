// What a request and its connection may take before anybody knows who sends it, and while its answer is read.
import type { Bound } from './bound.ts';

export const boundsOfRequests: readonly Bound[] = [
  {
    name: 'length of an address, number of parameters and header fields, reading of a query in linear time',
    attacks: ['query-string', 'long-paths', 'many-codes', 'large-headers'],
    edits: [
      { file: 'src/http/app.ts', from: 'app.use(checkRequestBounds, ', to: 'app.use(' },
      {
        file: 'src/http/request-values.ts',
        from: "if (typeof before === 'string') values.set(name, [before, value]);",
        to: "if (typeof before !== 'number') values.set(name, [before, value].flat());",
      },
    ],
  },
  {
    name: 'bytes of a header',
    attacks: ['large-headers', 'cookies'],
    edits: [
      {
        file: 'src/http/bounded-server.ts',
        from: 'const MAX_HEADER_BYTES = 16_384;',
        to: 'const MAX_HEADER_BYTES = 16_777_216;',
      },
    ],
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
  },
  {
    name: 'open bodies of an address, and how long they and headers may take',
    attacks: ['half-open', 'half-open-burst', 'slow-headers'],
    edits: [
      {
        file: 'src/http/open-bodies.ts',
        from: 'if (open.size >= maxOfAddress) makeRoom(open, maxOfAddress);',
        to: '',
      },
      { file: 'src/http/open-bodies.ts', from: 'if (!body.request.complete) body.end();', to: '' },
      {
        file: 'src/http/bounded-server.ts',
        from: 'shareConnections(server, createMembership(trustedProxies), limits);',
        to: 'void [shareConnections, createMembership, trustedProxies];',
      },
      {
        file: 'src/http/bounded-server.ts',
        from: 'headersTimeout: limits.headersMs,',
        to: 'headersTimeout: 0,',
      },
      {
        file: 'src/http/bounded-server.ts',
        from: 'requestTimeout: limits.requestMs,',
        to: 'requestTimeout: 0,',
      },
    ],
  },
  {
    name: 'one request of a connection at a time, and how many wait behind it',
    attacks: ['pipelining', 'document-slowly', 'locations', 'users-slowly'],
    edits: [
      {
        file: 'src/http/connection.ts',
        from: 'const MAX_WAITING_REQUESTS = 100;',
        to: 'const MAX_WAITING_REQUESTS = Infinity;',
      },
      {
        file: 'src/http/connection.ts',
        from: 'if (this.#current === undefined) {',
        to: 'if (Date.now() > 0) {',
      },
    ],
  },
  {
    name: 'what is made for a reader before it has taken what is there, and readers that take nothing',
    attacks: ['locations', 'users-slowly', 'stored-prices'],
    edits: [
      {
        file: 'src/http/reply.ts',
        from: 'if (response.writableNeedDrain) await waitForDrain(response);',
        to: '',
      },
      {
        file: 'src/http/slow-readers.ts',
        from: 'if (now?.looks === LOOKS) socket.destroy();',
        to: 'if (now?.looks === LOOKS) continue;',
      },
    ],
  },
  {
    name: 'documents that are made once, as bytes that all answers share',
    attacks: ['document', 'document-slowly'],
    edits: [
      {
        file: 'src/http/document-routes.ts',
        from: '.send(json);',
        to: '.send(JSON.stringify(JSON.parse(text)));',
      },
      {
        file: 'src/reference/reference.ts',
        from: '.send(reference));',
        to: '.send(`${reference.toString()} `));',
      },
    ],
  },
  {
    name: 'counts and questions that probes share',
    attacks: ['probes'],
    edits: [
      {
        file: 'src/compose/metrics.ts',
        from: 'const QUEUE_STATUS_MAX_AGE_MS = 5_000;',
        to: 'const QUEUE_STATUS_MAX_AGE_MS = 0;',
      },
      {
        file: 'src/queries/connection/probe.ts',
        from: 'return () => (asking ??= ask().finally(() => (asking = undefined)));',
        to: 'return ask;',
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
  },
];
