// The address by which a request is counted.
import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAddressFinder } from '../../src/http/trusted-proxies.ts';
import { startApi } from '../support/api.ts';
import type { Api } from '../support/api.ts';

const PROXY = '10.0.0.1';
const find = createAddressFinder(['10.0.0.0/8', 'fd00::/8']);
const requestOf = (forwarded: string | undefined, remoteAddress: string | undefined = PROXY) =>
  ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }) as unknown as IncomingMessage;

test.each([
  [undefined, '10.0.0.1'],
  ['', '10.0.0.1'],
  [' , ,\t', '10.0.0.1'],
  ['203.0.113.7', '203.0.113.7'],
  ['198.51.100.1, 203.0.113.7', '203.0.113.7'],
  ['198.51.100.1,\t203.0.113.7\t, , 10.2.3.4,', '203.0.113.7'],
  ['10.9.9.9,10.2.3.4', '10.9.9.9'],
  ['203.0.113.7:4711', '203.0.113.7'],
  ['203.0.113.7, 10.2.3.4:80', '203.0.113.7'],
  ['[2001:db8::1]:4711', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['203.0.113.7, [fd00::1]:4711', '203.0.113.7'],
  ['2001:0DB8:0:0:0:0:0:1', '2001:db8::1'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::ffff:cb00:7107', '203.0.113.7'],
  ['203.0.113.7, ::ffff:10.2.3.4', '203.0.113.7'],
  ['203.0.113.7, hidden', 'unknown'],
  ['203.0.113.7, hidden:80', 'unknown'],
  ['203.0.113.7, [203.0.113.7', 'unknown'],
  ['203.0.113.7, 203.0.113.7:port', 'unknown'],
  ['203.0.113.7, unknown, 10.2.3.4', 'unknown'],
])('of %j that a proxy has sent is %s', (forwarded, address) => {
  expect(find(requestOf(forwarded))).toBe(address);
});

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['fe80::1%eth0', 'fe80::1'],
  ['', 'unknown'],
])('of a connection from %j that is no proxy is %s', (remoteAddress, address) => {
  expect(find(requestOf('192.0.2.1', remoteAddress))).toBe(address);
});

test('is unknown where the connection has ended before', () => {
  const request = { socket: {}, headers: {} } as unknown as IncomingMessage;
  expect(find(request)).toBe('unknown');
});

test.each([
  [31, '203.0.113.7'],
  [32, '10.0.0.99'],
  [1_400, '10.0.0.99'],
])('behind %i proxies is %s: the last 32 are looked at', (count, address) => {
  const proxies = Array.from({ length: count }, () => '10.0.0.99');
  expect(find(requestOf(['203.0.113.7', ...proxies].join(',')))).toBe(address);
});

test('is found once a request, however often it is read', () => {
  const { socket } = requestOf(undefined);
  let reads = 0;
  const request = {
    socket,
    get headers() {
      reads += 1;
      return { 'x-forwarded-for': '203.0.113.7' };
    },
  } as unknown as IncomingMessage;
  expect([find(request), find(request), find(request)]).toEqual(Array(3).fill('203.0.113.7'));
  expect(reads).toBe(1);
});

describe('a proxy that tells more', () => {
  let api: Api;
  beforeAll(async () => {
    api = await startApi({ trustedProxies: ['127.0.0.1'] });
  });
  afterAll(() => api.close());

  test.each([
    '/',
    '/docs',
    '/portal',
    '/portal/login',
    '/.well-known/oauth-authorization-server',
    '/nothing',
  ])('has the same answer at %s: links, redirects and cookies are those of the base URL', async (path) => {
    const answerOf = async (more: Record<string, string>) => {
      const headers = { 'X-Forwarded-For': '203.0.113.7', 'X-Request-Id': 'of-both-of-them', ...more };
      const response = await fetch(`${api.baseUrl}${path}`, { headers, redirect: 'manual' });
      const cookies = response.headers.getSetCookie().map((each) => each.replace(/=[^;]*/, ''));
      return [response.status, response.headers.get('location'), cookies, await response.text()];
    };
    const forwarded = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'elsewhere.example' };
    expect(await answerOf(forwarded)).toEqual(await answerOf({}));
  });
});
