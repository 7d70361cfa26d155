// Refusals that are held back, on real sockets: whose they are makes room for others of the same address.
import { once } from 'node:events';
import { request as sendRequest } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import express from 'express';
import { afterEach, expect, test } from 'vitest';
import { createBoundedServer, SERVER_LIMITS } from '../../src/http/bounded-server.ts';
import type { ServerLimits } from '../../src/http/bounded-server.ts';
import { RefusalDelay } from '../../src/http/refusal-delay.ts';
import type { RefusalDelayOptions } from '../../src/http/refusal-delay.ts';

const HOUR_MS = 3_600_000;
const RIGHT = 'Bearer right';

const undo: (() => unknown)[] = [];
afterEach(() => {
  for (const each of undo.splice(0).toReversed()) each();
});

interface Guarded {
  readonly server: Server;
  readonly port: number;
  /** Refusals so far, whether they waited or not. */
  readonly refusals: () => number;
}

interface Options
  extends Partial<ServerLimits>, Pick<RefusalDelayOptions, 'atOnce' | 'waitMs' | 'maxHeldOfAddress'> {
  readonly proxies?: readonly string[];
}

/** A server that refuses whoever has not the right token, an hour later unless it is to be at once. */
async function guard(options: Options = {}): Promise<Guarded> {
  const { atOnce = 0, waitMs = HOUR_MS, maxHeldOfAddress, proxies, ...limits } = options;
  let refusals = 0;
  const isPartner: RefusalDelayOptions['isPartner'] = ({ headers }) => headers.authorization === RIGHT;
  const delay = new RefusalDelay({ isPartner, monotonicMs: () => 0, waitMs, atOnce, maxHeldOfAddress });
  const app = express().use(async (request, response) => {
    if (isPartner(request)) {
      response.end('right');
      return;
    }
    refusals += 1;
    await delay.wait(request, response);
    // As a page does that is asked for with a made-up session and then refused.
    if (request.path === '/twice') await delay.wait(request, response);
    response.status(401).end('refused');
  });
  const server = createBoundedServer(proxies, { ...SERVER_LIMITS, ...limits });
  server.on('request', app as RequestListener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  undo.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, port: (server.address() as AddressInfo).port, refusals: () => refusals };
}

/** A connection that asks with this token; what it is answered is read by the test, or thrown away. */
function ask(port: number, token: string, path = '/'): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  undo.push(() => socket.destroy());
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: ${token}\r\n\r\n`);
  return socket;
}

/** As many connections with made-up tokens, whose refusals all wait; in the order in which they came. */
async function holdBack({ port, refusals }: Guarded, count: number, path?: string): Promise<Socket[]> {
  const sockets: Socket[] = [];
  for (let n = 1; n <= count; n++) {
    sockets.push(ask(port, 'Bearer made-up', path));
    await expect.poll(refusals, { interval: 1 }).toBe(n);
  }
  return sockets;
}

/** What a request on a connection of its own gets: a status, or the code of an error. */
function askAnew(port: number): Promise<number | string> {
  return new Promise((resolve) => {
    const options = { port, host: '127.0.0.1', agent: false, headers: { authorization: RIGHT } };
    sendRequest(options, (answer) => answer.resume().once('end', () => resolve(answer.statusCode ?? 0)))
      .once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
      .end();
  });
}

test('who is refused on all connections that an address may have keeps nobody else of it out', async () => {
  const { port, refusals } = await guard();
  let isOver = false;
  const holdOn = (): void => {
    // Whoever is ended comes again at once.
    if (!isOver) ask(port, 'Bearer made-up').resume().once('close', holdOn);
  };
  for (let n = 0; n < SERVER_LIMITS.maxConnectionsOfAddress; n++) holdOn();
  await expect.poll(refusals).toBe(SERVER_LIMITS.maxConnectionsOfAddress);
  const answers: (number | string)[] = [];
  for (let n = 0; n < 100; n++) answers.push(await askAnew(port));
  isOver = true;
  expect(answers).toEqual(Array.from({ length: 100 }, () => 200));
});

test('the refusal that was held back the longest is sent at once and its connection ends, before idle ones of the address', async () => {
  const guarded = await guard({ maxConnectionsOfAddress: 4 });
  const idle = [ask(guarded.port, RIGHT), ask(guarded.port, RIGHT)];
  await Promise.all(idle.map((socket) => once(socket, 'data')));
  const [first, second] = await holdBack(guarded, 2);
  expect(await askAnew(guarded.port)).toBe(200);
  expect(await text(first as Socket)).toMatch(/^HTTP\/1\.1 401 [^]*\r\nConnection: close\r\n[^]*refused$/);
  expect([second?.closed, ...idle.map(({ closed }) => closed)]).toEqual([false, false, false]);
});

test('a connection that has made room is not held back once more', async () => {
  const guarded = await guard({ maxConnectionsOfAddress: 1 });
  const [held] = await holdBack(guarded, 1, '/twice');
  expect(await askAnew(guarded.port)).toBe(200);
  expect(await text(held as Socket)).toMatch(/^HTTP\/1\.1 401 /);
});

test('one that has been answered in its time is one of those that wait for a request', async () => {
  const guarded = await guard({ maxConnectionsOfAddress: 2, waitMs: 1 });
  const idle = ask(guarded.port, RIGHT);
  await once(idle, 'data');
  const [answered] = await holdBack(guarded, 1);
  await once(answered as Socket, 'data');
  expect(await askAnew(guarded.port)).toBe(200);
  await expect.poll(() => idle.closed).toBe(true);
  expect(answered?.closed).toBe(false);
});

test('where all connections are nearly used up, those of a trusted proxy make room whose refusals are held back', async () => {
  const guarded = await guard({ maxConnections: 6, spareConnections: 2, proxies: ['127.0.0.0/8'] });
  const idle = ask(guarded.port, RIGHT);
  await once(idle, 'data');
  const [first, second] = await holdBack(guarded, 3);
  expect(await askAnew(guarded.port)).toBe(200);
  expect(await text(first as Socket)).toMatch(/^HTTP\/1\.1 401 /);
  expect([second?.closed, idle.closed]).toEqual([false, false]);
});

test('beyond so many of an address that wait, refusals are answered at once', async () => {
  const { port, refusals } = await guard({ atOnce: 3, maxHeldOfAddress: 5 });
  let answered = 0;
  for (let n = 0; n < 12; n++) ask(port, 'Bearer made-up').once('data', () => (answered += 1));
  await expect.poll(refusals).toBe(12);
  expect(await askAnew(port)).toBe(200);
  await expect.poll(() => answered).toBe(7);
});
