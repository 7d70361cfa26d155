import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { installClientErrorHandler } from '../../src/http/client-error.ts';
import { recordProblemCode } from '../support/api-client.ts';

let server: Server;
beforeAll(async () => {
  server = await serve('http://localhost:8080');
});
afterAll(() => void server.close());

async function serve(baseUrl: string): Promise<Server> {
  const started = createServer((_request, response) => response.end('read'));
  installClientErrorHandler(started, baseUrl);
  started.listen(0, '127.0.0.1');
  await once(started, 'listening');
  return started;
}

async function send(request: string, to = server): Promise<{ head: string; body: string }> {
  const socket = connect((to.address() as AddressInfo).port, '127.0.0.1');
  socket.write(request);
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
  return { head, body };
}

test.each([
  [
    'too large a header',
    `GET / HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
    431,
    'header_too_large',
  ],
  ['no HTTP', 'good morning\r\n\r\n', 400, 'malformed_request'],
  ['a space before the colon', 'GET / HTTP/1.1\r\nHost : a\r\n\r\n', 400, 'malformed_request'],
] as const)('a request with %s gets a problem with a request id', async (_name, request, status, code) => {
  const { head, body } = await send(request);
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  const problem = JSON.parse(body) as { request_id: string };
  expect(problem).toMatchObject({ status, code, type: `http://localhost:8080/docs/errors/${code}` });
  expect(head).toContain(`X-Request-Id: ${problem.request_id}`);
  expect(head).toContain('\r\nCache-Control: no-store\r\n');
  expect(head).not.toContain('Strict-Transport-Security');
  recordProblemCode(code);
});

test('behind an address with https even what cannot be read is answered for https alone', async () => {
  const secured = await serve('https://api.example.com');
  expect((await send('good morning\r\n\r\n', secured)).head).toContain('Strict-Transport-Security: max-age=');
  secured.close();
});

test('a request that can be read is not touched', async () => {
  expect((await send('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')).body).toContain('read');
});
