import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_RATE_LIMITS } from '../../src/config/rate-limits.ts';
import { recordProblemCode } from '../support/api-client.ts';
import { startApi } from '../support/api.ts';
import type { Api } from '../support/api.ts';

// Requests that Node.js would answer by itself, without a word of the service, or drop.

let api: Api;
beforeAll(async () => {
  api = await startApi({ rateLimits: DEFAULT_RATE_LIMITS });
});
afterAll(() => api.close());

function send(...lines: readonly string[]): Socket {
  const socket = connect(Number(new URL(api.baseUrl).port), '127.0.0.1');
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  return socket;
}

test.each([
  ['no Host', 400, 'malformed_request', ['GET /livez HTTP/1.1']],
  ['an odd expectation', 417, 'expectation_failed', ['GET /livez HTTP/1.1', 'Host: a', 'Expect: 200-maybe']],
  ['the method CONNECT', 405, 'method_not_allowed', ['CONNECT a:443 HTTP/1.1', 'Host: a:443']],
  ['a host that is none', 400, 'malformed_request', ['GET http://[::1/livez HTTP/1.1', 'Host: a']],
  ['a host in a path', 400, 'malformed_request', ['GET //a@[::1/livez#a HTTP/1.1', 'Host: a']],
  ['the method CONNECT and a path', 405, 'method_not_allowed', ['CONNECT [::1]:1 HTTP/1.1', 'Host: a']],
] as const)(
  'a request with %s is a problem like any other, and counted',
  async (_name, status, code, lines) => {
    const answer = await text(send(...lines));
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(head).toContain('Content-Type: application/problem+json');
    const problem = JSON.parse(body) as { request_id: string };
    expect(problem).toMatchObject({ status, code, errors: [] });
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(head).toContain(`X-Request-Id: ${problem.request_id}\r\n`);
    expect(head).toContain('X-Content-Type-Options: nosniff\r\n');
    expect(head).toMatch(/\r\nRateLimit: "default";r=\d+/);
    expect(head).toMatch(/\r\nConnection: close(\r\n|$)/);
    if (status === 405) expect(head).toMatch(/\r\nAllow: ?\r\n/);
    recordProblemCode(code);
  },
);

test.each(['http://a/livez', 'HTTPS://a:1/livez?b', 'http://[::1]/livez'])(
  'the target may be a URL: %s',
  async (target) => {
    const answer = await text(send(`GET ${target} HTTP/1.1`, 'Host: a', 'Connection: close'));
    expect(answer).toMatch(/^HTTP\/1\.1 200 [^]*{"status":"live"}$/);
  },
);

test('a target that cannot be read is refused, whether or not its body comes whole', async () => {
  const bodies = [`${'1\r\na\r\n'.repeat(5_000)}0\r\n\r\n`, '1\r\na\r\n'];
  for (const body of bodies) {
    const socket = send('POST http://[::1/ HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked');
    socket.on('error', () => undefined).write(body);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 400 /);
    socket.destroy();
  }
});

test('CONNECT behind a request that is not answered yet ends the connection', async () => {
  const socket = send('GET /readyz HTTP/1.1', 'Host: a', '', 'CONNECT a:443 HTTP/1.1', 'Host: a');
  socket.on('error', () => undefined).resume();
  await once(socket, 'close');
  expect((await api.fetch('get', '/livez')).status).toBe(200);
});

test.each([
  ['1.1', ['Host: a', 'Host: b']],
  ['1.1', ['Host: a', 'X-Other: host', 'hOST: a']],
  ['1.0', ['Host: a', 'Host: a']],
])('a request of HTTP/%s with two headers Host is refused: %j', async (version, headers) => {
  const answer = await text(send(`GET /livez HTTP/${version}`, ...headers));
  expect(answer).toMatch(/^HTTP\/1\.1 400 [^]*Connection: close[^]*A request may have one header Host\./);
});

test('HTTP/1.0 needs no Host, and its expectation does not count', async () => {
  expect(await text(send('GET /livez HTTP/1.0', 'Expect: 200-maybe'))).toMatch(/^HTTP\/1\.1 200 /);
});

describe('a client that waits for 100 Continue', () => {
  const asked = (length: number): Socket =>
    send(
      'POST /oauth2/token/ HTTP/1.1',
      'Host: a',
      'Content-Type: application/json',
      'Expect: 100-continue',
      `Content-Length: ${length}`,
    );

  test('gets it once its body is read', async () => {
    const body = '{"grant_type":"client_credentials"}';
    const socket = asked(body.length);
    const [first] = (await once(socket, 'data')) as [Buffer];
    expect(first.toString()).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    socket.write(body);
    const [second] = (await once(socket, 'data')) as [Buffer];
    expect(second.toString()).toMatch(/^HTTP\/1\.1 401 /);
    socket.destroy();
  });

  test('is told at once that its body is too large', async () => {
    expect(await text(asked(999_999))).toMatch(/^HTTP\/1\.1 413 [^]*Connection: close/);
  });

  test('is told at once of any other refusal, and that the connection ends', async () => {
    const socket = send(
      `POST /api/partners/v2.0/org/${api.own.orgId}/users HTTP/1.1`,
      'Host: a',
      'Content-Type: application/json',
      'Expect: 100-continue',
      'Content-Length: 100',
    );
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 401 [^]*Connection: close/);
  });
});
