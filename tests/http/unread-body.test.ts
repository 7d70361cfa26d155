// How much is read of a body that is refused before it has come.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { endAnswer } from '../../src/http/unread-body.ts';

let server: Server;
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** A connection to a server that refuses every request; both ends of it. */
async function open(): Promise<{ client: Socket; accepted: Socket }> {
  server = createServer((request, response) => {
    Object.assign(request, { get: (name: string) => request.headers[name] });
    endAnswer(response, 'refused');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const connection = once(server, 'connection') as Promise<[Socket]>;
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
  return { client, accepted: (await connection)[0] };
}

const head = (length: number): string => `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`;

test('a body without a length is read on for 256 KiB at most', async () => {
  const { client, accepted } = await open();
  const closed = once(accepted, 'close');
  client.resume().write('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1312d00\r\n');
  client.write(Buffer.alloc(20_000_000));
  await closed;
  expect(accepted.bytesRead).toBeGreaterThan(262_144);
  // One read beyond, and what Node.js had already asked the kernel for.
  expect(accepted.bytesRead).toBeLessThan(2 * 262_144);
});

test('a body that is declared longer is not read on, and its client gets the answer', async () => {
  const { client, accepted } = await open();
  client.write(head(40_000_000));
  client.write(Buffer.alloc(20_000_000));
  const [answer] = (await once(client, 'data')) as [Buffer];
  expect(String(answer)).toMatch(/^HTTP\/1\.1 200 [^]*refused/);
  await once(accepted, 'close');
  // What Node.js had asked the kernel for before anybody wanted the body.
  expect(accepted.bytesRead).toBeLessThan(262_144);
});

test('a body is read on for half a second at most', async () => {
  const { client } = await open();
  client.write(`${head(100_000)}x`);
  expect(await text(client)).toMatch(/^HTTP\/1\.1 200 [^]*refused/);
});
