import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROUTES } from '../../generated/routes.ts';
import { startApi } from '../support/api.ts';
import type { Api } from '../support/api.ts';

// What caches may do with each kind of answer, by an example of it.

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const KINDS: readonly [what: string, path: () => string, value: string, accept?: string][] = [
  ['a single object', () => `/users/${api.own.user.id}`, 'private, no-cache'],
  ['the settings of all fleets', () => '/device-simulator/fleets/config', 'private, no-cache'],
  ['a list', () => '/users', 'no-store'],
  ['a page of a list', () => '/users?limit=2', 'no-store'],
  ['a list of signed links', () => '/notifications/actions', 'no-store'],
  ['a problem', () => '/users/nobody', 'no-store'],
  ['the document', () => '//api/partners/v2.0/openapi.json', 'public, no-cache'],
  ['the document as YAML', () => '//api/partners/v2.0/openapi.yaml', 'public, no-cache'],
  ['what OAuth clients are told', () => '//.well-known/oauth-authorization-server', 'public, no-cache'],
  ['a page of the reference', () => '//docs', 'public, no-cache'],
  ['the page of a code', () => '//docs/errors/not_found', 'public, no-cache'],
  ['the login', () => '//accounts/login/', 'no-store'],
  ['a guarded page', () => '//oauth2/applications/', 'no-store'],
  ['liveness', () => '//livez', 'no-store'],
  ['readiness', () => '//readyz', 'no-store'],
  ['metrics', () => '//metrics', 'no-store'],
  ['nothing', () => '//nothing', 'no-store'],
  ['nothing, for a browser', () => '//nothing', 'no-store', 'text/html'],
];

test.each(KINDS)('%s', async (_what, path, value, accept) => {
  const url = path().startsWith('//') ? path().slice(1) : `/api/partners/v2.0/org/${api.own.orgId}${path()}`;
  const authorization = `Bearer ${api.own.admin.token}`;
  const { headers } = await api.fetch('get', url, {
    authorization,
    ...(accept === undefined ? {} : { accept }),
  });
  expect(headers['cache-control']).toBe(value);
  const etag = headers['etag'];
  expect(etag !== undefined).toBe(value.includes('no-cache'));
  if (etag === undefined) return;
  const known = await api.fetch('get', url, { authorization, 'if-none-match': etag });
  expect([known.status, known.headers['cache-control']]).toEqual([304, value]);
});

test.each(ROUTES.map((route) => [route.operationId, route] as const))(
  'refusals of %s are kept by nobody',
  async (_id, { method, path }) => {
    const url = path.replaceAll(/\{\w+\}/g, 'x');
    for (const authorization of ['', `Bearer ${api.own.admin.token}`]) {
      const { status, headers } = await api.fetch(method, url, { authorization });
      if (status >= 400) expect(headers['cache-control']).toBe('no-store');
    }
  },
);

test('changes are kept by nobody, with a tag or without', async () => {
  const path = { user_id: api.own.user.id };
  const changed = await api.call('updateUser', { path, body: { first_name: 'Anna' } });
  expect([changed.headers['cache-control'], changed.headers['etag']]).toEqual([
    'no-store',
    expect.any(String),
  ]);
  const created = await api.call('createUser', { body: { email: 'new@example.com', role: 'user' } });
  expect(created.headers['cache-control']).toBe('no-store');
});

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
test.each([
  ['//nothing', BROWSER, 'text/html; charset=utf-8'],
  ['//docs/errors/nothing', BROWSER, 'text/html; charset=utf-8'],
  ['//nothing', '*/*', 'application/problem+json; charset=utf-8'],
  ['//nothing', 'application/json', 'application/problem+json; charset=utf-8'],
  ['//nothing', 'application/problem+json, text/html;q=0.1', 'application/problem+json; charset=utf-8'],
  ['//docs/errors/nothing', 'application/json', 'application/problem+json; charset=utf-8'],
  [
    '//docs/errors/nothing',
    'application/problem+json, text/html;q=0.1',
    'application/problem+json; charset=utf-8',
  ],
  ['//api/partners/v2.0/nothing', BROWSER, 'application/problem+json; charset=utf-8'],
  ['/users/nobody', BROWSER, 'application/problem+json; charset=utf-8'],
])('an error at %s for %s is %s', async (path, accept, type) => {
  const url = path.startsWith('//') ? path.slice(1) : `/api/partners/v2.0/org/${api.own.orgId}${path}`;
  const answer = await api.fetch('get', url, { accept, authorization: `Bearer ${api.own.admin.token}` });
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect(answer.headers['content-type']).toBe(type);
});

test.each(['/nothing', '/docs/errors/nothing'])(
  'an error at %s is no page for who names more types than are read',
  async (path) => {
    const answer = await api.fetch('get', path, { accept: `text/html${',/'.repeat(600)}` });
    expect([answer.status, answer.headers['content-type']]).toEqual([
      404,
      'application/problem+json; charset=utf-8',
    ]);
  },
);

test('a page for an error says what is wrong, with the request id, and runs no script', async () => {
  const answer = await api.fetch('get', '/<b>nothing</b>', {
    accept: BROWSER,
    'x-request-id': 'request-1234',
  });
  expect([answer.status, answer.headers['vary']]).toEqual([404, 'Accept']);
  expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
  expect(answer.text).toContain('request-1234');
  expect(answer.text).not.toContain('<b>nothing');
});

test('HEAD has the head of GET and no body', async () => {
  for (const path of [`users/${api.own.user.id}`, 'users', 'device-simulator/fleets/config']) {
    const url = `${api.baseUrl}/api/partners/v2.0/org/${api.own.orgId}/${path}`;
    const headers = { authorization: `Bearer ${api.own.admin.token}`, 'accept-encoding': 'identity' };
    const [get, head] = await Promise.all([fetch(url, { headers }), fetch(url, { headers, method: 'HEAD' })]);
    await get.text();
    for (const name of ['content-type', 'cache-control', 'etag', 'vary'])
      expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)]);
    expect([head.status, await head.text()]).toEqual([200, '']);
  }
});
