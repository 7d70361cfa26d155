import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROUTES } from '../../generated/routes.ts';
import { DEFAULT_RATE_LIMITS } from '../../src/config/rate-limits.ts';
import { startApi } from '../support/api.ts';
import type { Api } from '../support/api.ts';

const ORIGIN = 'https://app.example.com';
let open: Api;
let closed: Api;
beforeAll(async () => {
  [open, closed] = await Promise.all([startApi({ allowedOrigins: [ORIGIN] }), startApi()]);
});
afterAll(() => Promise.all([open.close(), closed.close()]));

const users = (api: Api): string => `/api/partners/v2.0/org/${api.own.orgId}/users`;
const bearer = (api: Api) => ({ authorization: `Bearer ${api.own.admin.token}` });
const corsOf = (headers: Readonly<Record<string, string>>) =>
  Object.keys(headers).filter((name) => name.startsWith('access-control-'));
const preflight = { origin: ORIGIN, 'access-control-request-method': 'POST' };

describe('an origin of the list', () => {
  test('may read answers and refusals, and their headers, never with credentials', async () => {
    for (const headers of [bearer(open), {}]) {
      const answer = await open.fetch('get', users(open), { ...headers, origin: ORIGIN });
      expect(answer.headers).toMatchObject({
        'access-control-allow-origin': ORIGIN,
        'access-control-expose-headers': expect.stringContaining('ETag'),
        vary: expect.stringMatching(/^Origin/),
      });
      expect(answer.headers).not.toHaveProperty('access-control-allow-credentials');
    }
  });

  test('may read why a request was refused whose operation is not known', async () => {
    const origin = { ...bearer(open), origin: ORIGIN };
    const refused = [
      await open.fetch('get', '/api/partners/v2.0/nothing', origin),
      await open.fetch('delete', users(open), origin),
      await open.fetch('get', `${users(open)}?${'a'.repeat(9_000)}`, origin),
      await open.fetch('get', `${users(open)}%`, origin),
    ];
    expect(refused.map(({ status }) => status)).toEqual([404, 405, 414, 404]);
    for (const { headers } of refused)
      expect(headers).toMatchObject({
        'access-control-allow-origin': ORIGIN,
        'access-control-expose-headers': expect.stringContaining('Retry-After'),
        vary: expect.not.stringMatching(/Origin.*Origin/),
      });
    const other = await open.fetch('get', '/api/partners/v2.0/nothing', {
      origin: 'https://other.example.com',
    });
    expect([other.status, corsOf(other.headers)]).toEqual([404, []]);
  });

  test('is told the methods and headers of a path before it calls, without a token', async () => {
    const answer = await open.fetch('options', users(open), preflight);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': ORIGIN,
      'access-control-allow-methods': 'POST, GET, HEAD, OPTIONS',
      'access-control-allow-headers': expect.stringMatching(/Authorization.*Idempotency-Key.*If-Match/),
      'access-control-max-age': '600',
      allow: 'POST, GET, HEAD, OPTIONS',
      vary: 'Origin',
    });
  });

  test('may read the document', async () => {
    for (const method of ['get', 'options'] as const) {
      const { headers } = await open.fetch(method, '/api/partners/v2.0/openapi.json', { origin: ORIGIN });
      expect(headers['access-control-allow-origin']).toBe(ORIGIN);
    }
  });

  test.each(['/oauth2/token/', '/oauth2/revoke_token', '/accounts/login/', '/docs', '/readyz', '/nothing'])(
    'may not read %s',
    async (path) => {
      for (const method of ['get', 'post', 'options'] as const) {
        const { headers } = await open.fetch(method, path, preflight);
        expect([method, corsOf(headers)]).toEqual([method, []]);
      }
    },
  );
});

test.each([
  'https://app.example.com.evil.example',
  'https://APP.example.com',
  'http://app.example.com',
  'https://app.example.com:8443',
  'null',
  '*',
  '',
])('the origin %j is not of the list', async (origin) => {
  const call = await open.fetch('get', users(open), { ...bearer(open), origin });
  const asked = await open.fetch('options', users(open), { ...preflight, origin });
  expect([corsOf(call.headers), corsOf(asked.headers)]).toEqual([[], []]);
  expect([call.status, call.headers['vary']]).toEqual([200, 'Origin, Accept-Encoding']);
});

test('without a list no origin may read anything, and answers do not depend on it', async () => {
  const call = await closed.fetch('get', users(closed), { ...bearer(closed), origin: ORIGIN });
  const asked = await closed.fetch('options', users(closed), preflight);
  expect([corsOf(call.headers), corsOf(asked.headers)]).toEqual([[], []]);
  expect([call.headers['vary'], asked.headers['vary'], asked.status]).toEqual([
    'Accept-Encoding',
    undefined,
    204,
  ]);
});

describe('OPTIONS', () => {
  test('tells the methods of every path of the document, and is counted by address', async () => {
    for (const [path, routes] of Map.groupBy(ROUTES, (route) => route.path)) {
      const methods = routes.flatMap(({ method }) =>
        method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()],
      );
      const answer = await closed.fetch('options', path.replaceAll(/\{\w+\}/g, 'x'));
      expect([path, answer.status, answer.headers['allow']]).toEqual([
        path,
        204,
        [...methods, 'OPTIONS'].join(', '),
      ]);
    }
    const document = await closed.fetch('options', '/api/partners/v2.0/openapi.json');
    expect([document.status, document.headers['allow']]).toEqual([204, 'GET, HEAD, OPTIONS']);
    const limited = await startApi({
      rateLimits: { ...DEFAULT_RATE_LIMITS, default: { quota: 1, windowSeconds: 60 } },
    });
    try {
      const statuses = [];
      for (let count = 0; count < 2; count += 1)
        statuses.push((await limited.fetch('options', users(limited), preflight)).status);
      expect(statuses).toEqual([204, 429]);
    } finally {
      await limited.close();
    }
  });
});
