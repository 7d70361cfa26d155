// The routes come from a document of the test: no operation of the published one is deprecated.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Route } from '../../generated/routes.ts';
import type { OpenApiDocument } from '../../tools/generate/document.ts';
import { listRoutes } from '../../tools/generate/routes.ts';
import { startApi } from '../support/api.ts';
import type { Api } from '../support/api.ts';

const readDocument = (): OpenApiDocument =>
  parse(readFileSync(join(import.meta.dirname, 'deprecated-operations.yaml'), 'utf8')) as OpenApiDocument;

let api: Api;
beforeAll(async () => {
  api = await startApi({ routes: listRoutes(readDocument()) as readonly Route[] });
});
afterAll(() => api.close());

/** Status and the two headers; fetched as any client does, since the published document does not know the paths. */
async function ask(path: string, init: RequestInit = {}): Promise<(number | string | null)[]> {
  const response = await fetch(`${api.baseUrl}${path.replace('{org_id}', api.own.orgId)}`, init);
  await response.arrayBuffer();
  return [response.status, response.headers.get('deprecation'), response.headers.get('sunset')];
}

const PEOPLE = '/api/partners/v2.0/org/{org_id}/people';
const withToken = (): RequestInit => ({ headers: { authorization: `Bearer ${api.own.admin.token}` } });
// RFC 9745, 2.1: a date as a structured field; RFC 8594, 3: a date of HTTP.
const SINCE_AND_SUNSET = ['@1795392000', 'Fri, 31 Dec 2027 00:00:00 GMT'];

test('an operation that is deprecated says so, and until when it is served, with an answer and with a refusal', async () => {
  expect(await ask(PEOPLE, withToken())).toEqual([200, ...SINCE_AND_SUNSET]);
  expect(await ask(PEOPLE, { ...withToken(), method: 'HEAD' })).toEqual([200, ...SINCE_AND_SUNSET]);
  expect(await ask(`${PEOPLE}?limit=none`, withToken())).toEqual([422, ...SINCE_AND_SUNSET]);
  expect(await ask(PEOPLE)).toEqual([401, ...SINCE_AND_SUNSET]);
});

test('an operation without a token says so, too', async () => {
  const sent = await ask('/api/partners/v2.0/auth/signups', { method: 'POST', body: 'none' });
  expect(sent).toEqual([415, '@1767225600', 'Fri, 01 Jan 2027 00:00:00 GMT']);
});

test('every other operation says nothing', async () => {
  expect(await ask('/.well-known/oauth-authorization-server')).toEqual([200, null, null]);
});

test.each([
  ['x-sunset', undefined, 'listUsers: It is deprecated, and its x-sunset is no day.'],
  ['x-sunset', '2027-02-30', 'listUsers: It is deprecated, and its x-sunset is no day.'],
  ['x-deprecated-at', 'soon', 'listUsers: It is deprecated, and its x-deprecated-at is no day.'],
  ['x-sunset', '2027-11-22', 'listUsers: Its sunset is 364 days after its deprecation; 365 are the least.'],
])('no routes are generated with %s %s', (keyword, day, message) => {
  const document = readDocument();
  Object.assign(document.paths[PEOPLE]?.['get'] as object, { [keyword]: day });
  expect(() => listRoutes(document)).toThrow(message);
});
