// Clients that take less of their answers than they could: real sockets, short times.
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import type { HttpServer } from '../../src/http/http-server.ts';
import { ask, closeOpened, heard, heldAnswers, openServer } from './opened-server.ts';

afterEach(closeOpened);

/** More than the kernel takes of answers that nobody reads. */
const MEGABYTE = 1_000_000;
const BYTES = Buffer.alloc(80 * MEGABYTE, 'x');
const BODY = BYTES.subarray(0, 40 * MEGABYTE);

/** Resolves to whether the client has taken all, when the server's side of the connection has gone. */
function serveBody(server: HttpServer): Promise<boolean> {
  return new Promise((resolve) => {
    server.serve((_request, response) => {
      response.once('close', () => resolve(response.writableFinished));
      response.end(BODY);
    });
  });
}

/** Some 80 MB a second, in helpings. Kernels report room only when a third of their buffer, some megabytes, is free. */
function readSlowly(socket: Socket): void {
  let read = 0;
  let atLeast = 0;
  socket.on('data', (chunk: Buffer) => {
    read += chunk.length;
    if (read < atLeast) return;
    atLeast = read + 2 * MEGABYTE;
    socket.pause();
    void pause(25).then(() => socket.resume());
  });
}

test('a reader that takes nothing of its answer is ended', async () => {
  const { server, connect } = await openServer({ timeMs: 100, maxUnreadBytes: Infinity });
  const whole = serveBody(server);
  (await connect()).pause().write(ask('/'));
  expect(await whole).toBe(false);
});

test('of a reader that is ended the kernel keeps nothing either', async () => {
  const { server, connect } = await openServer({ timeMs: 100, maxUnreadBytes: Infinity });
  const whole = serveBody(server);
  const socket = (await connect()).pause();
  const isReset = new Promise((resolve) => socket.once('close', resolve));
  socket.write(ask('/'));
  expect(await whole).toBe(false);
  socket.resume();
  expect(await isReset).toBe(true);
});

test('a reader that takes some of its answer, but too little, is ended', async () => {
  const limits = { timeMs: 100, minBytes: 1_000 * MEGABYTE, maxUnreadBytes: Infinity };
  const { server, connect } = await openServer(limits);
  const whole = serveBody(server);
  const socket = await connect();
  socket.write(ask('/'));
  readSlowly(socket);
  expect(await whole).toBe(false);
});

test('a reader that takes enough is left alone', async () => {
  const { server, connect } = await openServer({ timeMs: 200, maxUnreadBytes: Infinity });
  const whole = serveBody(server);
  const socket = await connect();
  socket.write(ask('/'));
  readSlowly(socket);
  expect(await whole).toBe(true);
});

test('a silent answer, or none, has no reader to wait for', async () => {
  const { server, connect } = await openServer({ timeMs: 20 });
  const { listener, next } = heldAnswers();
  server.serve(listener);
  const socket = await connect();
  socket.write(ask('/'));
  const response = await next();
  await pause(60);
  response.end('at last');
  expect(await heard(socket)).toContain('at last');
});

test('of all that is left unread, the address with more than its part loses the reader that takes least', async () => {
  const limits = { timeMs: 1_000, minBytes: 0, maxUnreadBytes: 110 * MEGABYTE };
  const { server, connect } = await openServer(limits);
  const { listener, next } = heldAnswers();
  server.serve(listener);
  const sockets = [await connect('127.0.0.2'), await connect('127.0.0.2'), await connect('127.0.0.1')];
  const ends: Promise<string>[] = [];
  // The first one reads; 80 and 40 MB are left by one address, 20 by the other.
  for (const [index, megabytes] of [80, 40, 20].entries()) {
    const socket = sockets[index]?.pause();
    socket?.write(ask(`/${index}`));
    const response = await next();
    ends.push(
      new Promise((resolve) => {
        response.once('close', () => resolve(`${index} ${response.writableFinished ? 'whole' : 'ended'}`));
      }),
    );
    response.end(BYTES.subarray(0, megabytes * MEGABYTE));
    if (index === 0 && socket !== undefined) readSlowly(socket.resume());
  }
  expect(await Promise.race(ends)).toBe('1 ended');
  expect(await ends[0]).toBe('0 whole');
  expect(sockets[2]?.closed).toBe(false);
});
