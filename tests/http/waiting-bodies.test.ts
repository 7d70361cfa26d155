// Bodies that wait for chunks of their party: by turns, for a time, and no more than so many.
import { once } from 'node:events';
import type { IncomingMessage, RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import type { QuotaSubject } from '../../src/domain/security/quota-subjects.ts';
import { CHUNK_LIMITS } from '../../src/http/chunk-bounds.ts';
import type { ChunkLimits } from '../../src/http/chunk-bounds.ts';
import { until } from '../process/partner.ts';
import { ask, chunks, END, head, measureBody, open, serve, SPENT, WHOLE } from './chunked-server.ts';

let nowMs = 0;
let requests: IncomingMessage[] = [];
let whole: string[] = [];
beforeEach(() => ([nowMs, requests, whole] = [0, [], []]));

/** Strangers have brought all that they may at once, and one of them what time brings in the next 60 ms. */
async function serveSpent(limits: Partial<ChunkLimits> = {}): Promise<number> {
  const listener: RequestListener = (request, response) => {
    requests.push(request);
    request.once('end', () => whole.push(String(request.headers['x-caller'])));
    measureBody(request, response);
  };
  const port = await serve(listener, { ...SPENT, perMs: 1, ...limits }, () => nowMs);
  expect(await ask(open(port), head() + chunks(WHOLE) + END)).toBe(String(WHOLE));
  const socket = await begin(port);
  expect(await ask(socket, chunks(31) + END)).toBe('32');
  return port;
}

/** A body whose first part has been read, on a connection of its own. */
async function begin(port: number, caller?: QuotaSubject): Promise<Socket> {
  const socket = open(port);
  const before = requests.length;
  socket.write(head(caller) + chunks(1));
  await until(
    () => requests.length,
    (count) => count > before,
  );
  for (let n = 0; n < 3; n++) await turn();
  return socket;
}

test('are read on for half of what time brings, however much comes with heads', async () => {
  const port = await serveSpent();
  const socket = await begin(port, 'address b');
  const answer = ask(socket, chunks(30) + END);
  nowMs = 60;
  expect(await ask(open(port), head() + chunks(100) + END)).toContain('overloaded');
  expect(await answer).toBe('31');
});

test('are read on by turns of their addresses', async () => {
  const port = await serveSpent();
  const answers: Promise<string>[] = [];
  for (const caller of ['address a', 'address a', 'address a', 'address b'] as const)
    answers.push(ask(await begin(port, caller), chunks(10) + END));
  nowMs = 1_000;
  expect(await Promise.all(answers)).toEqual(['11', '11', '11', '11']);
  expect(whole.slice(-4)).toEqual(['address a', 'address b', 'address a', 'address a']);
});

test('are given up when they have waited too long', async () => {
  const port = await serveSpent({ perMs: 0.001 });
  const socket = await begin(port);
  const answer = ask(socket, chunks(10) + END);
  nowMs = CHUNK_LIMITS.waitMs - 1;
  for (let n = 0; n < 10; n++) await turn();
  expect(whole).toHaveLength(2);
  nowMs += 1;
  expect(await answer).toContain('overloaded');
});

test('are no more than so many of an address, and of all', async () => {
  const port = await serveSpent({ maxOfCaller: 2, maxOfParty: 3 });
  const [first, second] = [await begin(port), await begin(port)];
  expect(await once(await begin(port), 'data').then(String)).toContain('overloaded');
  const others = [await begin(port, 'address b'), await begin(port, 'address c')];
  // The last of the address that has most makes room.
  expect(await once(second, 'data').then(String)).toContain('overloaded');
  nowMs = 1_000;
  for (const socket of [first, ...others]) expect(await ask(socket, chunks(10) + END)).toBe('11');
});

test('leave when their connection ends', async () => {
  const port = await serveSpent({ maxOfCaller: 1 });
  await begin(port);
  requests.at(-1)?.socket.destroy();
  const socket = await begin(port);
  nowMs = 1_000;
  expect(await ask(socket, chunks(10) + END)).toBe('11');
});
