// Connections that are all readable in one turn of the event loop, whose reads move the clock.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import type { QuotaSubject } from '../../src/domain/security/quota-subjects.ts';
import { shareReads } from '../../src/http/read-turns.ts';
import type { ReadLimits } from '../../src/http/read-turns.ts';
import { stopReading } from '../../src/http/stop-connection.ts';
import { PROCESS_CLOCK } from '../../src/loops/loop-clock.ts';

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of undo.splice(0).toReversed()) await each();
});

/** What each read takes. */
const READ_MS = 1;
/** In each turn a first read, from whose end time counts, and two further ones; four are let go. */
const LIMITS: ReadLimits = { turnMs: 2, few: 0, fewMs: 2, letGoOfTurn: 4, newMs: 0 };
const OF_TURN = 3;
const COUNT = 40;

interface Served {
  /** The paths of what was read, in its order, and in which turn of the loop that was. */
  readonly read: string[];
  readonly turns: number[];
  /** The server's side of a connection by the path of its last request. */
  readonly sockets: Map<string, Socket>;
  readonly closed: () => number;
  readonly connect: () => Promise<Socket>;
  /** Lets the clock run on, so that no turn can be taken for the present one. */
  readonly rest: () => void;
  /** Lets the loop turn until so many requests have been read. */
  readonly settle: (count: number) => Promise<void>;
}

