import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEFAULT_RATE_LIMITS } from '../../src/config/rate-limits.ts';
import { startApi } from '../support/api.ts';
import type { Api } from '../support/api.ts';

// What every answer carries, also those beside the operations.

let api: Api;
beforeAll(async () => {
  api = await startApi({ rateLimits: DEFAULT_RATE_LIMITS });
});
afterAll(() => api.close());

const users = (): string => `/api/partners/v2.0/org/${api.own.orgId}/users`;

test.each<[method: 'get' | 'post' | 'delete' | 'options', url: () => string, status: number]>([
  ['get', () => '/nothing', 404],
  ['delete', users, 405],
  ['options', users, 204],
  ['get', users, 401],
  ['get', () => `${users()}/%zz`, 400],
  ['get', () => '/oauth2/token/', 405],
  ['get', () => '/api/partners/v2.0/openapi.json', 200],
  ['get', () => '/api/partners/v2.0/openapi.yaml/', 200],
  ['post', () => '/api/partners/v2.0/openapi.json', 405],
  ['get', () => '/API/partners/v2.0/openapi.json', 404],
  ['get', () => '/docs', 200],
  ['post', () => '/docs', 405],
  ['get', () => '/docs/errors/nothing', 404],
  ['get', () => '/accounts/login/', 200],
  ['get', () => '/oauth2/applications/', 303],
  ['get', () => '/portal/consent/nothing', 404],
])('%s %s carries the rate limits and a request id', async (method, url, status) => {
  const { headers, ...answer } = await api.fetch(method, url());
  expect(answer.status).toBe(status);
  expect(headers).toMatchObject({
    'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    'x-content-type-options': 'nosniff',
    'ratelimit-policy': '"default";q=60000;w=60',
    ratelimit: expect.stringMatching(/^"default";r=\d+;t=\d+$/),
  });
  if (status === 405) expect(headers['allow']).toMatch(/^(?:GET, HEAD|POST)/);
});

test('an answer of the token endpoint carries its limits, also when the body is refused', async () => {
  const { status, headers } = await api.fetch('post', '/oauth2/token/');
  expect([status, headers['ratelimit-policy'], headers['ratelimit']]).toEqual([
    415,
    '"token_address";q=1200;w=60',
    '"token_address";r=1199;t=60',
  ]);
});

test.each(['/livez', '/readyz', '/metrics'])(
  '%s can only be read; all but /livez are counted',
  async (url) => {
    const read = await api.fetch('get', url);
    expect(read.status).toBe(200);
    expect('ratelimit' in read.headers).toBe(url !== '/livez');
    expect(read.headers).toHaveProperty('x-request-id');
    expect(await api.fetch('post', url)).toMatchObject({
      status: 405,
      headers: { allow: 'GET, HEAD' },
      body: { code: 'method_not_allowed' },
    });
    expect((await api.fetch('get', url.toUpperCase())).status).toBe(404);
  },
);

test('beyond the quota also paths that nobody knows are refused', async () => {
  const narrow = await startApi({
    rateLimits: { ...DEFAULT_RATE_LIMITS, default: { quota: 1, windowSeconds: 60 } },
  });
  try {
    expect((await narrow.fetch('get', '/nothing')).status).toBe(404);
    for (const [method, url] of [
      ['get', '/nothing'],
      ['post', '/docs'],
      ['delete', users()],
      ['get', '/readyz'],
      ['get', '/metrics'],
    ] as const) {
      const answer = await narrow.fetch(method, url);
      expect(answer).toMatchObject({ status: 429, body: { code: 'quota_exceeded' } });
      expect(answer.headers).toHaveProperty('retry-after');
    }
    expect((await narrow.fetch('get', '/livez')).status).toBe(200);
  } finally {
    await narrow.close();
  }
});
