// Answers whose parts are computed while the client reads.
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { Response } from 'express';
import { afterEach, expect, test } from 'vitest';
import { StreamedBytes } from '../../src/contract/streamed-bytes.ts';
import { sendStreamedBytes } from '../../src/http/streamed-bytes.ts';

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of undo.splice(0)) await each();
});

const PART = 'x'.repeat(65_536);

/** Parts, of which one may fail; tells how many were asked for, and whether the rest was given up. */
function partsOf(count: number, failsAt = -1) {
  const asked = { parts: 0, isOver: false };
  async function* list(): AsyncGenerator<string> {
    try {
      for (let part = 0; part < count; part++) {
        asked.parts += 1;
        if (part === failsAt) throw new Error('The threads are gone.');
        yield await Promise.resolve(PART);
      }
    } finally {
      asked.isOver = true;
    }
  }
  return { asked, body: new StreamedBytes('text/csv; charset=utf-8', list()) };
}

/** Asks a server that sends the body. */
async function ask(body: StreamedBytes, method = 'GET'): Promise<IncomingMessage> {
  const server = createServer((_, response: ServerResponse) => {
    sendStreamedBytes(response as Response, 200, body).catch(() => {
      if (response.headersSent) response.destroy();
      else response.writeHead(500).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  undo.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  const sent = request({ port: (server.address() as AddressInfo).port, method }).end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return answer;
}

async function read(answer: IncomingMessage): Promise<number> {
  let bytes = 0;
  for await (const chunk of answer) bytes += (chunk as Buffer).length;
  return bytes;
}

test('all parts come, in the media type of the body', async () => {
  const { body } = partsOf(50);
  const answer = await ask(body);
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8']);
  expect(await read(answer)).toBe(50 * PART.length);
});

test('what fails before the first part can be answered; later the connection ends', async () => {
  expect((await ask(partsOf(2, 0).body)).statusCode).toBe(500);
  await expect(read(await ask(partsOf(200, 100).body))).rejects.toThrow('aborted');
});

/** An answer of which the client has taken nothing until it is told to. */
function unreadAnswer() {
  const taken: (() => void)[] = [];
  const answer = new Writable({
    highWaterMark: 1,
    write: (_chunk, _encoding, done) => void taken.push(done),
  });
  Object.assign(answer, { headersSent: false, setHeader: () => undefined, req: { method: 'GET' } });
  return { response: answer as unknown as Response, take: () => taken.shift()?.() };
}

async function turnEventLoop(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await setImmediate();
}

test('no part is asked for while the client does not read, nor after it has gone', async () => {
  const { asked, body } = partsOf(10_000);
  const { response, take } = unreadAnswer();
  const sent = sendStreamedBytes(response, 200, body);
  await turnEventLoop();
  expect(asked.parts).toBe(1);
  take();
  await turnEventLoop();
  expect(asked.parts).toBe(2);
  response.destroy();
  await sent;
  expect(asked).toEqual({ parts: 2, isOver: true });
});

test('of a HEAD the first part is computed, and no other', async () => {
  const { asked, body } = partsOf(100);
  const answer = await ask(body, 'HEAD');
  expect(answer.statusCode).toBe(200);
  expect(await read(answer)).toBe(0);
  expect(asked.parts).toBe(1);
});