/** A server that takes the header `X-Caller` for whose request it is. */
async function serve(limits: Partial<ReadLimits> = {}): Promise<Served> {
  const [read, turns, sockets]: [string[], number[], Map<string, Socket>] = [[], [], new Map()];
  let [nowMs, accepted, closed] = [0, 0, 0];
  const findCaller = (request: IncomingMessage): QuotaSubject =>
    String(request.headers['x-caller']) as QuotaSubject;
  const server = createServer();
  shareReads(server, findCaller, { ...LIMITS, ...limits }, { ...PROCESS_CLOCK, monotonicMs: () => nowMs });
  server.on('connection', (socket: Socket) => {
    accepted += 1;
    socket.once('close', () => (closed += 1));
  });
  server.on('request', (request, response) => {
    nowMs += READ_MS;
    read.push(request.url ?? '');
    turns.push(PROCESS_CLOCK.countTurns());
    sockets.set(request.url ?? '', request.socket);
    response.end('done');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  undo.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    read,
    turns,
    sockets,
    closed: () => closed,
    connect: async () => {
      const wanted = accepted + 1;
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
      undo.push(() => socket.destroy());
      socket.on('error', () => undefined).resume();
      while (accepted < wanted) await turn();
      return socket;
    },
    rest: () => void (nowMs += 1_000),
    settle: async (count) => {
      while (read.length < count) await turn();
    },
  };
}

const ask = (path: string, caller = 'address a'): string =>
  `GET ${path} HTTP/1.1\r\nHost: a\r\nX-Caller: ${caller}\r\n\r\n`;

/** Connections that have had one request of the caller; none has been read in the present turn. */
async function openKnown(served: Served, count: number, prefix: string, caller?: string): Promise<Socket[]> {
  const sockets: Socket[] = [];
  for (let n = 0; n < count; n++) {
    const socket = await served.connect();
    const before = served.read.length;
    socket.write(ask(`/known-${prefix}${n}`, caller));
    await served.settle(before + 1);
    sockets.push(socket);
  }
  served.rest();
  return sockets;
}

function mostOfTurn(turns: readonly number[]): number {
  return Math.max(...[...Map.groupBy(turns, (each) => each).values()].map(({ length }) => length));
}

describe('40 connections that are readable at once', () => {
  test('are read in turns of three, and all are', async () => {
    const served = await serve();
    const sockets = await openKnown(served, COUNT, 'a');
    const before = served.read.length;
    for (const [n, socket] of sockets.entries()) socket.write(ask(`/a${n}`));
    await served.settle(before + COUNT);
    expect(mostOfTurn(served.turns.slice(before))).toBe(OF_TURN);
    expect(new Set(served.read.slice(before)).size).toBe(COUNT);
  });

  test('are read at once where they take no time', async () => {
    const served = await serve({ turnMs: COUNT * READ_MS + 1, fewMs: COUNT * READ_MS + 1 });
    const sockets = await openKnown(served, COUNT, 'a');
    const before = served.read.length;
    for (const [n, socket] of sockets.entries()) socket.write(ask(`/a${n}`));
    await served.settle(before + COUNT);
    expect(new Set(served.turns.slice(before)).size).toBeLessThanOrEqual(2);
  });

  test.each([
    ['eight are read in any case', { few: 8, fewMs: 8 }, 8],
    ['but no more than have time for it', { few: 8, fewMs: 4 }, 5],
  ])('a few have longer: %s', async (_name, limits, most) => {
    const served = await serve(limits);
    const sockets = await openKnown(served, COUNT, 'a');
    const before = served.read.length;
    for (const [n, socket] of sockets.entries()) socket.write(ask(`/a${n}`));
    await served.settle(before + COUNT);
    expect(mostOfTurn(served.turns.slice(before))).toBe(most);
  });
});

describe('beside connections of a stranger that are readable at once', () => {
  /** How many requests of the stranger were read before the last one of the other caller, who sent last. */
  async function readBefore(caller: string): Promise<number> {
    const served = await serve();
    const sockets = await openKnown(served, COUNT, 'a');
    const others = await openKnown(served, 4, 'b', caller);
    const before = served.read.length;
    for (const [n, socket] of [...sockets, ...others].entries()) socket.write(ask(`/${n}`));
    await served.settle(before + sockets.length + others.length);
    const order = served.read.slice(before);
    return Math.max(...others.map((_, n) => order.indexOf(`/${COUNT + n}`))) - (others.length - 1);
  }

  test.each(['partner b', 'address b'])('those of %s come after as many of the first', async (caller) => {
    // A turn before the others are held; then each lets two of both go.
    expect(await readBefore(caller)).toBeLessThanOrEqual(OF_TURN + 2 + 2);
  });

  test('one that has just been opened is not held', async () => {
    const served = await serve({ newMs: 1_000 });
    const sockets: Socket[] = [];
    for (let n = 0; n < COUNT; n++) sockets.push(...(await openKnown(served, 1, String(n), `address ${n}`)));
    const before = served.read.length;
    const socket = await served.connect();
    for (const [n, each] of sockets.entries()) each.write(ask(`/a${n}`));
    socket.write(ask('/new'));
    await served.settle(before + COUNT + 1);
    expect(served.read.slice(before).indexOf('/new')).toBeLessThanOrEqual(OF_TURN);
  });
});

describe('a connection that is held', () => {
  /** Two of 40 are read, then the others are held: one of these with what it has sent, and how many had been read before. */
  async function holdSome(): Promise<{ served: Served; held: Socket; path: string; before: number }> {
    const served = await serve({ turnMs: 0, fewMs: 0 });
    const sockets = await openKnown(served, COUNT, 'a');
    const before = served.read.length;
    for (const [n, socket] of sockets.entries()) socket.write(ask(`/a${n}`));
    await served.settle(before + 1);
    const n = sockets.findLastIndex((_, each) => !served.read.includes(`/a${each}`));
    const held = served.sockets.get(`/known-a${n}`);
    if (held === undefined) throw new Error('None is held.');
    return { served, held, path: `/a${n}`, before };
  }

  test('stays as it is while somebody else has paused it, and is read once that ends', async () => {
    const { served, held, path, before } = await holdSome();
    stopReading(held);
    await served.settle(before + COUNT - 1);
    for (let n = 0; n < COUNT; n++) await turn();
    expect(served.read).not.toContain(path);
    held.resume();
    await served.settle(before + COUNT);
  });

  test('is let go in its turn: no more than so many are let go in one', async () => {
    const served = await serve();
    const sockets = await openKnown(served, COUNT, 'a');
    const before = served.read.length;
    const letGo: number[] = [];
    for (const socket of served.sockets.values())
      socket.on('resume', () => letGo.push(PROCESS_CLOCK.countTurns()));
    for (const [n, socket] of sockets.entries()) socket.write(ask(`/a${n}`));
    await served.settle(before + COUNT);
    expect(mostOfTurn(letGo)).toBe(LIMITS.letGoOfTurn);
  });

  test('may end: the others are let go', async () => {
    const { served, held, before } = await holdSome();
    held.destroy();
    await served.settle(before + COUNT - 1);
    expect(served.closed()).toBe(1);
  });
});
