import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { HttpServer } from '../../src/http/http-server.ts';
import { recordProblemCode } from '../support/api-client.ts';
import { ask, closeOpened, heard, heldAnswers, openServer } from './opened-server.ts';

afterEach(async () => {
  vi.useRealTimers();
  await closeOpened();
});

const echo: RequestListener = (request, response) => void response.end(`[${request.url ?? ''}]`);

describe('while the service starts', () => {
  test('every request is answered from the moment that the port is open, and later by the service', async () => {
    const { server, url } = await openServer();
    const live = await fetch(`${url}/livez`);
    expect([live.status, await live.json()]).toEqual([200, { status: 'live' }]);
    const ready = await fetch(`${url}/readyz?a`);
    expect([ready.status, await ready.json()]).toEqual([
      503,
      { status: 'not ready', reason: 'the service is starting' },
    ]);
    const other = await fetch(`${url}/oauth2/token/?a=b`, { method: 'POST', body: '{}' });
    expect([other.status, other.headers.get('retry-after'), await other.json()]).toEqual([
      503,
      '1',
      {
        type: `${url}/docs/errors/starting`,
        title: 'Starting',
        status: 503,
        detail: 'The service is starting.',
        instance: '/oauth2/token/',
        code: 'starting',
        request_id: other.headers.get('x-request-id'),
        errors: [],
      },
    ]);
    recordProblemCode('starting');
    server.serve(echo);
    expect(await (await fetch(`${url}/livez`)).text()).toBe('[/livez]');
  });

  test('a port that another program has is named', async () => {
    const { url } = await openServer();
    const port = Number(new URL(url).port);
    await expect(new HttpServer().listen({ host: '127.0.0.1', port, baseUrl: undefined })).rejects.toThrow(
      `Port ${port} is in use (EADDRINUSE)`,
    );
  });
});

describe('requests that are pipelined', () => {
  test('are handled one after the other, and answered in order', async () => {
    const { server, connect: open_ } = await openServer();
    const { listener, held, next } = heldAnswers();
    server.serve(listener);
    const socket = await open_();
    socket.write([1, 2, 3, 4, 5].map((n) => ask(`/${n}`)).join(''));
    for (const n of [1, 2, 3, 4, 5]) {
      const response = await next();
      expect([response.req.url, held.length]).toEqual([`/${n}`, 0]);
      response.end(`answer ${n}`);
      expect(await heard(socket)).toContain(`answer ${n}`);
    }
  });

  test('are not handled behind an answer that ends the connection', async () => {
    const { server, connect: open_ } = await openServer();
    const { listener, held, next } = heldAnswers();
    server.serve(listener);
    const socket = await open_();
    socket.resume().write(ask('/1') + ask('/2'));
    const closed = once(socket, 'close');
    (await next()).setHeader('Connection', 'close').end('enough');
    await closed;
    await turn();
    expect(held).toEqual([]);
  });

  test('are not kept without limit: a client that sends too many is cut off, and the rest is not read', async () => {
    const { server, requests, connect: open_ } = await openServer();
    const { listener, held, next } = heldAnswers();
    server.serve(listener);
    const enough = await open_();
    enough.write(ask('/').repeat(101));
    for (let count = 0; count < 101; count += 1) (await next()).end();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const socket = await open_();
    const closed = once(socket, 'close');
    socket.resume().write(ask('/').repeat(2_000));
    while (requests() < 101 + 102) await turn();
    // Who comes again at once is not let in at once.
    vi.advanceTimersByTime(999);
    for (let turns = 0; turns < 20; turns += 1) await turn();
    expect(socket.closed).toBe(false);
    vi.advanceTimersByTime(1);
    await closed;
    expect(held.length).toBeLessThanOrEqual(1);
    expect(requests()).toBe(101 + 102);
  });
});

describe('before a stop', () => {
  test('each answer ends its connection, also of new ones; those without a request stay', async () => {
    const { server, connect: open_ } = await openServer();
    const { listener, next } = heldAnswers();
    server.serve(listener);
    const [busy, kept] = [await open_(), await open_()];
    kept.write(ask('/before'));
    (await next()).end();
    expect(await heard(kept)).not.toContain('Connection: close');
    busy.write(ask('/busy'));
    const answer = await next();
    server.announceEnd();
    answer.end('under way');
    expect(await text(busy)).toMatch(/Connection: close[^]*under way$/);
    const late = await open_();
    for (const socket of [kept, late]) {
      socket.write(ask('/late'));
      (await next()).end('late');
      expect(await text(socket)).toMatch(/Connection: close[^]*late$/);
    }
  });
});

