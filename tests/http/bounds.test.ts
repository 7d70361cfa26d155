import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MAX_HEADER_FIELDS, MAX_QUERY_PARAMETERS, MAX_URL_BYTES } from '../../src/http/request-bounds.ts';
import { readQuery } from '../../src/http/request-values.ts';
import { startApi } from '../support/api.ts';
import type { Api } from '../support/api.ts';
import { recordProblemCode } from '../support/api-client.ts';

// What a request may cost before anybody knows who sends it.

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

function open(): Socket {
  return connect(Number(new URL(api.baseUrl).port), '127.0.0.1');
}

/** The whole of what the service answers until it ends the connection. */
async function send(...parts: readonly (string | Buffer)[]): Promise<string> {
  const socket = open();
  for (const part of parts) socket.write(part);
  return text(socket);
}

const head = (line: string, ...headers: readonly string[]): string =>
  [`${line} HTTP/1.1`, 'Host: a', ...headers, '', ''].join('\r\n');

describe('an address', () => {
  const path = '/api/partners/v2.0/openapi.json?x=';

  test('of 8 KiB is read, a longer one refused without a look at it', async () => {
    const longest = path.padEnd(MAX_URL_BYTES, 'y');
    expect(await send(head(`HEAD ${longest}`, 'Connection: close'))).toMatch(/^HTTP\/1\.1 200 /);
    const answer = await send(head(`GET ${longest}y`));
    expect(answer).toMatch(/^HTTP\/1\.1 414 /);
    expect(answer).toContain('Connection: close');
    expect(answer).toContain('"code":"uri_too_long"');
    recordProblemCode('uri_too_long');
  });

  test('may have 100 parameters', async () => {
    const queryOf = (count: number): string => Array(count).fill('a=b').join('&');
    const url = (count: number): string => `/api/partners/v2.0/org/${api.own.orgId}/users?${queryOf(count)}`;
    const bearer = { authorization: `Bearer ${api.own.admin.token}` };
    expect((await api.fetch('get', url(MAX_QUERY_PARAMETERS), bearer)).status).toBe(422);
    expect(await api.fetch('get', url(MAX_QUERY_PARAMETERS + 1))).toMatchObject({
      status: 400,
      body: { code: 'malformed_request' },
    });
  });

  test('with repeated names is read in one go', () => {
    const values = Array.from({ length: 5 }, (_, index) => String(index));
    expect(readQuery(`/?${values.map((value) => `a=${value}`).join('&')}&b=1`)).toEqual({
      a: values,
      b: '1',
    });
    const many = `/?${'a&'.repeat(20_000)}`;
    const before = process.cpuUsage();
    readQuery(many);
    const { user, system } = process.cpuUsage(before);
    // 20 ms; seconds when each repetition copies those before it.
    expect((user + system) / 1000).toBeLessThan(1_000);
  });
});

test.each(['/', '/a', '/%2f', '/users/a', '/device-simulator/fleets'])(
  'finding no route for a path of 8 KiB costs no more than its bytes (%s, repeated)',
  async (part) => {
    const path = `/api/partners/v2.0/org${part.repeat(Math.floor((MAX_URL_BYTES - 100) / part.length))}/x`;
    expect((await api.fetch('get', path)).status).toBe(404);
    const before = process.cpuUsage();
    for (let count = 0; count < 5; count += 1) await api.fetch('get', path);
    const { user, system } = process.cpuUsage(before);
    // Client and service together take some 20 ms each time; time that grows with the square is seconds.
    expect((user + system) / 1000).toBeLessThan(2_000);
  },
);

test('a request may have 100 header fields', async () => {
  const fields = (count: number): string[] =>
    Array.from({ length: count - 2 }, (_, index) => `X-${index}: y`);
  const request = (count: number): string => head('GET /livez', 'Connection: close', ...fields(count));
  expect(await send(request(MAX_HEADER_FIELDS))).toMatch(/^HTTP\/1\.1 200 /);
  expect(await send(request(MAX_HEADER_FIELDS + 1))).toMatch(/^HTTP\/1\.1 431 [^]*"code":"header_too_large"/);
});

