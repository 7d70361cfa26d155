// What falls due at once for many connections: real sockets, and ends that each take a turn's time.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import express from 'express';
import type { Response } from 'express';
import { afterEach, expect, test } from 'vitest';
import { EventStream } from '../../src/contract/event-stream.ts';
import { readBodyBytes } from '../../src/http/body.ts';
import { createBoundedServer, SERVER_LIMITS } from '../../src/http/bounded-server.ts';
import { installClientErrorHandler } from '../../src/http/client-error.ts';
import { endInTurn } from '../../src/http/end-turns.ts';
import { sendEventStream } from '../../src/http/event-stream.ts';
import { createOpenBodyGuard } from '../../src/http/open-bodies.ts';
import { endSlowReaders } from '../../src/http/slow-readers.ts';
import { until } from '../process/partner.ts';

const COUNT = 12;
/** More than the ends of one turn may take. */
const END_MS = 3;

const servers: Server[] = [];
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** Called for each end: takes its time, and notes the turn of the event loop. */
function countEnds(): { note: () => void; turns: number[] } {
  const turns: number[] = [];
  return {
    turns,
    note: () => {
      turns.push(performance.nodeTiming.uvMetricsInfo.loopCount);
      const endsAt = performance.now() + END_MS;
      while (performance.now() < endsAt);
    },
  };
}

async function expectOneInEachTurn(turns: readonly number[]): Promise<void> {
  await until(
    () => turns.length,
    (ended) => ended === COUNT,
  );
  expect(new Set(turns).size).toBe(COUNT);
}

/** Sends each of so many connections this, once all are open. */
async function sendFromMany(server: Server, bytes: string): Promise<void> {
  servers.push(server);
  let accepted = 0;
  server.on('connection', () => (accepted += 1)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const opened = Array.from({ length: COUNT }, () => connect(port, '127.0.0.1').on('error', () => undefined));
  sockets.push(...opened);
  // The server accepts one in a turn: what is sent before would come in turns by itself.
  await until(
    () => accepted,
    (count) => count === COUNT,
  );
  for (const socket of opened) socket.write(bytes);
}

/** Notes when the server destroys its side of a connection, or begins to end it. */
function noteEndsOf(server: Server, note: () => void): void {
  server.on('connection', (socket: Socket) => {
    const [destroy, end] = [socket.destroy.bind(socket), socket.end.bind(socket)];
    let isNoted = false;
    const noteOnce = (): void => {
      if (!isNoted) note();
      isNoted = true;
    };
    socket.destroy = (error) => {
      noteOnce();
      return destroy(error);
    };
    socket.end = (...given: unknown[]) => {
      noteOnce();
      return end(...(given as Parameters<typeof end>));
    };
  });
}

/** More than the kernel takes of answers that nobody reads. */
const LARGE = Buffer.alloc(20_000_000);
const ASK = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const HALF = 'GET / HTTP/1.1\r\nHost: a\r\n';
const BODY = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n1';

test('bodies that all fall silent are ended a few in each turn', async () => {
  const { note, turns } = countEnds();
  const app = express();
  app.use(
    createOpenBodyGuard({
      sendTimeout: (_request, response) => {
        note();
        response.status(408).set('Connection', 'close').end();
      },
      isPartner: () => false,
      limits: { idleMs: 200, maxOfAddress: COUNT, maxOfAddressOfMany: COUNT, many: COUNT },
    }),
  );
  app.use((request) => void request.resume());
  await sendFromMany(createServer(app as RequestListener), BODY);
  await expectOneInEachTurn(turns);
});

test('requests whose time is over together are answered a few in each turn', async () => {
  const { note, turns } = countEnds();
  const server = createBoundedServer([], { ...SERVER_LIMITS, checkMs: 100, headersMs: 100 });
  installClientErrorHandler(server, 'http://localhost:8080');
  noteEndsOf(server, note);
  await sendFromMany(server, HALF);
  await expectOneInEachTurn(turns);
});

test('requests that are all cut off are ended a few in each turn', async () => {
  const { note, turns } = countEnds();
  const server = createBoundedServer();
  installClientErrorHandler(server, 'http://localhost:8080');
  noteEndsOf(server, note);
  await sendFromMany(server, HALF);
  for (const socket of sockets) socket.end();
  await expectOneInEachTurn(turns);
});

test('requests whose bodies are all cut off are let go a few in each turn', async () => {
  const { note, turns } = countEnds();
  let begun = 0;
  const app = express().use((request) => {
    begun += 1;
    readBodyBytes(request, 100).catch(note);
  });
  await sendFromMany(createServer(app as RequestListener), BODY);
  await until(
    () => begun,
    (count) => count === COUNT,
  );
  for (const socket of sockets) socket.destroy();
  await expectOneInEachTurn(turns);
});

test('readers that are all too slow are ended a few in each turn', async () => {
  const { note, turns } = countEnds();
  const server = createServer((_request, response) => void response.end(LARGE));
  noteEndsOf(server, note);
  endSlowReaders(server, { timeMs: 200, minBytes: 32_768, maxUnreadBytes: Infinity });
  await sendFromMany(server, ASK);
  await expectOneInEachTurn(turns);
});

test('event streams whose callers may all listen no more are ended a few in each turn', async () => {
  const { note, turns } = countEnds();
  const ends = new Set<() => void>();
  const answer = (_request: IncomingMessage, response: unknown): void => {
    const untilGone: EventStream['events'] = async function* (gone) {
      await once(gone, 'abort');
      note();
      yield* [];
    };
    const stream = new EventStream(untilGone, new AbortController().signal);
    void sendEventStream(response as Response, stream, {
      isStillAllowed: () => Promise.resolve(true),
      watchCaller: (end) => {
        const refuse = (): void => end('refused');
        ends.add(refuse);
        return () => ends.delete(refuse);
      },
    });
  };
  await sendFromMany(createServer(answer), ASK);
  await until(
    () => ends.size,
    (open) => open === COUNT,
  );
  for (const end of ends) end();
  await expectOneInEachTurn(turns);
});

test('an owner waits once at a time', async () => {
  const owner = {};
  let ended = 0;
  for (const expected of [1, 2]) {
    endInTurn(owner, () => (ended += 1));
    endInTurn(owner, () => (ended += 1));
    await new Promise<void>((resolve) => endInTurn({}, resolve));
    expect(ended).toBe(expected);
  }
});
