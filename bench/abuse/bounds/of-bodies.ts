// What the bodies of requests may take before anybody knows who sends them.
import type { Bound, Proof } from './bound.ts';

const OPEN_BODIES = 'src/http/open-bodies.ts';
const CHUNKS = 'src/http/chunk-bounds.ts';
const ACCOUNT = 'src/http/chunk-account.ts';
const SERVER = 'src/http/bounded-server.ts';

const ofOpen = (test: string): Proof => ({ file: 'tests/http/open-bodies.test.ts', test });
const ofChunks = (test: string): Proof => ({ file: 'tests/http/chunk-bounds.test.ts', test });
const ofWaits = (test: string): Proof => ({ file: 'tests/http/waiting-bodies.test.ts', test });
const tiny = (test: string): Proof => ({ file: 'tests/abuse/bodies.test.ts', test });
const unproven = (test: string): Proof => ({ file: 'tests/abuse/before-authentication.test.ts', test });

export const boundsOfBodies: readonly Bound[] = [
  {
    name: 'open bodies of an address',
    attacks: ['half-open', 'half-open-burst'],
    edits: [
      {
        file: OPEN_BODIES,
        from: 'if (open.size >= maxOfAddress)',
        to: 'if (maxOfAddress < 0)',
      },
    ],
    proofs: [
      unproven('of bodies that do not end an address has 64 open'),
      ofOpen('the one that was silent the longest makes room'),
    ],
  },
  {
    name: 'open bodies of an address while strangers have many',
    attacks: ['half-open-burst'],
    edits: [
      {
        file: OPEN_BODIES,
        from: 'if (isStranger && strangers >= many)',
        to: 'if (many < 0)',
      },
    ],
    proofs: [ofOpen('are fewer of an address while there are many')],
  },
  {
    name: 'time of a body that brings no byte',
    attacks: ['half-open', 'half-open-burst'],
    edits: [{ file: OPEN_BODIES, from: 'if (!body.request.complete) body.end();', to: '' }],
    proofs: [ofOpen('one that brings no byte is ended')],
  },
  {
    name: 'chunks of all bodies',
    attacks: ['tiny-chunks'],
    edits: [
      {
        file: SERVER,
        from: 'boundChunks(server, findAnyCaller);',
        to: 'void boundChunks;',
      },
    ],
    proofs: [
      tiny('from as many connections as an address has they hold the loop'),
      { file: 'tests/http/bounds.test.ts', test: 'is refused too when it comes in too many chunks' },
    ],
  },
  {
    name: 'bodies behind their answer',
    attacks: ['tiny-chunks'],
    edits: [{ file: SERVER, from: 'endUnreadBodies(server);', to: 'void endUnreadBodies;' }],
    proofs: [
      {
        file: 'tests/http/bounds.test.ts',
        test: 'an answer to a body that nobody reads ends its connection',
      },
    ],
  },
  {
    name: 'chunks of a body',
    attacks: ['tiny-chunks'],
    edits: [
      {
        file: CHUNKS,
        from: "if (this.#chunks > maxOfBody + this.#bytes / bytesOfFurther) return 'chunks of the body';",
        to: 'void [maxOfBody, bytesOfFurther];',
      },
    ],
    proofs: [
      ofChunks('with more the body is refused with what to do'),
      ofChunks('are counted where nobody reads the body'),
      ofChunks('are counted while a refused body is read on'),
    ],
  },
  {
    name: 'chunks of the bodies of a party',
    attacks: ['tiny-chunks'],
    edits: [
      {
        file: CHUNKS,
        from: "return this.#findAccount().take(this.#id) ? undefined : 'chunks of the party';",
        to: 'this.#findAccount().take(this.#id); return undefined;',
      },
    ],
    proofs: [ofChunks('a body that brings more than a few beyond')],
  },
  {
    name: 'chunks of all addresses',
    attacks: ['many-addresses-chunks'],
    edits: [
      {
        file: ACCOUNT,
        from: 'const party = toPartyName(caller);',
        to: 'const party = toPartyName(caller) && caller;',
      },
    ],
    proofs: [ofChunks('the few beyond are those of all addresses')],
  },
  {
    name: 'reads of connections in a turn',
    attacks: ['many-addresses-chunks'],
    edits: [
      {
        file: 'src/http/read-turns.ts',
        from: 'this.#holdBeyond(nowMs);',
        to: '',
      },
    ],
    proofs: [
      { file: 'tests/http/read-turns.test.ts', test: 'are read three in a turn where they had been quiet' },
    ],
  },
  {
    name: 'chunks of strangers beside those of a partner',
    attacks: ['tiny-chunks'],
    edits: [
      {
        file: 'src/compose/service.ts',
        from: '(request) => surface?.findCaller?.(request)',
        to: '() => undefined',
      },
    ],
    proofs: [tiny('a body that another partner writes token by token')],
  },
  {
    name: 'few chunks of a turn beyond those of a party',
    attacks: ['pipelined-chunks'],
    edits: [
      { file: ACCOUNT, from: 'return ++this.#beyondOfTurn <= this.#limits.fewOfTurn;', to: 'return true;' },
    ],
    proofs: [ofChunks('and the few beyond are those of')],
  },
  {
    name: 'listeners of a connection for its bodies',
    attacks: ['pipelined-chunks'],
    edits: [
      {
        file: CHUNKS,
        from: 'readsOf.get(socket) ?? new BodyReads(socket, endsOfTurn);',
        to: 'new BodyReads(socket, endsOfTurn);',
      },
    ],
    proofs: [ofChunks('a connection is watched once')],
  },
  {
    name: 'reads of bodies whose party has brought many chunks',
    attacks: ['tiny-chunks'],
    edits: [
      { file: CHUNKS, from: 'if (account.mayReadOn()) {', to: 'if (account.mayReadOn() || this.#id) {' },
    ],
    proofs: [ofChunks('are read on while half of them is left')],
  },
  {
    name: 'wait of bodies beside what comes with heads',
    attacks: ['tiny-chunks'],
    edits: [
      {
        file: ACCOUNT,
        from: 'return Math.max(0, Math.min(msToHalf, paidAtMs - nowMs));',
        to: 'void paidAtMs; return Math.max(0, msToHalf);',
      },
    ],
    proofs: [ofWaits('are read on for half of what time brings')],
  },
  {
    name: 'turns of bodies that wait for chunks',
    attacks: ['many-addresses-chunks'],
    edits: [
      {
        file: ACCOUNT,
        from: 'for (const body of this.#turns.next() ?? []) {',
        to: 'for (const body of this.#waits.keys()) {',
      },
    ],
    proofs: [ofWaits('are read on by turns of their addresses')],
  },
  {
    name: 'time of a body that waits for chunks',
    attacks: ['tiny-chunks'],
    edits: [
      {
        file: ACCOUNT,
        from: 'if (nowMs - sinceMs < this.#limits.waitMs) return;',
        to: 'if (nowMs >= sinceMs) return;',
      },
    ],
    proofs: [ofWaits('are given up when they have waited too long')],
  },
  {
    name: 'bodies that wait for chunks',
    attacks: ['many-addresses-chunks'],
    edits: [{ file: ACCOUNT, from: 'if (beyond !== undefined) this.#giveUp(beyond);', to: 'void beyond;' }],
    proofs: [ofWaits('are no more than so many of an address')],
  },
  {
    name: 'bodies that wait for chunks behind the end of their connection',
    attacks: ['tiny-chunks'],
    edits: [{ file: CHUNKS, from: "socket.once('close', leave);", to: '' }],
    proofs: [ofWaits('leave when their connection ends')],
  },
  {
    name: 'reads of a body in a turn',
    attacks: ['tiny-chunks'],
    edits: [
      { file: CHUNKS, from: 'this.#isStopped = true;', to: '' },
      { file: CHUNKS, from: 'stopReading(this.#socket);', to: '' },
    ],
    proofs: [ofChunks('come from one read of each body')],
  },
  {
    name: 'calls for a body that was given up',
    attacks: ['tiny-chunks'],
    edits: [{ file: CHUNKS, from: 'dropBodyOfTurn(socket);', to: 'void dropBodyOfTurn;' }],
    proofs: [ofChunks('are counted where nobody reads the body')],
  },
  {
    name: 'requests behind a body that was given up',
    attacks: ['tiny-chunks'],
    edits: [{ file: CHUNKS, from: 'stopRequests(socket);', to: 'void stopRequests;' }],
    proofs: [ofChunks('are counted where nobody reads the body')],
  },
  {
    name: 'reads of a body that was given up',
    attacks: ['tiny-chunks'],
    edits: [
      {
        file: CHUNKS,
        from: 'if (body === undefined || isCutOff(body.request)) return;',
        to: 'if (body === undefined) return;',
      },
    ],
    proofs: [ofChunks('are counted where nobody reads the body')],
  },
  {
    name: 'bytes beside requests and bodies',
    attacks: ['empty-lines'],
    edits: [{ file: SERVER, from: 'boundOverhead(server);', to: 'void boundOverhead;' }],
    proofs: [
      tiny('empty-lines: each connection ends'),
      { file: 'tests/http/overhead-bounds.test.ts', test: 'empty lines behind an answer' },
      { file: 'tests/http/overhead-bounds.test.ts', test: 'a size of a chunk of zeros alone' },
    ],
  },
];