describe('a body that is larger than its operation accepts', () => {
  const limited = ['/oauth2/token/', '/api/partners/v2.0/auth/token', '/oauth2/revoke_token/'];
  const forms = ['/accounts/login/'];
  const signup = '/api/partners/v2.0/auth/signup-request';

  test.each([...limited, ...forms, signup])(
    'is refused by its length before it is sent (%s)',
    async (path) => {
      // Nothing of the body is sent: an answer comes only from a service that does not wait for it.
      const type = path === signup ? 'application/json' : 'application/x-www-form-urlencoded';
      const answer = await send(head(`POST ${path}`, `Content-Type: ${type}`, 'Content-Length: 16385'));
      expect(answer).toMatch(/^HTTP\/1\.1 413 /);
      expect(answer).toContain('Connection: close');
    },
  );

  test.each(limited)('is refused as soon as it is, when it comes in chunks (%s)', async (path) => {
    const chunk = `1000\r\n${'x'.repeat(4096)}\r\n`;
    const answer = await send(
      head(`POST ${path}`, 'Content-Type: application/json', 'Transfer-Encoding: chunked'),
      chunk.repeat(5),
    );
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain('Connection: close');
  });

  test.each(limited)('is refused too when it comes in too many chunks (%s)', async (path) => {
    const answer = await send(
      head(`POST ${path}`, 'Content-Type: application/json', 'Transfer-Encoding: chunked'),
      '1\r\n0\r\n'.repeat(5_000),
    );
    expect(answer).toMatch(
      /^HTTP\/1\.1 413 [^]*Connection: close[^]*The body comes in too many small chunks/,
    );
  });

  test('is not read at the portal when it comes in chunks', async () => {
    const answer = await send(
      head(
        'POST /accounts/login/',
        'Content-Type: application/x-www-form-urlencoded',
        'Transfer-Encoding: chunked',
      ),
    );
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  });

  test('a form of the portal may have 200 fields', async () => {
    const post = async (count: number): Promise<string> => {
      const form = Array.from({ length: count }, (_, index) => `f${index}=v`).join('&');
      const type = 'Content-Type: application/x-www-form-urlencoded';
      return send(
        head('POST /accounts/login/', type, `Content-Length: ${form.length}`, 'Connection: close'),
        form,
      );
    };
    // Refused for the token that it lacks.
    expect(await post(200)).toMatch(/^HTTP\/1\.1 403 /);
    expect(await post(201)).toMatch(/^HTTP\/1\.1 413 /);
  });

  test('is read on for a moment, so that a client that is still sending gets the answer', async () => {
    const body = Buffer.alloc(10_000_000, ' ');
    const url = `/api/partners/v2.0/org/${api.own.orgId}/trading/dayahead/prices`;
    const request = head(`PATCH ${url}`, 'Content-Type: application/json', `Content-Length: ${body.length}`);
    expect(await send(request, body.subarray(0, 100_000))).toMatch(/^HTTP\/1\.1 401 [^]*Connection: close/);
  });
});

test.each(['/livez', '/readyz', '/docs', '/api/partners/v2.0/openapi.json', '/nothing'])(
  'an answer to a body that nobody reads ends its connection (%s)',
  async (path) => {
    const answer = await send(head(`GET ${path}`, 'Transfer-Encoding: chunked'), '1\r\n0\r\n');
    expect(answer.split('\r\n\r\n')[0]).toContain('Connection: close');
  },
);

test.each(['/oauth2/token/', '/accounts/login/'])(
  'a body that is compressed is not unpacked (%s)',
  async (path) => {
    const body = gzipSync('grant_type=client_credentials');
    const headers = [
      'Content-Type: application/x-www-form-urlencoded',
      'Content-Encoding: gzip',
      `Content-Length: ${body.length}`,
      'Connection: close',
    ];
    expect(await send(head(`POST ${path}`, ...headers), body)).toMatch(/^HTTP\/1\.1 415 /);
  },
);

describe('what two servers could read differently is refused', () => {
  test.each([
    ['two lengths', ['Content-Length: 2', 'Content-Length: 3']],
    ['a length beside chunks', ['Content-Length: 2', 'Transfer-Encoding: chunked']],
    ['chunks that are not last', ['Transfer-Encoding: chunked, identity']],
  ])('%s', async (_name, headers) => {
    const answer = await send(
      head('POST /oauth2/token/', 'Content-Type: application/json', ...headers),
      '{}',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  });
});

describe('Accept', () => {
  const url = (): string => `/api/partners/v2.0/org/${api.own.orgId}/users`;
  const ask = async (accept: string): Promise<number> => {
    const headers = { authorization: `Bearer ${api.own.admin.token}`, accept };
    return (await api.fetch('get', url(), headers)).status;
  };

  test.each([
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'APPLICATION/JSON',
    'application/*;q=0.1',
    '*/*',
    'text/html, application/xhtml+xml, */*;q=0.8',
    'application/problem+json',
    'text/plain;q=1, application/json;q=0.001',
  ])('%s takes JSON', async (accept) => {
    expect(await ask(accept)).toBe(200);
  });

  test.each(
    [
      'text/html',
      'application/json;q=0',
      'application/json;q=0, application/problem+json;q=0, */*',
      'application/*;q=0, */*',
      'application/json; charset=latin1',
      `${'a/b,'.repeat(300)}application/json`,
    ].map((accept) => [accept.slice(0, 60), accept] as const),
  )('%s does not', async (_name, accept) => {
    expect(await ask(accept)).toBe(406);
  });
});
