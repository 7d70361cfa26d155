// Whose requests are begun, and how many of them wait for that.
import type { Bound, Proof } from './bound.ts';

const CALLERS = 'src/http/caller-turns.ts';
const REQUEST_TURNS = 'src/http/request-turns.ts';

const unproven = (test: string, only?: string): Proof => ({
  file: 'tests/abuse/before-authentication.test.ts',
  test,
  ...(only === undefined ? {} : { only }),
});
const turns = (test: string): Proof => ({ file: 'tests/http/request-turns.test.ts', test });
const longTurns = (test: string): Proof => ({ file: 'tests/http/long-turns.test.ts', test });
const callers = (test: string): Proof => ({ file: 'tests/http/caller-turns.test.ts', test });

export const boundsOfTurns: readonly Bound[] = [
  {
    name: 'what a turn of the event loop begins, and turns of callers',
    attacks: ['many-connections', 'many-probes', 'connection-burst'],
    edits: [
      {
        file: REQUEST_TURNS,
        from: 'if (!this.#loop.isRunning && this.#hasTimeLeft(nowMs)) {',
        to: 'if (Number.isFinite(nowMs)) {',
      },
    ],
    proofs: [turns('are begun by turns with the one of another address that comes behind them')],
  },
  {
    name: 'few requests that a turn of the event loop begins in more than a millisecond',
    attacks: ['many-connections'],
    edits: [{ file: REQUEST_TURNS, from: 'const FEW_OF_TURN = 16;', to: 'const FEW_OF_TURN = 1_024;' }],
    proofs: [turns('16 are begun at once where they take more than a millisecond')],
  },
  {
    name: 'time in which a turn of the event loop begins few requests',
    attacks: ['many-connections'],
    edits: [{ file: REQUEST_TURNS, from: 'const FEW_MS = 5;', to: 'const FEW_MS = 5_000;' }],
    proofs: [turns('two are begun at once where they take six')],
  },
  {
    name: 'share of long turns of the event loop that begins what waits',
    attacks: ['tiny-chunks', 'many-addresses-chunks'],
    edits: [{ file: REQUEST_TURNS, from: 'SHARE_OF_LONG_TURN = 0.25', to: 'SHARE_OF_LONG_TURN = 0' }],
    proofs: [longTurns('in a quarter of turns of eight milliseconds')],
  },
  {
    name: 'time in which a long turn of the event loop begins what waits',
    attacks: ['ten-applications'],
    edits: [{ file: REQUEST_TURNS, from: 'MOST_OF_LONG_TURN_MS = 4', to: 'MOST_OF_LONG_TURN_MS = Infinity' }],
    proofs: [longTurns('for four milliseconds where turns take longer')],
  },
  {
    name: 'long turns of the event loop that are not for strangers',
    attacks: ['many-connections'],
    edits: [{ file: CALLERS, from: 'name !== STRANGERS && size <= most', to: 'size <= most' }],
    proofs: [longTurns('of an address one is begun in a long turn')],
  },
  {
    name: 'long turns of the event loop that are for partners of whom few requests wait',
    attacks: ['event-streams'],
    edits: [{ file: REQUEST_TURNS, from: 'const FEW_WAITING = 64;', to: 'const FEW_WAITING = 1_024;' }],
    proofs: [longTurns('until 64 are left')],
  },
  {
    name: 'one turn of all addresses together',
    attacks: ['many-addresses'],
    edits: [
      {
        file: CALLERS,
        from: "return kindOf(caller) === 'partner' ? caller : STRANGERS;",
        to: "(kindOf(caller) === 'partner' ? caller : `${STRANGERS} ${caller}`)",
      },
    ],
    proofs: [
      unproven('is served beside 250 addresses as beside one'),
      turns('make one of a partner wait for two of them'),
      callers('all addresses together have one turn beside each partner'),
    ],
  },
  {
    name: 'turns of clients that have proven themselves',
    attacks: ['many-addresses'],
    edits: [
      {
        file: 'src/compose/turns.ts',
        from: 'authenticator.findProvenPartner(authorization) ?? provenClients.findProvenPartner(authorization)',
        to: 'authenticator.findProvenPartner(authorization)',
      },
    ],
    proofs: [unproven('is served beside 250 addresses as beside one', 'asks for tokens')],
  },
  {
    name: 'requests of all addresses together that wait',
    attacks: ['many-addresses'],
    edits: [
      {
        file: CALLERS,
        from: 'const isFull = party.size >= maxOfParty;',
        to: 'const isFull = maxOfParty < 0;',
      },
    ],
    proofs: [
      turns('wait up to so many in all; the address that has most is refused first'),
      callers('of all addresses so many wait'),
      callers('64 addresses with 128 each have no more waiting than 2,048'),
    ],
  },
  {
    name: 'requests of a caller that wait',
    attacks: ['many-connections'],
    edits: [
      {
        file: CALLERS,
        from: 'if (waiting.size >= maxOfCaller) return item;',
        to: 'if (maxOfCaller < 0) return item;',
      },
    ],
    proofs: [
      turns('more than may wait of one caller are refused at once'),
      callers('of a caller so many wait'),
    ],
  },
  {
    name: 'time that a request waits to be begun',
    attacks: ['many-connections'],
    edits: [{ file: REQUEST_TURNS, from: 'if (waitedMs < WAIT_MS) {', to: 'if (waitedMs > -1) {' }],
    proofs: [turns('what has waited for 2 s is refused')],
  },
];
