import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { createBoundedServer, SERVER_LIMITS } from '../../src/http/bounded-server.ts';
import type { ServerLimits } from '../../src/http/bounded-server.ts';
import { installClientErrorHandler } from '../../src/http/client-error.ts';
import { MAX_OVERHEAD_BYTES } from '../../src/http/overhead-bounds.ts';

// Connections that the service has answered and ended, and whose clients do not close their side.

const ASK = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const CHUNKED = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
/** What makes a connection end. */
const BROUGHT = [
  ['what is no HTTP', 'NO HTTP\r\n\r\n'],
  ['zeros without end', `${CHUNKED}${'0'.repeat(2 * MAX_OVERHEAD_BYTES)}`],
] as const;

const servers: Server[] = [];
const opened: Socket[] = [];
afterEach(() => {
  for (const socket of opened.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

async function listen(limits: Partial<ServerLimits>): Promise<Server> {
  const server = createBoundedServer([], { ...SERVER_LIMITS, checkMs: 20, ...limits });
  installClientErrorHandler(server, 'http://localhost:8080');
  server.on('request', (request, response) => {
    if (request.method === 'GET') response.end('read');
    else request.resume();
  });
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

test.each(BROUGHT)(
  'a connection that brought %s is cut off when the time of a request is over',
  async (_name, sent) => {
    const server = await listen({ headersMs: 100, requestMs: 200 });
    const socket = await openHalf(server, sent);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 /);
    await expect.poll(() => countConnections(server)).toBe(0);
  },
);

function countConnections(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
  });
}
