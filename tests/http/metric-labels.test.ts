import { Agent, METHODS, request } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PROBLEMS } from '../../generated/problems.ts';
import { ROUTES } from '../../generated/routes.ts';
import { until } from '../process/partner.ts';
import { startApi } from '../support/api.ts';
import type { Api } from '../support/api.ts';

// What anybody may ask for adds no series to the metrics beyond a fixed number: they are kept for the life of the process.

let api: Api;
const agent = new Agent({ keepAlive: true, maxSockets: 16 });
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => {
  agent.destroy();
  return api.close();
});

const NAMED = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'other'];
const UUID = '11111111-1111-4111-8111-111111111112';
const PAGES = [
  '/',
  '/livez',
  '/readyz',
  '/docs',
  '/docs/errors/',
  '/docs/errors/x',
  '/accounts/login/',
  '/portal/users/',
  '/zzz',
];
const PATHS = [...new Set(ROUTES.map(({ path }) => path.replaceAll(/\{\w+\}/g, UUID))), ...PAGES];
/** A histogram of one combination of labels: seven buckets, `+Inf`, sum and count. */
const LINES_OF_SERIES = 10;

function send(method: string, path: string): Promise<number> {
  const { port } = new URL(api.baseUrl);
  return new Promise((resolve, reject) => {
    request({ port, agent, method, path }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
    })
      .once('error', reject)
      .end();
  });
}

/** The label values of each series of the histogram of requests. */
async function readSeries(): Promise<{
  readonly lines: string[];
  readonly labels: Record<string, string>[];
}> {
  const { text } = await api.fetch('get', '/metrics');
  const lines = text.split('\n').filter((line) => line.startsWith('http_request_duration_seconds_'));
  const labels = lines
    .filter((line) => line.startsWith('http_request_duration_seconds_count'))
    .map((line) =>
      Object.fromEntries([...line.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value])),
    );
  return { lines, labels };
}

test('every method on every path makes no more series than follow from the lists of methods, statuses and open routes', async () => {
  const asked = PATHS.flatMap((path) =>
    METHODS.filter((method) => method !== 'CONNECT').flatMap((method) => [[method, path] as const]),
  );
  const manyParameters = PATHS.flatMap((path) =>
    ['PURGE', 'GET', 'POST'].map((method) => [method, `${path}?${'a&'.repeat(120)}`] as const),
  );
  const requests = [...asked, ...manyParameters];
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      for (let next = requests.pop(); next !== undefined; next = requests.pop()) await send(...next);
    }),
  );

  const { lines, labels } = await readSeries();
  const statuses = new Set(Object.values(PROBLEMS).map(({ status }) => status)).size;
  const none = labels.filter(({ route }) => route === 'none');
  const open = labels.filter(({ route }) => route !== 'none');
  expect(new Set(labels.map(({ method }) => method))).toEqual(new Set(NAMED));
  // Besides problems: pages that lead to the login.
  expect(none.length).toBeLessThanOrEqual(NAMED.length * (statuses + 2));
  const secured = ROUTES.filter(({ access }) => access === 'token');
  const securedRoutes = secured.map(({ path }) => path.replace(/\/$/, '').replaceAll(/\{(\w+)\}/g, ':$1'));
  expect(open.filter(({ route = '' }) => securedRoutes.includes(route))).toEqual([]);
  expect(open.filter(({ status }) => status === '405')).toEqual([]);
  // An open route has its methods of the document, and HEAD.
  const openRoutes = new Set(open.map(({ route }) => route)).size;
  expect(openRoutes).toBeLessThanOrEqual(ROUTES.length - secured.length + PAGES.length);
  expect(open.length).toBeLessThanOrEqual(openRoutes * 3 * 2);
  expect(lines).toHaveLength(labels.length * LINES_OF_SERIES);
  expect(lines.join('\n').length).toBeLessThan(150_000);
}, 30_000);

test('a request with a token is counted under its route, whatever its answer', async () => {
  await api.call('listUsers');
  await api.call('getUser', { path: { user_id: UUID } });
  const route = '/api/partners/v2.0/org/:org_id/users';
  const expected = { method: 'GET', route, status: '200' };
  // What is read is up to a second old.
  const { labels } = await until(readSeries, (series) =>
    series.labels.some((each) => isDeepStrictEqual(each, expected)),
  );
  expect(labels).toContainEqual(
    expect.objectContaining({
      method: 'GET',
      status: '404',
      route: expect.stringMatching(/^\/api.*\/users\/:/) as unknown,
    }),
  );
});
