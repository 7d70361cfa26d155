import { once } from 'node:events';
import { createServer } from 'node:http';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import express from 'express';
import { afterEach, describe, expect, test } from 'vitest';
import { createOpenBodyGuard, OPEN_BODY_LIMITS } from '../../src/http/open-bodies.ts';
import type { OpenBodyLimits } from '../../src/http/open-bodies.ts';
import { countConnections } from '../support/open-connections.ts';
import { heard } from './opened-server.ts';

// Bodies that begin and do not end: real sockets, short times.

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

const open = (server: Server): Socket => connect((server.address() as AddressInfo).port, '127.0.0.1');
const POST = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n';

async function listenWith(
  limits: Partial<OpenBodyLimits>,
  answer = (response: ServerResponse): void => void response.end('read'),
): Promise<Server> {
  const app = express().set('trust proxy', true);
  app.use(
    createOpenBodyGuard({
      sendTimeout: (_request, response) => void response.status(408).set('Connection', 'close').end(),
      isPartner: ({ headers }) => headers.authorization !== undefined,
      limits: { ...OPEN_BODY_LIMITS, idleMs: 600_000, ...limits },
    }),
  );
  app.use((request, response) => {
    request.resume().once('end', () => answer(response));
  });
  const refuse: express.ErrorRequestHandler = (error: unknown, _request, response, next) => {
    if (response.headersSent) next(error);
    else response.status(503).set('Connection', 'close').end(String(error));
  };
  app.use(refuse);
  const server = createServer(app as RequestListener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return server;
}

describe('of an address', () => {
  test('one that brings no byte is ended, one that brings some is not', async () => {
    const server = await listenWith({ idleMs: 200 });
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
    const server = await listenWith({ maxOfAddress: 2 });
    const slowConnection = once(server, 'connection') as Promise<[Socket]>;
    const slow = open(server);
    // The slow one is older, but has brought a byte since.
    slow.write(`${POST}1`);
    await expect.poll(() => countConnections(server)).toBe(1);
    const silent = open(server);
    silent.write(`${POST}1`);
    await expect.poll(() => countConnections(server)).toBe(2);
    slow.write('2');
    const [connection] = await slowConnection;
    await expect.poll(() => connection.bytesRead).toBe(POST.length + 2);
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

describe('of strangers', () => {
  const FIRST = '192.0.2.1';
  const OTHER = '192.0.2.2';

  /** Opens a body for the client at the address, and waits until the server has its first byte. */
  async function openBody(server: Server, address: string, more = ''): Promise<Socket> {
    const begun = once(server, 'request');
    const socket = open(server);
    socket.write(`${POST.replace('Host: a', `Host: a\r\nX-Forwarded-For: ${address}${more}`)}1`);
    await begun;
    return socket;
  }

  /** The status of its answer. */
  async function finish(socket: Socket): Promise<string> {
    const answer = heard(socket);
    socket.write('234567890');
    const [status = ''] = (await answer).split('\r\n', 1);
    socket.destroy();
    return status;
  }

  test('are fewer of an address while there are many: its own make room', async () => {
    const server = await listenWith({ many: 3, maxOfAddressOfMany: 2 });
    const others = [await openBody(server, OTHER)];
    const [first, second] = [await openBody(server, FIRST), await openBody(server, FIRST)];
    others.push(await openBody(server, OTHER));
    const ended = text(first);
    const next = await openBody(server, FIRST);
    expect(await ended).toMatch(/^HTTP\/1\.1 408 /);
    expect(await Promise.all([...others, second, next].map(finish))).toEqual(
      Array(4).fill('HTTP/1.1 200 OK'),
    );
    // Those that have ended are not counted any more.
    const later = [
      await openBody(server, FIRST),
      await openBody(server, FIRST),
      await openBody(server, FIRST),
    ];
    expect(await Promise.all(later.map(finish))).toEqual(Array(3).fill('HTTP/1.1 200 OK'));
  });

  test('make room for each other, not for a partner of their address, and no partner for them', async () => {
    const PARTNER = '\r\nAuthorization: Bearer known';
    const server = await listenWith({ many: 1, maxOfAddressOfMany: 1 });
    const partners = [await openBody(server, OTHER, PARTNER), await openBody(server, OTHER, PARTNER)];
    const first = await openBody(server, OTHER);
    partners.push(await openBody(server, OTHER, PARTNER));
    const ended = text(first);
    const next = await openBody(server, OTHER);
    expect(await ended).toMatch(/^HTTP\/1\.1 408 /);
    expect(await Promise.all([...partners, next].map(finish))).toEqual(Array(4).fill('HTTP/1.1 200 OK'));
  });

  test('are not those that have come whole', async () => {
    const held: ServerResponse[] = [];
    const server = await listenWith(
      { many: 1, maxOfAddressOfMany: 1 },
      (response) => void held.push(response),
    );
    const whole = await openBody(server, FIRST);
    whole.write('234567890');
    await expect.poll(() => held.length).toBe(1);
    const next = await openBody(server, FIRST);
    const answer = heard(whole);
    held[0]?.end('read');
    expect(await answer).toMatch(/^HTTP\/1\.1 200 /);
    whole.destroy();
    next.destroy();
  });
});
