import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import express from 'express';
import { afterEach, describe, expect, test } from 'vitest';
import { installClientErrorHandler } from '../../src/http/client-error.ts';
import { createOpenBodyGuard } from '../../src/http/open-bodies.ts';
import type { OpenBodyLimits } from '../../src/http/open-bodies.ts';
import { createBoundedServer, SERVER_LIMITS } from '../../src/http/bounded-server.ts';
import type { ServerLimits } from '../../src/http/bounded-server.ts';
import { recordProblemCode } from '../support/api-client.ts';

// Connections that send slowly, not at all, or too much at once: real sockets, short times.

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function listen(limits: Partial<ServerLimits>, proxies: readonly string[] = []): Promise<Server> {
  const server = createBoundedServer(proxies, { ...SERVER_LIMITS, checkMs: 20, ...limits });
  installClientErrorHandler(server, 'http://localhost:8080');
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  return server;
}

const open = (server: Server): Socket => connect((server.address() as AddressInfo).port, '127.0.0.1');
const PATIENCE = { timeout: 60_000, interval: 10 };
const POST = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n';

describe('a request that does not arrive in time is answered with 408', () => {
  test.each([
    ['a connection without a byte', { headersMs: 100, requestMs: 1000 }, ''],
    ['a header without an end', { headersMs: 100, requestMs: 1000 }, 'GET / HTTP/1.1\r\nHost: a\r\n'],
    ['a body without an end', { headersMs: 100, requestMs: 200 }, `${POST}12345`],
  ])('%s', async (_name, limits, bytes) => {
    const server = await listen(limits);
    server.on('request', (request) => request.resume());
    const socket = open(server);
    socket.write(bytes);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 408 [^]*"code":"request_timeout"/);
    recordProblemCode('request_timeout');
  });
});

describe('open bodies', () => {
  async function listenWith(limits: OpenBodyLimits): Promise<Server> {
    const app = express();
    app.use(
      createOpenBodyGuard(
        (_request, response) => void response.status(408).set('Connection', 'close').end(),
        limits,
      ),
    );
    app.use((request, response) => {
      request.resume().once('end', () => response.end('read'));
    });
    const refuse: express.ErrorRequestHandler = (error: unknown, _request, response, next) => {
      if (response.headersSent) next(error);
      else response.status(503).set('Connection', 'close').end(String(error));
    };
    app.use(refuse);
    const server = await listen({});
    server.on('request', app);
    return server;
  }

  test('one that brings no byte is ended, one that brings some is not', async () => {
    const server = await listenWith({ idleMs: 200, maxOfAddress: 10 });
    const [silent, slow] = [open(server), open(server)];
    silent.write(`${POST}1`);
    slow.write(`${POST}1`);
    const timer = setInterval(() => slow.write('2'), 60);
    try {
      expect(await text(silent)).toMatch(/^HTTP\/1\.1 408 /);
      const [answer] = (await once(slow, 'data')) as [Buffer];
      expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 /);
    } finally {
      clearInterval(timer);
      slow.destroy();
    }
  });

  test('one address has so many; the one that was silent the longest makes room for the next', async () => {
    const server = await listenWith({ idleMs: 10_000, maxOfAddress: 2 });
    const slowConnection = once(server, 'connection') as Promise<[Socket]>;
    const slow = open(server);
    // The slow one is older, but has brought a byte since.
    slow.write(`${POST}1`);
    await expect.poll(() => connections(server), PATIENCE).toBe(1);
    const silent = open(server);
    silent.write(`${POST}1`);
    await expect.poll(() => connections(server), PATIENCE).toBe(2);
    slow.write('2');
    const [connection] = await slowConnection;
    await expect.poll(() => connection.bytesRead, PATIENCE).toBe(POST.length + 2);
    const next = open(server);
    next.write(`${POST.replace('Host: a', 'Host: a\r\nConnection: close')}1234567890`);
    expect(await text(silent)).toMatch(/^HTTP\/1\.1 408 /);
    expect(await text(next)).toMatch(/^HTTP\/1\.1 200 /);
    slow.write('34567890');
    const [answer] = (await once(slow, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 /);
    slow.destroy();
  });
});

describe('connections', () => {
  test('one address has so many; more are closed until one has ended', async () => {
    const server = await listen({ maxConnectionsOfAddress: 2 });
    server.on('request', (_request, response) => response.end('read'));
    const held = [open(server), open(server)];
    await expect.poll(() => connections(server), PATIENCE).toBe(2);
    const refused = open(server);
    refused.on('error', () => undefined);
    await once(refused, 'close');
    expect(refused.bytesRead).toBe(0);
    held[0]?.destroy();
    await expect.poll(() => connections(server), PATIENCE).toBe(1);
    const taken = open(server);
    taken.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expect(await text(taken)).toMatch(/^HTTP\/1\.1 200 /);
    held[1]?.destroy();
  });

  test('a trusted proxy has as many as the server', async () => {
    const server = await listen({ maxConnectionsOfAddress: 1, maxConnections: 3 }, ['127.0.0.0/8']);
    const held = [open(server), open(server), open(server)];
    await expect.poll(() => connections(server), PATIENCE).toBe(3);
    const refused = open(server);
    refused.on('error', () => undefined);
    await once(refused, 'close');
    for (const socket of held) socket.destroy();
  });
});

function connections(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => {
      if (error === null) resolve(count);
      else reject(error);
    });
  });
}
