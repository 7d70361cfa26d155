// In whose turn requests ask the database: of an address as long as nothing is proven, and then of the partner.
import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { HOUR_MS } from '../../src/domain/api/durations.ts';
import { openDatabase } from '../../src/queries/connection/database.ts';
import { insertApplication } from '../../src/queries/accounts/applications.ts';
import {
  newAccessToken,
  newClientId,
  newClientSecret,
  sha256Digest,
} from '../../src/domain/security/credentials.ts';
import { startApi } from '../support/api.ts';
import type { Api } from '../support/api.ts';

let api: Api;
/** Who has taken turns, in their order: addresses with an `@` before them, partners, and the process. */
const turns: string[] = [];
let basic = '';
let credentialsOfBody = '';

beforeAll(async () => {
  const open = async (connection: Parameters<typeof openDatabase>[0]['connection']) =>
    openDatabase({
      connection,
      acquireShare: (partnerId, _signal, address) => {
        turns.push(address === undefined ? partnerId : `@${address}`);
        return Promise.resolve(() => undefined);
      },
    });
  api = await startApi({ requestPool: { open, waitMs: 4_500 }, trustedProxies: ['127.0.0.1'] });
  const [clientId, secret] = [newClientId(), newClientSecret()];
  await insertApplication(
    api.db,
    {
      orgId: api.own.orgId,
      ownerUserId: api.own.admin.id,
      name: 'turns',
      clientId,
      secretHash: sha256Digest(secret),
      grantType: 'client-credentials',
    },
    api.clock.now(),
  );
  credentialsOfBody = JSON.stringify({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: secret,
  });
  basic = `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`;
});
beforeEach(() => {
  turns.length = 0;
});
afterAll(() => api.close());

const STRANGER = '192.0.2.1';
const JSON_BODY = { 'content-type': 'application/json' };
const FORM = {
  'content-type': 'application/x-www-form-urlencoded',
  cookie: `partner_login=${'a'.repeat(43)}`,
};

function send(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body = '',
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  request(
    new URL(path, api.baseUrl),
    { method, headers: { 'X-Forwarded-For': STRANGER, ...headers }, agent: false },
    (answer) => answer.resume().once('end', () => resolve(answer.statusCode ?? 0)),
  )
    .once('error', reject)
    .end(body);
  return promise;
}

const askForToken = (authorization: string): Promise<number> =>
  send('POST', '/oauth2/token/', { ...JSON_BODY, authorization }, '{"grant_type":"client_credentials"}');

/** A link whose hour is not over, as somebody makes it up. */
const madeUp = (expiresInMs: number): string => {
  const expiry = (api.clock.now().getTime() + expiresInMs).toString(36);
  return `/portal/consent/${randomUUID()}?org=${randomUUID()}&secret=${expiry}.${'a'.repeat(43)}&return=b`;
};

const askForUsers = (token: string): Promise<number> =>
  send('GET', `/api/partners/v2.0/org/${api.own.orgId}/users`, { authorization: `Bearer ${token}` });

test.each([
  ['a token that nobody has', 401, () => askForUsers(newAccessToken(api.own.orgId))],
  ['a client that nobody has', 401, () => askForToken(`Basic ${Buffer.from('nobody:x').toString('base64')}`)],
  [
    'a session that nobody has',
    303,
    () => send('GET', '/portal/users/', { cookie: `partner_session=${'b'.repeat(43)}` }),
  ],
  [
    'a sign-in',
    422,
    () =>
      send(
        'POST',
        '/accounts/login/',
        FORM,
        `csrf_token=${'a'.repeat(43)}&username=x@example.com&password=y`,
      ),
  ],
  ['a made-up link', 404, () => send('GET', madeUp(HOUR_MS))],
  [
    'a sign-up',
    200,
    () =>
      send(
        'POST',
        '/api/partners/v2.0/auth/signup-request',
        JSON_BODY,
        JSON.stringify({ email: 'a@example.com', url: 'https://a.example/', invite_token: randomUUID() }),
      ),
  ],
])('%s is looked up in the turn of its address', async (_name, status, ask) => {
  expect(await ask()).toBe(status);
  expect(turns.length).toBeGreaterThan(0);
  expect(new Set(turns)).toEqual(new Set([`@${STRANGER}`]));
});

test.each([
  ['a token', 401, () => askForUsers('x')],
  ['a link without an organization', 403, () => send('GET', madeUp(HOUR_MS).replace(/org=[^&]*&/, ''))],
])('%s that is none of ours asks no database', async (_name, status, ask) => {
  expect(await ask()).toBe(status);
  expect(turns).toEqual([]);
});

test('a client whose body was right before is looked up in the share of its partner', async () => {
  const ask = (): Promise<number> => send('POST', '/oauth2/token/', JSON_BODY, credentialsOfBody);
  expect(await ask()).toBe(200);
  expect(turns).toContain(`@${STRANGER}`);
  turns.length = 0;
  expect(await ask()).toBe(200);
  expect(new Set(turns)).toEqual(new Set([api.own.orgId]));
});

test('a client whose header was right before is looked up in the share of its partner, until it is wrong', async () => {
  expect(await askForToken(basic)).toBe(200);
  expect(turns).toContain(`@${STRANGER}`);
  turns.length = 0;
  expect(await askForToken(basic)).toBe(200);
  expect(new Set(turns)).toEqual(new Set([api.own.orgId]));
  turns.length = 0;
  await api.db
    .updateTable('applications')
    .set({ secret_hash: sha256Digest('other') })
    .where('org_id', '=', api.own.orgId)
    .execute();
  expect(await askForToken(basic)).toBe(401);
  expect(new Set(turns)).toEqual(new Set([api.own.orgId]));
  turns.length = 0;
  expect(await askForToken(basic)).toBe(401);
  expect(new Set(turns)).toEqual(new Set([`@${STRANGER}`]));
});

test.each([
  ['no link', () => `?secret=a&org=${api.own.orgId}&return=b`],
  [
    'too long a signature',
    () => `?secret=${api.clock.now().getTime().toString(36)}.${'a'.repeat(44)}&org=${api.own.orgId}&return=b`,
  ],
])('a consent page with %s asks no database', async (_name, query) => {
  expect(await send('GET', `/portal/consent/${randomUUID()}${query()}`)).toBe(403);
  expect(turns).toEqual([]);
});

test('a consent page with a link whose hour is over asks no database', async () => {
  expect(await send('GET', madeUp(-1))).toBe(403);
  expect(turns).toEqual([]);
});
