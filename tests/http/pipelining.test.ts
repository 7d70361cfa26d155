import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import type { Response } from 'express';
import { afterEach, describe, expect, test } from 'vitest';
import { EventStream } from '../../src/contract/event-stream.ts';
import { ENDLESS } from '../../src/http/connection.ts';
import { sendEventStream } from '../../src/http/event-stream.ts';
import { ask, closeOpened, heard, heldAnswers, openServer } from './opened-server.ts';

// What a connection keeps of requests that come before those in front of them are answered.

afterEach(closeOpened);

test('requests that are pipelined are not read while one waits, and all are answered in the end', async () => {
  const { server, connect: open_ } = await openServer();
  const { listener, next } = heldAnswers();
  server.serve(listener);
  const socket = await open_();
  socket.resume();
  const bytes = `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n${'x'.repeat(60_000)}`;
  const COUNT = 90;
  socket.write(bytes.repeat(COUNT));
  let mostKept = 0;
  for (let answered = 0; answered < COUNT; answered += 1) {
    const response = await next();
    // Time for more to be read, if it were: on one connection a turn of the loop reads 2 MiB.
    for (let turns = 0; turns < 20; turns += 1) await turn();
    mostKept = Math.max(mostKept, response.req.socket.bytesRead - answered * bytes.length);
    response.req.resume();
    response.end('read');
  }
  // The request that is handled, the head of the next one, and a read that was under way on either side.
  expect(mostKept).toBeLessThan(bytes.length + 3 * 65_536);
});

describe('behind an answer without an end', () => {
  const post = (path: string): string =>
    `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n${'x'.repeat(60_000)}`;

  test.each([
    ['that was sent with it', ask('/events') + ask('/1'), ''],
    ['that comes later', ask('/events'), ask('/1')],
    ['whose body does not fit', ask('/events') + post('/1') + post('/2'), ''],
  ])('a request %s cuts the connection off', async (_name, first, later) => {
    const { server, connect: open_ } = await openServer();
    const { listener, held, next } = heldAnswers();
    server.serve(listener);
    const socket = await open_();
    // It may be cut off while it still sends.
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.resume().write(first);
    const stream = await next();
    stream.emit(ENDLESS);
    stream.write('data: 1\n\n');
    socket.write(later);
    await closed;
    expect(held).toEqual([]);
  });
});

test('an event stream is such an answer: it says that its connection ends, and ends when a request comes behind it', async () => {
  const { server, connect } = await openServer();
  const { listener, held, next } = heldAnswers();
  server.serve(listener);
  const socket = await connect();
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(ask('/events'));
  const stream = new EventStream(async function* (gone) {
    if (!gone.aborted) await once(gone, 'abort');
    yield* [];
  }, new AbortController().signal);
  const ended = sendEventStream((await next()) as Response, stream, {
    isStillAllowed: () => Promise.resolve(true),
    watchCaller: () => () => undefined,
  });
  expect(await heard(socket)).toMatch(/\r\nConnection: close\r\n/);
  socket.resume().write(ask('/1'));
  await Promise.all([closed, ended]);
  expect(held).toEqual([]);
});
