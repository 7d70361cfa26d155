// What the bodies of requests may take before anybody knows who sends them.
import type { Bound, Proof } from './bound.ts';

const OPEN_BODIES = 'src/http/open-bodies.ts';
const CHUNKS = 'src/http/chunk-bounds.ts';
const SERVER = 'src/http/bounded-server.ts';

const ofConnection = (test: string): Proof => ({ file: 'tests/http/connections.test.ts', test });
const ofChunks = (test: string): Proof => ({ file: 'tests/http/chunk-bounds.test.ts', test });
const tiny = (test: string): Proof => ({ file: 'tests/abuse/bodies.test.ts', test });
const unproven = (test: string): Proof => ({ file: 'tests/abuse/before-authentication.test.ts', test });

export const boundsOfBodies: readonly Bound[] = [
  {
    name: 'open bodies of an address',
    attacks: ['half-open', 'half-open-burst'],
    edits: [
      { file: OPEN_BODIES, from: 'if (open.size >= maxOfAddress) makeRoom(open, maxOfAddress);', to: '' },
    ],
    proofs: [
      unproven('of bodies that do not end an address has 64 open'),
      ofConnection('the one that was silent the longest makes room'),
    ],
  },
  {
    name: 'time of a body that brings no byte',
    attacks: ['half-open', 'half-open-burst'],
    edits: [{ file: OPEN_BODIES, from: 'if (!body.request.complete) body.end();', to: '' }],
    proofs: [ofConnection('one that brings no byte is ended')],
  },
  {
    name: 'chunks of all bodies',
    attacks: ['tiny-chunks'],
    edits: [
      {
        file: SERVER,
        from: 'boundChunks(server, (request) => toCountedAddress(findClientAddress(request, isTrusted)));',
        to: 'void [boundChunks, toCountedAddress, findClientAddress];',
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
    name: 'chunks of the bodies of an address',
    attacks: ['tiny-chunks'],
    edits: [
      {
        file: CHUNKS,
        from: "return isOfAddress || this.#ofTurn <= fewOfTurn ? undefined : 'chunks of the address';",
        to: 'void [isOfAddress, fewOfTurn]; return undefined;',
      },
    ],
    proofs: [ofChunks('a body that brings more than a few beyond')],
  },
  {
    name: 'reads of bodies whose address has brought many chunks',
    attacks: ['tiny-chunks'],
    edits: [{ file: CHUNKS, from: 'else count.account.readOn(readOn);', to: 'else readOn();' }],
    proofs: [ofChunks('are read on while half of them is left')],
  },
  {
    name: 'reads of a body in a turn',
    attacks: ['tiny-chunks'],
    edits: [
      {
        file: CHUNKS,
        from: 'endsOfTurn.add(readOnInNextTurn(request, count));',
        to: 'void readOnInNextTurn; endsOfTurn.add(() => count.endTurn());',
      },
    ],
    proofs: [ofChunks('come from one read of each body')],
  },
  {
    name: 'calls for a body that was given up',
    attacks: ['tiny-chunks'],
    edits: [{ file: CHUNKS, from: 'dropBodyOfTurn(request.socket);', to: 'void dropBodyOfTurn;' }],
    proofs: [ofChunks('are counted where nobody reads the body')],
  },
  {
    name: 'requests behind a body that was given up',
    attacks: ['tiny-chunks'],
    edits: [{ file: CHUNKS, from: 'stopRequests(request.socket);', to: 'void stopRequests;' }],
    proofs: [ofChunks('are counted where nobody reads the body')],
  },
  {
    name: 'reads of a body that was given up',
    attacks: ['tiny-chunks'],
    edits: [{ file: CHUNKS, from: 'if (isCutOff(request)) return;', to: '' }],
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
