// A server whose callers take turns, by a clock that moves with the work.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { answerOverloaded } from '../../src/http/bare-problem.ts';
import type { WaitingLimits } from '../../src/http/caller-turns.ts';
import { HttpServer } from '../../src/http/http-server.ts';
import { createCallerFinder } from '../../src/http/request-caller.ts';
import { RequestTurns } from '../../src/http/request-turns.ts';
import type { LoopClock } from '../../src/loops/loop-clock.ts';
import { createAddressFinder } from '../../src/http/trusted-proxies.ts';
import { ask } from './opened-server.ts';

const undo: (() => unknown)[] = [];
/** Ends what was served; behind each test. */
export async function endServed(): Promise<void> {
  for (const each of undo.splice(0).toReversed()) await each();
}

/** Two requests are begun in a turn at once, and one while others wait. */
export const WORK_MS = 3;
const BASE_URL = 'http://localhost:8080';

export interface Served {
  readonly server: HttpServer;
  /** The paths of what has come, what has been begun and what was refused, each in its order. */
  readonly arrived: string[];
  readonly begun: string[];
  readonly refused: string[];
  /** How many had been begun when this one came. */
  readonly begunBefore: Map<string, number>;
  readonly clock: { nowMs: number };
  /** Connections from an address, opened before anything is sent. */
  readonly connect: (count: number, localAddress?: string) => Promise<Socket[]>;
  /** Lets the loop turn until so many have been begun or refused. */
  readonly settle: (count: number) => Promise<void>;
  /** Lets it turn until so many have come. */
  readonly arrive: (count: number) => Promise<void>;
}

/** A server whose callers take turns; `handle` answers, or holds. */
export async function serveInTurns(
  handle: RequestListener = (_request, response) => void response.end('done'),
  limits?: WaitingLimits,
  workMs = WORK_MS,
): Promise<Served> {
  const clock = { nowMs: 0 };
  // As if all came in one turn of the loop: only those that wait get another one.
  const loop: LoopClock = { monotonicMs: () => clock.nowMs, countTurns: () => 0 };
  const [arrived, begun, refused]: [string[], string[], string[]] = [[], [], []];
  const begunBefore = new Map<string, number>();
  const turns = new RequestTurns(
    (request, response) => {
      clock.nowMs += workMs;
      begun.push(request.url ?? '');
      handle(request, response);
    },
    {
      findCaller: createCallerFinder({
        findAddress: createAddressFinder(['127.0.0.9/32']),
        findPartnerOfHeader: (authorization) => /^Bearer (.)/.exec(authorization)?.[1],
        findPartnerOfSession: (cookies) => /^session=(.)/.exec(cookies)?.[1],
      }),
      refuse: (request, response) => {
        refused.push(request.url ?? '');
        answerOverloaded(BASE_URL, request, response);
      },
      clock: loop,
      limits,
    },
  );
  // Node accepts one connection in a turn of the loop: they are opened before anything is sent.
  let accepted = 0;
  // A bounded server would hold some of them by the time that the machine takes.
  const server = new HttpServer(createServer().on('connection', () => (accepted += 1)));
  const url = await server.listen({ host: '127.0.0.1', port: 0, baseUrl: undefined });
  server.serve((request, response) => {
    arrived.push(request.url ?? '');
    begunBefore.set(request.url ?? '', begun.length);
    turns.take(request, response);
  });
  undo.push(() => server.stop({ graceMs: 0, lingerMs: 0, drainMs: 0 }));
  return {
    server,
    arrived,
    begun,
    refused,
    begunBefore,
    clock,
    connect: async (count, localAddress = '127.0.0.2') => {
      const wanted = accepted + count;
      const opening = Array.from({ length: count }, async () => {
        const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', localAddress });
        undo.push(() => socket.destroy());
        socket.on('error', () => undefined);
        await once(socket, 'connect');
        return socket;
      });
      const sockets = await Promise.all(opening);
      while (accepted < wanted) await turn();
      return sockets;
    },
    settle: async (count) => {
      while (begun.length + refused.length < count) await turn();
    },
    arrive: async (count) => {
      while (arrived.length < count) await turn();
    },
  };
}

export const withHeader = (path: string, header: string): string =>
  ask(path).replace('\r\n\r\n', `\r\n${header}\r\n\r\n`);
