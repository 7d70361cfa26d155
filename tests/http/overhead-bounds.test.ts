// What a connection may bring beside requests and their bodies.
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { pourInto } from '../../bench/abuse/pour.ts';
import { createBoundedServer } from '../../src/http/bounded-server.ts';
import { HttpServer } from '../../src/http/http-server.ts';
import { MAX_OVERHEAD_BYTES } from '../../src/http/overhead-bounds.ts';
import { open } from './chunked-server.ts';

let close = (): void => undefined;
afterEach(() => close());

/** Answers with the length of the body. */
async function serve(): Promise<number> {
  const server = createBoundedServer();
  const service = new HttpServer(server);
  service.serve((request, response) => {
    let length = 0;
    request
      .on('data', (chunk: Buffer) => (length += chunk.length))
      .on('end', () => response.end(String(length)));
  });
  const url = await service.listen({ host: '127.0.0.1', port: 0, baseUrl: undefined });
  close = () => {
    server.closeAllConnections();
    server.close();
  };
  return Number(new URL(url).port);
}

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const CHUNKED = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
const LINES = '\r\n'.repeat(MAX_OVERHEAD_BYTES / 2);

/** What is answered on a connection that stays. */
async function ask(socket: Socket, sent: string): Promise<string> {
  socket.write(sent);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  return String(answer);
}

/** More than what fits into the buffers of a connection that is not read. */
const MUCH_BYTES = 67_108_864;

/** Sends a piece without end; what is answered until the service ends the connection. */
async function pour(socket: Socket, first: string, piece: string): Promise<string> {
  const answer = text(socket).catch((error: unknown) => {
    const { code, message } = error as NodeJS.ErrnoException;
    return code ?? message;
  });
  pourInto(socket, first, piece);
  socket.on('drain', () => {
    if (socket.bytesWritten > MUCH_BYTES) socket.destroy(new Error('All is taken.'));
  });
  return answer;
}

test.each([
  ['empty lines at its beginning', '', '\r\n'],
  ['a size of a chunk of zeros alone', CHUNKED, '0'],
])('%s: no HTTP (400), and the connection ends', async (_name, head, piece) => {
  const socket = open(await serve());
  const answer = await pour(socket, head, piece);
  expect(answer).toMatch(/^(HTTP\/1.1 400 [^]*\r\nConnection: close\r\n[^]*malformed_request|ECONNRESET)/);
});

test('empty lines behind an answer: the connection ends', async () => {
  const socket = open(await serve());
  expect(await ask(socket, GET)).toContain('200 OK');
  expect(await pour(socket, '', '\r\n')).toMatch(/^(ECONNRESET)?$/);
});

test('one chunk in each read makes no room for more zeros than it has bytes', async () => {
  const socket = open(await serve());
  expect(await ask(socket, `${CHUNKED}0\r\n\r\n`)).toContain('200 OK');
  expect(await pour(socket, CHUNKED, `${'0'.repeat(16_378)}1\r\nx\r\n`)).toMatch(/^(ECONNRESET)?$/);
});

test('as many empty lines as there may be before each of two requests', async () => {
  const socket = open(await serve());
  expect(await ask(socket, LINES + GET)).toContain('200 OK');
  expect(await ask(socket, LINES + GET)).toContain('200 OK');
});

test('a body of megabytes, in one piece or in many, and requests behind it', async () => {
  const socket = open(await serve());
  const bytes = 4_000_000;
  const whole = `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${bytes}\r\n\r\n${'x'.repeat(bytes)}`;
  const pieces = `${CHUNKED}${`50\r\n${'x'.repeat(80)}\r\n`.repeat(bytes / 80)}0\r\n\r\n`;
  for (const body of [whole, pieces, whole]) expect(await ask(socket, body)).toMatch(/\r\n4000000$/);
});
