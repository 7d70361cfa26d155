// Who is refused with a credential that has ended waits like a stranger: it has neither its partner's turn nor is it answered at once.
import { request } from 'node:http';
import type { ClientRequest } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSession } from '../../src/accounts/sessions.ts';
import { ProvenClients } from '../../src/http/proven-clients.ts';
import { addAccount, addClient, basic } from '../oauth/fixture.ts';
import { startApi } from '../support/api.ts';
import type { Api } from '../support/api.ts';

const AT_ONCE = 3;
const HOUR_MS = 3_600_000;
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
let api: Api;
const open = new Set<ClientRequest>();

beforeEach(async () => {
  api = await startApi({ refusalDelay: { atOnce: AT_ONCE, waitMs: HOUR_MS, monotonicMs: () => 0 } });
});
afterEach(() => {
  for (const each of open) each.destroy();
  open.clear();
  return api.close();
});

type Headers = Readonly<Record<string, string>>;

function send(method: string, path: string, headers: Headers, body = ''): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const sent = request(new URL(path, api.baseUrl), { method, headers, agent: false }, (answer) =>
    answer.resume().once('end', () => resolve(answer.statusCode ?? 0)),
  );
  open.add(sent);
  sent.on('error', () => undefined).end(body);
  return promise;
}

const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });
const users = (): string => `/api/partners/v2.0/org/${api.own.orgId}/users`;

/** How many of twice as many as are answered at once are answered with a credential where nobody looks it up: so many at least. */
async function countAnswered(
  headers: Headers,
  { least = AT_ONCE, method = 'GET', path = '/nothing-is-here' } = {},
): Promise<number> {
  let answered = 0;
  for (let n = 0; n < 2 * AT_ONCE; n += 1) void send(method, path, headers).then(() => (answered += 1));
  await expect.poll(() => answered).toBeGreaterThanOrEqual(least);
  // Behind all of them: what would have been answered has been.
  expect(await send('GET', users(), bearer(api.foreign.admin.token))).toBe(403);
  return answered;
}

async function deleteUser(id: string): Promise<void> {
  expect(await send('DELETE', `${users()}/${id}`, bearer(api.own.admin.token))).toBe(204);
}

interface Issued {
  readonly secret: Headers & { readonly authorization: string };
  readonly ownerId: string;
  readonly token: string;
}

/** A token of an application of our partner. */
async function issueToken(): Promise<Issued> {
  const { clientId, clientSecret, ownerId } = await addClient(api.db, { orgId: api.own.orgId });
  const secret = { ...FORM, authorization: basic(clientId, clientSecret) };
  const answer = await fetch(`${api.baseUrl}/oauth2/token/`, {
    method: 'POST',
    headers: secret,
    body: 'grant_type=client_credentials',
  });
  return { secret, ownerId, token: ((await answer.json()) as { access_token: string }).access_token };
}

/** Makes a credential, and resolves to the headers that carry it and to what ends it. */
type Case = () => Promise<readonly [Headers, () => Promise<unknown>]>;

test.each<[string, Case]>([
  [
    'a revoked token that was used',
    async () => {
      const { secret, token } = await issueToken();
      expect(await send('GET', users(), bearer(token))).toBe(200);
      return [
        bearer(token),
        async () => expect(await send('POST', '/oauth2/revoke_token/', secret, `token=${token}`)).toBe(200),
      ];
    },
  ],
  [
    'a token that nobody has used, whose user is deleted',
    async () => {
      const { token, ownerId } = await issueToken();
      return [bearer(token), () => deleteUser(ownerId)];
    },
  ],
  [
    'a session whose person is deleted',
    async () => {
      const { orgId } = api.own;
      const userId = await addAccount(api.db, orgId, 'person@ended.example', 'a password');
      const session = await createSession(api.db, { orgId, userId }, api.clock.now());
      const headers = { cookie: `partner_session=${session}` };
      expect(await send('GET', '/portal/', headers)).toBe(200);
      return [headers, () => deleteUser(userId)];
    },
  ],
  [
    'a secret whose owner is deleted',
    async () => {
      const { secret, ownerId } = await issueToken();
      return [{ authorization: secret.authorization }, () => deleteUser(ownerId)];
    },
  ],
])('%s has its partner’s turn no more', async (_, make) => {
  const [headers, end] = await make();
  expect(await countAnswered(headers, { least: 2 * AT_ONCE })).toBe(2 * AT_ONCE);
  await end();
  expect(await countAnswered(headers)).toBe(AT_ONCE);
});

test('an expired token has no turn of its partner, however often it is looked up', async () => {
  const { token } = await issueToken();
  const { orgId } = api.own;
  const now = api.clock.now();
  await api.db.updateTable('access_tokens').set({ expires_at: now }).where('org_id', '=', orgId).execute();
  // They are refusals of the address too.
  for (let n = 0; n < 2; n += 1) expect(await send('GET', users(), bearer(token))).toBe(401);
  expect(await countAnswered(bearer(token), { least: 1 })).toBe(1);
});

test('requests for tokens with an ended secret that are refused before it is looked up wait too', async () => {
  const { secret, ownerId } = await issueToken();
  const headers = { ...secret, 'content-type': 'text/plain' };
  const place = { method: 'POST', path: '/oauth2/token/' };
  expect(await countAnswered(headers, place)).toBe(2 * AT_ONCE);
  await deleteUser(ownerId);
  expect(await countAnswered(headers, place)).toBe(AT_ONCE);
});

test('a client has its partner’s turn for a minute after its secret was right, and is its partner’s for longer', () => {
  let nowMs = 0;
  const clients = new ProvenClients(() => nowMs);
  const remember = clients.start('proof');
  nowMs = 10;
  remember({ partnerId: 'partner', endsWith: ['application'], leftMs: Infinity });
  const find = () => [clients.findProvenPartner('proof'), clients.findPartner('proof')];
  nowMs = 59_999;
  expect(find()).toEqual(['partner', 'partner']);
  nowMs = 60_000;
  expect(find()).toEqual([undefined, 'partner']);
});
