// How much is read of a body that is answered before it has come.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { collectBody } from '../../src/http/collect-body.ts';
import { endUnreadBodies } from '../../src/http/unread-body.ts';

let server: Server;
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const REFUSE: RequestListener = (_request, response) => void response.end('refused');

/** A connection to a server that answers every request alike, and reads no body; both ends of it. */
async function open(listener = REFUSE): Promise<{ client: Socket; accepted: Socket }> {
  server = createServer();
  endUnreadBodies(server);
  server.on('request', listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const connection = once(server, 'connection') as Promise<[Socket]>;
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
  return { client, accepted: (await connection)[0] };
}

const CHUNKED = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
const head = (length: number): string => `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`;

/** How much is read of a connection whose body is answered, and has neither a length nor an end that comes. */
async function readOfEndless(listener?: RequestListener): Promise<number> {
  const { client, accepted } = await open(listener);
  const closed = once(accepted, 'close');
  client.resume().write(`${CHUNKED}1312d00\r\n`);
  client.write(Buffer.alloc(20_000_000));
  await closed;
  return accepted.bytesRead;
}

test('a body without a length is read on for 256 KiB at most', async () => {
  const bytesRead = await readOfEndless();
  expect(bytesRead).toBeGreaterThan(262_144);
  // One read beyond, and what Node.js had already asked the kernel for.
  expect(bytesRead).toBeLessThan(2 * 262_144);
});

test('a body that is declared longer is not read on, and its client gets the answer', async () => {
  const { client, accepted } = await open();
  client.write(head(40_000_000));
  client.write(Buffer.alloc(20_000_000));
  const [answer] = (await once(client, 'data')) as [Buffer];
  expect(String(answer)).toMatch(/^HTTP\/1\.1 200 [^]*refused/);
  await once(accepted, 'close');
  // One read, and what Node.js asks the kernel for once more at the end.
  expect(accepted.bytesRead).toBeLessThanOrEqual(2 * 65_536);
});

test('a body that somebody has begun to take is read on for 256 KiB too', async () => {
  const bytesRead = await readOfEndless((request, response) => {
    void collectBody(request, response, 100_000_000).catch(() => undefined);
    response.end('late');
  });
  expect(bytesRead).toBeGreaterThan(262_144);
  expect(bytesRead).toBeLessThan(2 * 262_144);
});

test('a client that goes behind a body without a length is noticed, though nobody takes the body', async () => {
  const { client, accepted } = await open(() => undefined);
  const closed = once(accepted, 'close');
  client.write(CHUNKED);
  await once(server, 'request');
  client.end('1\r\na\r\n0\r\n\r\n');
  await closed;
});

test('a body that nobody takes is read no further than it has come with its head, and to its end for who takes it', async () => {
  const held = Promise.withResolvers<[IncomingMessage, ServerResponse]>();
  const { client, accepted } = await open((...exchange) => held.resolve(exchange));
  const length = 150_000;
  await new Promise((resolve) => client.write(head(length) + 'x'.repeat(length), resolve));
  const [request, response] = await held.promise;
  // What has come is read in the next turns, if at all.
  for (let turns = 0; turns < 10; turns += 1) await setImmediate();
  expect(accepted.bytesRead).toBeLessThanOrEqual(65_536);
  expect((await text(request)).length).toBe(length);
  response.end('taken');
  expect(String((await once(client, 'data'))[0])).toContain('taken');
});

test('a body is read on for half a second at most', async () => {
  const { client } = await open();
  client.write(`${head(100_000)}x`);
  expect(await text(client)).toMatch(/^HTTP\/1\.1 200 [^]*refused/);
});

describe('an answer to a body without a length that has not come whole ends its connection, and says so', () => {
  const KINDS: Readonly<Record<string, readonly [listener: RequestListener, answer: RegExp]>> = {
    'with a text': [REFUSE, /^HTTP\/1\.1 200 [^]*\r\nContent-Length: 7\r\n[^]*\r\n\r\nrefused$/],
    'without a body': [(_, response) => void response.end(), /^HTTP\/1\.1 200 [^]*\r\nContent-Length: 0\r\n/],
    'that has none ever': [
      (_, response) => void response.writeHead(204).end(),
      /^HTTP\/1\.1 204 (?![^]*(Content-Length|Transfer-Encoding))/,
    ],
    'in pieces': [
      (_, response) => {
        response.write('a');
        response.end('b');
      },
      // Node.js may join chunks.
      /^HTTP\/1\.1 200 [^]*\r\n\r\n(1\r\na\r\n1\r\nb|2\r\nab)\r\n0\r\n\r\n$/,
    ],
  };

  test.each(Object.keys(KINDS))('%s', async (kind) => {
    const [listener, answer] = KINDS[kind] ?? [REFUSE, /^$/];
    const { client } = await open(listener);
    client.write(`${CHUNKED}1\r\na\r\n`);
    const heard = await text(client);
    expect(heard).toMatch(answer);
    expect(heard).toContain('Connection: close');
  });
});

test('a body that has come whole when it is answered leaves its connection open', async () => {
  const { client } = await open((request, response) => {
    request.resume().once('end', () => response.end('read'));
  });
  for (let n = 0; n < 2; n++) {
    client.write(`${CHUNKED}1\r\na\r\n0\r\n\r\n`);
    const [answer] = (await once(client, 'data')) as [Buffer];
    expect(String(answer)).toMatch(/^HTTP\/1\.1 200 (?![^]*Connection: close)[^]*read$/);
  }
});
