// A server whose connections are all readable in one turn of the event loop, whose reads move the clock.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach } from 'vitest';
import type { QuotaSubject } from '../../src/domain/security/quota-subjects.ts';
import { shareReads } from '../../src/http/read-turns.ts';
import type { ReadLimits } from '../../src/http/read-turns.ts';
import { PROCESS_CLOCK } from '../../src/loops/loop-clock.ts';

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of undo.splice(0).toReversed()) await each();
});

/** What each read takes. */
export const READ_MS = 1;
/** Time counts from the end of the first read of a turn: three that had been quiet are read in one, and five that had not. */
export const LIMITS: ReadLimits = {
  turnMs: 4,
  volleyMs: 2,
  volley: 3,
  quietMs: 500,
  newMs: 0,
  letGoOfTurn: 4,
  maxLetGoOfTurn: 16,
  restMs: 0,
  bursts: { turns: Infinity, burstMs: Infinity, restMs: 0 },
  maxOpened: Infinity,
};

export interface Served {
  /** The paths of what was read, `end` and `error`, in its order, and in which turn of the loop that was. */
  readonly read: string[];
  readonly turns: number[];
  /** How many connections had been accepted by then. */
  readonly accepted: number[];
  /** The server's side of a connection by the path of its last request. */
  readonly sockets: Map<string, Socket>;
  readonly closed: () => number;
  readonly connect: () => Promise<Socket>;
  /** Opens a connection from an address that sends a request, and waits for nothing. */
  readonly open: (address: string, path: string) => void;
  /** Lets the clock run on; after more than half a second all that is open has been quiet. */
  readonly rest: (ms?: number) => void;
  /** Lets the loop turn until so many requests have been read. */
  readonly settle: (count: number) => Promise<void>;
}

const findCaller = ({ headers }: IncomingMessage): QuotaSubject =>
  String(headers['x-caller']) as QuotaSubject;

/** A server that takes the header `X-Caller` for whose request it is. */
export async function serve(limits: Partial<ReadLimits> = {}): Promise<Served> {
  const [read, turns, acceptedBy]: [string[], number[], number[]] = [[], [], []];
  const sockets = new Map<string, Socket>();
  let [nowMs, accepted, closed] = [0, 0, 0];
  const server = createServer();
  shareReads(server, findCaller, { ...LIMITS, ...limits }, { ...PROCESS_CLOCK, monotonicMs: () => nowMs });
  const note = (path: string): void => {
    nowMs += READ_MS;
    read.push(path);
    turns.push(PROCESS_CLOCK.countTurns());
    acceptedBy.push(accepted);
  };
  server.on('connection', (socket: Socket) => {
    accepted += 1;
    socket.once('end', () => note('end')).once('close', () => (closed += 1));
  });
  server.on('clientError', (_error, socket) => {
    note('error');
    socket.destroy();
  });
  server.on('request', (request, response) => {
    note(request.url ?? '');
    sockets.set(request.url ?? '', request.socket);
    response.end('done');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  undo.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    read,
    turns,
    accepted: acceptedBy,
    sockets,
    closed: () => closed,
    connect: async () => {
      const wanted = accepted + 1;
      const socket = connectFrom('127.0.0.1', port);
      while (accepted < wanted) await turn();
      return socket;
    },
    open: (address, path) => void connectFrom(address, port).write(ask(path)),
    rest: (ms = 1_000) => void (nowMs += ms),
    settle: async (count) => {
      while (read.length < count) await turn();
    },
  };
}

function connectFrom(localAddress: string, port: number): Socket {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  undo.push(() => socket.destroy());
  return socket.on('error', () => undefined).resume();
}

export const ask = (path: string, caller = 'address a'): string =>
  `GET ${path} HTTP/1.1\r\nHost: a\r\nX-Caller: ${caller}\r\n\r\n`;

/** Connections that have had one request of the caller, and have been quiet since. */
export async function openKnown(
  served: Served,
  count: number,
  prefix: string,
  caller?: string,
): Promise<Socket[]> {
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