describe('a stop', () => {
  test('answers what is under way and what comes on open connections, each with the end of its connection', async () => {
    const { server, url, connect: open_ } = await openServer();
    const { listener, next } = heldAnswers();
    server.serve(listener);
    const [busy, kept, fresh] = [await open_(), await open_(), await open_()];
    kept.write(ask('/before'));
    (await next()).end();
    expect(await heard(kept)).not.toContain('Connection: close');
    busy.write(ask('/busy'));
    const answer = await next();
    const stopped = server.stop({ graceMs: 600_000, lingerMs: 0, drainMs: 600_000 });
    while (!answer.hasHeader('connection')) await turn();
    for (const socket of [kept, fresh]) {
      socket.write(ask('/late'));
      (await next()).end('late');
      expect(await text(socket)).toMatch(/Connection: close[^]*late$/);
    }
    await expect(fetch(url)).rejects.toThrow('fetch failed');
    answer.end('under way');
    expect(await text(busy)).toMatch(/Connection: close[^]*under way$/);
    await stopped;
  });

  test('answers all that was pipelined; the last answer ends the connection', async () => {
    const { server, connect: open_ } = await openServer();
    const { listener, next } = heldAnswers();
    server.serve(listener);
    const socket = await open_();
    socket.write(ask('/1') + ask('/2'));
    (await next()).end('one');
    const second = await next();
    const stopped = server.stop({ graceMs: 600_000, lingerMs: 0, drainMs: 600_000 });
    while (!second.hasHeader('connection')) await turn();
    expect(second.getHeader('connection')).toBe('close');
    socket.write(ask('/3'));
    while (second.hasHeader('connection')) await turn();
    second.end('two');
    (await next()).end('three');
    const all = await text(socket);
    expect(all).toMatch(/one[^]*two[^]*three$/);
    expect(all.match(/Connection: close/g)).toHaveLength(1);
    await stopped;
  });

  test('ends idle connections after the grace, without a reset', async () => {
    const { server, connect: open_ } = await openServer();
    server.serve(echo);
    const socket = await open_();
    socket.write(ask('/'));
    await heard(socket);
    const startedAt = process.cpuUsage();
    // What cuts all connections in the end would end this one too.
    const stopped = server.stop({ graceMs: 250, lingerMs: 250, drainMs: 600_000 });
    expect(await text(socket)).toBe('');
    await stopped;
    const { user, system } = process.cpuUsage(startedAt);
    expect((user + system) / 1000).toBeLessThan(1_000);
  });

  test('does not take up a request that comes after the end of its connection, and reads it without a reset', async () => {
    const { server, connect: open_ } = await openServer();
    let taken = 0;
    server.serve((request, response) => {
      taken += 1;
      echo(request, response);
    });
    const socket = await open_();
    const errors: unknown[] = [];
    socket.on('error', (error) => errors.push(error));
    socket.allowHalfOpen = true;
    const stopped = server.stop({ graceMs: 0, lingerMs: 600_000, drainMs: 600_000 });
    expect(await text(socket)).toBe('');
    socket.end(ask('/too-late'));
    await stopped;
    expect([taken, errors]).toEqual([0, []]);
  });

  test('cuts in the end what neither ends nor is read', async () => {
    const { server, connect: open_ } = await openServer();
    const { listener, next } = heldAnswers();
    server.serve(listener);
    const [busy, deaf] = [await open_(), await open_()];
    busy.write(ask('/'));
    await next();
    deaf.pause();
    deaf.allowHalfOpen = true;
    await server.stop({ graceMs: 0, lingerMs: 10, drainMs: 50 });
  });
});

test('a request whose handler forgets it ends its connection after a while, one that is answered keeps it', async () => {
  const { server, connect: open_ } = await openServer({}, { answerMs: 100, checkMs: 20 });
  const begun = Promise.withResolvers<ServerResponse>();
  server.serve((request, response) => {
    if (request.url === '/slowly') begun.resolve(response.writeHead(200));
    else if (request.url === '/read') echo(request, response);
  });
  const [slow, kept, forgotten] = [await open_(), await open_(), await open_()];
  slow.write(ask('/slowly'));
  kept.write(ask('/read'));
  expect(await heard(kept)).toContain('[/read]');
  const response = await begun.promise;
  forgotten.write(ask('/'));
  expect(await text(forgotten)).toBe('');
  kept.write(ask('/read'));
  expect(await heard(kept)).toContain('[/read]');
  response.end('slowly');
  expect(await heard(slow)).toContain('slowly');
});
