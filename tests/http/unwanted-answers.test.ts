import { once } from 'node:events';
import { createServer } from 'node:http';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import express from 'express';
import type { Response } from 'express';
import { Registry } from 'prom-client';
import { afterEach, describe, expect, test } from 'vitest';
import { StreamedBytes } from '../../src/contract/streamed-bytes.ts';
import { createHealthApp } from '../../src/http/app.ts';
import { giveUp } from '../../src/http/given-up.ts';
import { sendReply } from '../../src/http/reply.ts';
import { dropBodyOfTurn } from '../../src/http/stop-connection.ts';
import { startApi } from '../support/api.ts';
import { RecordingLog } from '../support/secret-leaks.ts';

// Answers that are written behind another one of the same request, and what is left of a connection for the next one.

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function listen(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** All that is answered on a connection. */
function ask(port: number, ...requests: readonly string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  for (const request of requests) socket.write(request);
  return text(socket);
}

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

describe('of an answer that was given up', () => {
  const lists = {
    acquireList: () => Promise.resolve(() => undefined),
    acquireChunk: () => Promise.resolve(() => undefined),
  };

  /** Gives the answer up and sends another one before the first of its parts. */
  async function* partsOf(response: Response, parts: readonly string[]): AsyncGenerator<string> {
    giveUp(response);
    response.status(408).set('Connection', 'close').end('late');
    for (const part of parts) yield await Promise.resolve(part);
  }

  const LONG = Array<string>(3).fill('x'.repeat(40_000));
  const SHORT = ['short'];
  const bytes = (parts: AsyncIterable<string>): StreamedBytes => new StreamedBytes('text/csv', parts);

  test.each([
    ['a long list', (response: Response) => partsOf(response, LONG)],
    ['a short list', (response: Response) => partsOf(response, SHORT)],
    ['a long table', (response: Response) => bytes(partsOf(response, LONG))],
    ['a short table', (response: Response) => bytes(partsOf(response, SHORT))],
  ])('nothing is written behind the other one: %s', async (_name, open) => {
    const failures: unknown[] = [];
    const app = express().use(async (_request: express.Request, response: Response) => {
      response.on('error', (error) => failures.push(error));
      await sendReply(response, { status: 200, body: open(response) }, { lists }).catch((error: unknown) =>
        failures.push(error),
      );
    });
    const [head, body] = (await ask(await listen(app), GET)).split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 408 /);
    expect(body).toBe('late');
    expect(failures).toEqual([]);
  });
});

describe('a write behind the end of an answer is logged, and ends no process', () => {
  const LAST = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
  const writeMore = (_request: unknown, response: ServerResponse): void => {
    // Before Node.js closes the response, which has no errors then.
    response.prependOnceListener('finish', () => response.write('more'));
  };

  test('of the service', async () => {
    const api = await startApi();
    api.server.prependListener('request', writeMore);
    try {
      for (const path of ['/livez', '/docs', '/nothing'])
        expect(await ask(Number(new URL(api.baseUrl).port), LAST(path))).toMatch(/^HTTP\/1\.1 (200|404) /);
      await expect.poll(() => findFailures(api.log)).toHaveLength(3);
    } finally {
      await api.close();
    }
  });

  test('of the port without the API', async () => {
    const log = new RecordingLog();
    const app = createHealthApp({
      registry: new Registry(),
      monotonicMs: () => 0,
      findNotReadyReason: () => Promise.resolve(undefined),
      baseUrl: 'http://localhost',
      log,
      isUnavailable: () => false,
      isOrganizationGone: () => false,
    });
    const port = await listen(app);
    servers.at(-1)?.prependListener('request', writeMore);
    expect(await ask(port, LAST('/livez'))).toMatch(/^HTTP\/1\.1 200 /);
    await expect.poll(() => findFailures(log)).toHaveLength(1);
  });

  const findFailures = ({ text }: RecordingLog): readonly string[] =>
    text.match(/"level":"error".*"code":"ERR_STREAM_WRITE_AFTER_END"/g) ?? [];
});

test('a connection whose body was thrown away twice in one turn brings the next one', async () => {
  const port = await listen((request, response) => {
    if (request.method === 'GET') {
      dropBodyOfTurn(request.socket);
      dropBodyOfTurn(request.socket);
      setImmediate(() => response.end());
    } else void text(request).then((body) => response.setHeader('Connection', 'close').end(body));
  });
  const socket = connect(port, '127.0.0.1');
  socket.write(GET);
  await once(socket, 'data');
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody');
  expect(await text(socket)).toMatch(/\r\n\r\nbody$/);
});
