import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import { installClientErrorHandler } from '../../src/http/client-error.ts';
import { createBoundedServer, SERVER_LIMITS } from '../../src/http/bounded-server.ts';
import type { ServerLimits } from '../../src/http/bounded-server.ts';
import { recordProblemCode } from '../support/api-client.ts';
import { countConnections } from '../support/open-connections.ts';

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
const POST = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n';

describe('a request that does not arrive in time is answered with 408', () => {
  test.each([
    // The time of the whole request would end them too.
    ['a connection without a byte', { headersMs: 100, requestMs: 600_000 }, ''],
    ['a header without an end', { headersMs: 100, requestMs: 600_000 }, 'GET / HTTP/1.1\r\nHost: a\r\n'],
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

describe('connections', () => {
  const ASK = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
  const HALF = 'GET / HTTP/1.1\r\nHost: a\r\n';

  /** A connection from this address, which the server has. */
  async function openFrom(server: Server, localAddress = '127.0.0.1'): Promise<Socket> {
    const accepted = once(server, 'connection');
    const { port } = server.address() as AddressInfo;
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    socket.on('error', () => undefined).resume();
    await accepted;
    return socket;
  }

  /** Opens as many and sends each a header without its end. */
  async function openSilent(server: Server, count: number, localAddress?: string): Promise<Socket[]> {
    const sockets: Socket[] = [];
    for (let index = 0; index < count; index += 1) {
      const socket = await openFrom(server, localAddress);
      socket.write(HALF);
      sockets.push(socket);
    }
    return sockets;
  }

  async function isServed(server: Server, localAddress?: string): Promise<boolean> {
    const socket = await openFrom(server, localAddress);
    socket.write(ASK.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
    return (await text(socket)).startsWith('HTTP/1.1 200 ');
  }

  const closedOf = (sockets: readonly Socket[]): boolean[] => sockets.map((socket) => socket.closed);
  const answerAll = (server: Server): Server =>
    server.on('request', (_request, response) => response.end('read'));

  test('one address has so many; more are closed while all of them are at work', async () => {
    const server = await listen({ maxConnectionsOfAddress: 2 });
    const held: ServerResponse[] = [];
    server.on('request', (_request, response) => held.push(response));
    const busy = [await openFrom(server), await openFrom(server)];
    for (const socket of busy) socket.write(ASK);
    await expect.poll(() => held.length).toBe(2);
    const refused = await openFrom(server);
    await once(refused, 'close');
    expect([refused.bytesRead, closedOf(busy)]).toEqual([0, [false, false]]);
    for (const response of held) response.end();
    server.removeAllListeners('request');
  });

  test('of an address that has so many the one that has waited the longest makes room', async () => {
    const server = answerAll(await listen({ maxConnectionsOfAddress: 3 }));
    const asked = await openFrom(server);
    const silent = await openSilent(server, 2);
    // Older than the others, but it has asked since.
    asked.write(ASK);
    await once(asked, 'data');
    expect(await isServed(server)).toBe(true);
    await expect.poll(() => closedOf(silent)).toEqual([true, false]);
    expect(asked.closed).toBe(false);
  });

  test('an address keeps so many that have sent no whole header, but for those of a moment ago', async () => {
    const patient = answerAll(await listen({ maxSilentOfAddress: 2, silentMs: 600_000 }));
    const burst = await openSilent(patient, 4);
    expect(await isServed(patient)).toBe(true);
    expect(closedOf(burst)).toEqual([false, false, false, false]);
    const server = answerAll(await listen({ maxSilentOfAddress: 2, silentMs: 0 }));
    const asked = await openFrom(server);
    asked.write(ASK);
    await once(asked, 'data');
    const silent = await openSilent(server, 4);
    await expect.poll(() => closedOf(silent)).toEqual([true, true, false, false]);
    expect(asked.closed).toBe(false);
  });

  test('where all are nearly used up, the address that has most makes room, and others are served', async () => {
    const server = answerAll(await listen({ maxConnections: 8, spareConnections: 2 }));
    const few = await openSilent(server, 1, '127.0.0.3');
    const many = await openSilent(server, 7, '127.0.0.2');
    for (let count = 0; count < 4; count += 1) expect(await isServed(server)).toBe(true);
    const closed = (sockets: readonly Socket[]): number => closedOf(sockets).filter(Boolean).length;
    await expect.poll(() => closed(many)).toBeGreaterThanOrEqual(2);
    expect(closed(few)).toBe(0);
    expect(closedOf(many).at(-1)).toBe(false);
  });

  test('where all are nearly used up, bodies that do not end make room before those that others keep', async () => {
    const server = await listen({ maxConnections: 12, spareConnections: 2 });
    let bodies = 0;
    server.on('request', (request, response) => {
      if (request.method === 'GET') response.end('read');
      else bodies += 1;
    });
    const kept: Socket[] = [];
    for (let n = 0; n < 2; n += 1) {
      const socket = await openFrom(server, '127.0.0.3');
      socket.write(ASK);
      await once(socket, 'data');
      kept.push(socket);
    }
    const endless: Socket[] = [];
    for (let n = 0; n < 8; n += 1) {
      const socket = await openFrom(server, `127.0.0.${4 + (n % 2)}`);
      socket.on('error', () => undefined);
      socket.write(`${POST}12345`);
      endless.push(socket);
    }
    await expect.poll(() => bodies).toBe(8);
    for (let count = 0; count < 4; count += 1) expect(await isServed(server)).toBe(true);
    await expect.poll(() => closedOf(endless).filter(Boolean).length).toBeGreaterThanOrEqual(1);
    expect(closedOf(kept)).toEqual([false, false]);
  });

  test('bodies that have come whole make nobody the one with most, who would lose what it keeps', async () => {
    const server = await listen({ maxConnections: 14, spareConnections: 2 });
    const held: ServerResponse[] = [];
    let halves = 0;
    server.on('request', (request, response) => {
      request.resume();
      if (request.method === 'GET') response.end('read');
      else if (request.url === '/half') halves += 1;
      else request.once('end', () => held.push(response));
    });
    const kept = [await openFrom(server, '127.0.0.3'), await openFrom(server, '127.0.0.3')];
    for (const socket of kept) {
      socket.write(ASK);
      await once(socket, 'data');
    }
    for (let count = 1; count <= 5; count += 1) {
      (await openFrom(server, '127.0.0.3')).write(`${POST}1234567890`);
      await expect.poll(() => held.length).toBe(count);
    }
    const endless: Socket[] = [];
    for (let count = 1; count <= 5; count += 1) {
      const socket = await openFrom(server, '127.0.0.4');
      socket.write(`${POST.replace('POST /', 'POST /half')}12345`);
      endless.push(socket);
      await expect.poll(() => halves).toBe(count);
    }
    expect(await isServed(server, '127.0.0.5')).toBe(true);
    await expect.poll(() => closedOf([...kept, ...endless]).filter(Boolean).length).toBe(1);
    expect(closedOf(kept)).toEqual([false, false]);
  });

  test('a body that has come whole is at work', async () => {
    const server = await listen({ maxConnections: 4, spareConnections: 2 });
    const held: ServerResponse[] = [];
    server.on('request', (request, response) => {
      request.resume();
      if (request.method === 'GET') response.end('read');
      else request.once('end', () => held.push(response));
    });
    const busy = [await openFrom(server, '127.0.0.4'), await openFrom(server, '127.0.0.4')];
    for (const socket of busy) socket.write(`${POST}1234567890`);
    await expect.poll(() => held.length).toBe(2);
    for (let count = 0; count < 4; count += 1) expect(await isServed(server)).toBe(true);
    expect(closedOf(busy)).toEqual([false, false]);
  });

  test('a trusted proxy has as many as the server', async () => {
    const server = await listen({ maxConnectionsOfAddress: 1, maxConnections: 3, spareConnections: 1 }, [
      '127.0.0.0/8',
    ]);
    const held = [open(server), open(server), open(server)];
    await expect.poll(() => countConnections(server)).toBe(3);
    const refused = open(server);
    refused.on('error', () => undefined);
    await once(refused, 'close');
    for (const socket of held) socket.destroy();
  });
});
