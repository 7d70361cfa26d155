// What an answer may take while it waits behind others, is made, and is read.
import type { Bound, Proof } from './bound.ts';

const CONNECTION = 'src/http/connection.ts';
const SLOW_READERS = 'src/http/slow-readers.ts';
const ofReaders = (test: string): Proof => ({ file: 'tests/http/slow-readers.test.ts', test });
const ofHeldBack = (test: string): Proof => ({ file: 'tests/http/held-back.test.ts', test });
const ofServer = (test: string): Proof => ({ file: 'tests/http/http-server.test.ts', test });
const shared = (only: string): Proof => ({
  file: 'tests/http/shared-bytes.test.ts',
  test: 'is made once',
  only,
});
const ofConnections = (only: string): Proof => ({
  file: 'tests/abuse/connections.test.ts',
  test: 'at once, however many connections',
  only,
});
const ofTurns = (only: string): Proof => ({
  file: 'tests/operations/list-turns.test.ts',
  test: 'pages are made at once, and another has its own',
  only,
});
const ofReply = (test: string): Proof => ({ file: 'tests/http/reply.test.ts', test });

export const boundsOfAnswers: readonly Bound[] = [
  {
    name: 'refusals of a stranger at once',
    attacks: [
      'query-string',
      'forms',
      'pipelining',
      'unknown-tokens',
      'refused-everywhere',
      'unknown-sessions',
      'consent-links',
      'unknown-clients',
      'victims-client',
      'long-paths',
      'odd-methods',
    ],
    edits: [{ file: 'src/http/refusal-delay.ts', from: 'if (beyond <= 0)', to: 'if (beyond <= Infinity)' }],
    proofs: [
      { file: 'tests/http/refusal-delay.test.ts', test: 'three are answered at once, and the others wait' },
    ],
  },
  {
    name: 'connections whose refusals are held back make room',
    attacks: ['refused-everywhere'],
    edits: [
      {
        file: 'src/http/address-connections.ts',
        from: 'const order = [this.#ending, this.#heldBack.keys()];',
        to: 'const order = [this.#ending];',
      },
    ],
    proofs: [
      ofHeldBack('keeps nobody else of it out'),
      ofHeldBack('is sent at once and its connection ends, before idle ones'),
      ofHeldBack('those of a trusted proxy make room'),
      {
        file: 'tests/abuse/before-authentication.test.ts',
        test: 'is refused on all connections of an address',
      },
    ],
  },
  {
    name: 'requests that wait on a connection',
    attacks: ['pipelining', 'document-slowly', 'locations', 'users-slowly'],
    edits: [
      {
        file: CONNECTION,
        from: 'const MAX_WAITING_REQUESTS = 100;',
        to: 'const MAX_WAITING_REQUESTS = Infinity;',
      },
    ],
    proofs: [
      {
        file: 'tests/abuse/before-authentication.test.ts',
        test: 'of requests that are sent without waiting 100 wait',
      },
      ofServer('are not kept without limit'),
    ],
  },
  {
    name: 'one request of a connection at a time',
    attacks: ['pipelining', 'document-slowly', 'locations', 'users-slowly'],
    edits: [{ file: CONNECTION, from: 'if (this.#current === undefined) {', to: 'if (Date.now() > 0) {' }],
    proofs: [ofServer('are handled one after the other, and answered in order')],
  },
  {
    name: 'what is made for a reader before it has taken what is there',
    attacks: ['locations', 'users-slowly', 'stored-prices'],
    edits: [
      {
        file: 'src/http/reply.ts',
        from: 'if (response.writableNeedDrain) await waitForDrain(response);',
        to: '',
      },
    ],
    proofs: [ofReply('readers that take nothing leave the making of chunks to others')],
  },
  {
    name: 'time of a reader that takes too little',
    attacks: ['locations', 'users-slowly', 'stored-prices', 'document-slowly'],
    edits: [
      {
        file: SLOW_READERS,
        from: 'if (isTooSlow(reader, limits.minBytes)) destroyInTurn(socket);',
        to: 'if (isTooSlow(reader, -1)) socket.destroy();',
      },
    ],
    proofs: [
      ofReaders('a reader that takes nothing of its answer is ended'),
      ofReaders('a reader that takes some of its answer, but too little'),
    ],
  },
  {
    name: 'what all readers leave unread',
    attacks: ['locations', 'users-slowly', 'stored-prices', 'document-slowly'],
    edits: [
      {
        file: SLOW_READERS,
        from: 'endBeyond(readers, limits.maxUnreadBytes);',
        to: 'endBeyond(readers, Infinity);',
      },
    ],
    proofs: [ofReaders('of all that is left unread, the address with more than its part')],
  },
  {
    name: 'pages of lists, and chunks of streamed ones, that are made at once',
    attacks: [
      'deep-offsets',
      'many-codes',
      'long-lists',
      'device-pages',
      'locations',
      'users-slowly',
      'stored-prices',
    ],
    edits: [
      {
        file: 'src/shares/list-turns.ts',
        from: 'new FairShare({ ...options, atMost, startTimer })',
        to: 'new FairShare({ capacity: 10_000, maxWaiting: 10_000 })',
      },
    ],
    proofs: [
      ofTurns('listDeliveries'),
      ofTurns('listFleetDevices'),
      ofTurns('listInformation'),
      ofConnections('deep-offsets'),
      ofConnections('long-lists'),
      {
        file: 'tests/operations/list-turns.test.ts',
        test: 'a page waits for a chunk of a streamed list of its partner',
      },
      {
        file: 'tests/shares/list-turns.test.ts',
        test: 'a page waits for one chunk of sixteen lists that are sent, and a chunk for one page',
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
    ],
    proofs: [
      {
        file: 'tests/abuse/slow-readers.test.ts',
        test: 'of 40 readers of a long list 16 are sent it at once',
      },
    ],
  },
  {
    name: 'the document and the reference as bytes that all answers share',
    attacks: ['document', 'document-slowly'],
    edits: [
      {
        file: 'src/http/tagged-answer.ts',
        from: 'response.send(bytes);',
        to: 'response.send(`${bytes.toString()} `);',
      },
    ],
    proofs: [shared('/api/partners/v2.0/openapi.json'), shared('/docs is')],
  },
];
