import { once } from 'node:events';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createBoundedServer, SERVER_LIMITS } from '../../src/http/bounded-server.ts';
import type { ServerLimits } from '../../src/http/bounded-server.ts';
import { installClientErrorHandler } from '../../src/http/client-error.ts';
import { HELD_BACK, holdBack, LET_GO } from '../../src/http/held-back.ts';
import { MAX_OVERHEAD_BYTES } from '../../src/http/overhead-bounds.ts';
import { countConnections } from '../support/open-connections.ts';

// Connections that the service has answered and ended, or is about to, and whose clients do not close their side.

const ASK = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const CHUNKED = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
/** Not answered as long as the test lasts. */
const WORK = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n1';
const LAST_WORK = WORK.replace('Host', 'Connection: close\r\nHost');
/** What makes a connection end. */
const BROUGHT = [
  ['what is no HTTP', 'NO HTTP\r\n\r\n'],
  ['zeros without end', `${CHUNKED}${'0'.repeat(2 * MAX_OVERHEAD_BYTES)}`],
] as const;

const servers: Server[] = [];
const opened: Socket[] = [];
const uncaught: unknown[] = [];
const noteUncaught = (error: unknown): void => void uncaught.push(error);
beforeAll(() => void process.on('uncaughtException', noteUncaught));
afterAll(() => void process.off('uncaughtException', noteUncaught));
afterEach(() => {
  for (const socket of opened.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

const serveAll: RequestListener = (request, response) => {
  if (request.method === 'GET') response.end('read');
  else request.resume();
};

async function listen(limits: Partial<ServerLimits>, serve: RequestListener = serveAll): Promise<Server> {
  const server = createBoundedServer([], { ...SERVER_LIMITS, checkMs: 20, ...limits });
  installClientErrorHandler(server, 'http://localhost:8080');
  server.on('request', serve);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  return server;
}

/** A connection that stays open on its side for as long as the test lasts. */
async function openHalf(server: Server, sent: string): Promise<Socket> {
  const { port } = server.address() as AddressInfo;
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  opened.push(socket.on('error', () => undefined));
  await once(socket, 'connect');
  socket.write(sent);
  return socket;
}

async function openKept(server: Server): Promise<Socket> {
  const kept = await openHalf(server, ASK);
  await once(kept, 'data');
  return kept;
}

/** What is answered on a kept connection; nothing where it was ended. */
function askAgain(socket: Socket): Promise<string> {
  if (socket.readableEnded) return Promise.resolve('');
  socket.write(ASK);
  return new Promise((resolve) => {
    socket.once('data', (answer: Buffer) => resolve(answer.toString()));
    socket.once('end', () => resolve(''));
    socket.once('close', () => resolve(''));
  });
}

async function isServed(server: Server): Promise<boolean> {
  const socket = await openHalf(server, ASK.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
  return (await text(socket)).startsWith('HTTP/1.1 200 ');
}

test.each(BROUGHT)(
  'a connection that brought %s makes room before those that its address keeps',
  async (_name, sent) => {
    const server = await listen({ maxConnectionsOfAddress: 4 });
    const kept = [await openKept(server), await openKept(server)];
    for (let count = 0; count < 6; count += 1)
      expect(await text(await openHalf(server, sent))).toMatch(/^HTTP\/1\.1 400 /);
    expect(await isServed(server)).toBe(true);
    for (const socket of kept) expect(await askAgain(socket)).toMatch(/^HTTP\/1\.1 200 /);
  },
);

const BROUGHT_AT_WORK = [
  ['empty lines without end behind a request at work', `${WORK}${'\r\n'.repeat(MAX_OVERHEAD_BYTES)}`],
  ['what is no HTTP behind a last request at work', `${LAST_WORK}NO HTTP\r\n\r\n`],
] as const;
test.each([...BROUGHT, ...BROUGHT_AT_WORK])(
  'a connection that brought %s is cut off after a while',
  async (_name, sent) => {
    const server = await listen({ headersMs: 600_000, requestMs: 600_000, endMs: 100 });
    const socket = await openHalf(server, sent);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 /);
    await expect.poll(() => countConnections(server)).toBe(0);
  },
);

describe('a refusal that is held back', () => {
  test('behind what makes its connection end does not keep it open', async () => {
    const server = await listen({ maxConnectionsOfAddress: 2 }, (_request, response) => {
      setImmediate(() => void holdBack(response, 600_000));
    });
    for (let count = 0; count < 6; count += 1)
      expect(await text(await openHalf(server, `${ASK}NO HTTP\r\n\r\n`))).toMatch(/^HTTP\/1\.1 400 /);
    await expect.poll(() => countConnections(server)).toBe(2);
  });

  test('and let go does not make a connection that only ends one that nobody may end', async () => {
    const refused: ServerResponse[] = [];
    const server = await listen({ maxConnectionsOfAddress: 2 }, (request, response) => {
      if (request.url === '/') response.end('read');
      else refused.push(response);
    });
    const kept = await openKept(server);
    const ending = await openHalf(server, ASK.replace('/', '/refused'));
    await expect.poll(() => refused.length).toBe(1);
    refused[0]?.emit(HELD_BACK, () => undefined);
    ending.write('NO HTTP\r\n\r\n');
    expect(await text(ending)).toMatch(/^HTTP\/1\.1 400 /);
    refused[0]?.emit(LET_GO);
    expect(await isServed(server)).toBe(true);
    expect(await askAgain(kept)).toMatch(/^HTTP\/1\.1 200 /);
  });

  test('may have been answered for its body when its connection makes room', async () => {
    const server = await listen({ maxConnectionsOfAddress: 1 }, (request, response) => {
      if (request.method === 'GET') response.end('read');
      else {
        void holdBack(response, 600_000);
        response.writeHead(408).end('late');
      }
    });
    const late = await openHalf(server, CHUNKED);
    await once(late, 'readable');
    expect(await isServed(server)).toBe(true);
    expect(await text(late)).toMatch(/^HTTP\/1\.1 408 [^]*late/);
    expect(uncaught).toEqual([]);
  });

  test('has its connection cut off where the answer does not end it', async () => {
    const server = await listen({ maxConnectionsOfAddress: 1, endMs: 100 }, holdForEver);
    for (let count = 0; count < 3; count += 1) await openHeldBack(server);
    await expect.poll(() => countConnections(server)).toBe(1);
  });

  test('leaves so many connections at once; of more the first is cut off', async () => {
    const server = await listen({ maxConnectionsOfAddress: 2, endMs: 600_000 }, holdForEver);
    for (let count = 0; count < 10; count += 1) await openHeldBack(server);
    await expect.poll(() => countConnections(server)).toBe(4);
  });
});

/** As a refusal does whose client does not take it. */
const holdForEver: RequestListener = (_request, response) => void response.emit(HELD_BACK, () => undefined);

async function openHeldBack(server: Server): Promise<void> {
  const begun = once(server, 'request');
  await openHalf(server, ASK);
  await begun;
}
