import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEFAULT_RATE_LIMITS } from '../../src/config/rate-limits.ts';
import { addAccount, addClient, basic } from './fixture.ts';
import { startApi } from '../support/api.ts';
import type { Api } from '../support/api.ts';

let api: Api;
const rateLimits = {
  ...DEFAULT_RATE_LIMITS,
  token: { quota: 3, windowSeconds: 60 },
  login: { quota: 3, windowSeconds: 60 },
  login_account: { quota: 2, windowSeconds: 3_600 },
};
beforeAll(async () => {
  api = await startApi({ rateLimits });
});
afterAll(() => api.close());

async function ask(
  client: { clientId: string; clientSecret: string },
  from: string,
  body: Record<string, string> = { grant_type: 'client_credentials' },
): Promise<number> {
  return (await request(client, from, body)).status;
}

async function request(
  client: { clientId: string; clientSecret: string },
  from: string,
  body: Record<string, string>,
  at = api,
): Promise<Response> {
  return fetch(`http://${from}:${new URL(at.baseUrl).port}/oauth2/token/`, {
    method: 'POST',
    headers: {
      authorization: basic(client.clientId, client.clientSecret),
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  });
}

test('wrong secrets of a client use up nothing of what it has from elsewhere', async () => {
  const client = await addClient(api.db);
  const wrong = { ...client, clientSecret: 'wrong' };
  for (const status of [401, 401, 401, 429]) expect(await ask(wrong, '127.0.0.1')).toBe(status);
  const rows = await api.db
    .selectFrom('rate_limits')
    .select(['subject', 'used'])
    .where('policy', '=', 'token')
    .execute();
  // Told soon and not at once; but none of it may count for the client alone.
  expect(rows.filter(({ subject }) => subject.split(' ').length === 2)).toEqual([]);
});

test.each([
  ['a parameter that is no text', { grant_type: 1 }],
  ['another client in the body', { grant_type: 'client_credentials', client_id: 'another' }],
  ['a secret in the body too', { grant_type: 'client_credentials', client_secret: 'x' }],
])('a header that was right, with %s, counts for its address', async (_what, body) => {
  const few = await startApi({
    rateLimits: { ...DEFAULT_RATE_LIMITS, token_address: { quota: 3, windowSeconds: 60 } },
  });
  try {
    const client = await addClient(few.db);
    const send = async (given: object): Promise<number> =>
      (await request(client, '127.0.0.1', given as Record<string, string>, few)).status;
    expect(await send({ grant_type: 'client_credentials' })).toBe(200);
    for (const status of [400, 400, 429]) expect(await send(body)).toBe(status);
    expect(await send({ grant_type: 'client_credentials' })).toBe(200);
  } finally {
    await few.close();
  }
});

test('what a client gets with its secret counts for it alone, before a token is made', async () => {
  const client = await addClient(api.db);
  for (const status of [200, 200, 200, 429]) expect(await ask(client, '127.0.0.1')).toBe(status);
  const made = await api.db
    .selectFrom('access_tokens')
    .select('token_hash')
    .where('application_id', '=', client.applicationId)
    .execute();
  expect(made).toHaveLength(3);
});

test('tries of the password grant count only for who knows the secret of the client, and apart from the portal', async () => {
  const client = await addClient(api.db, { grantType: 'password' });
  const other = await addClient(api.db, { orgId: client.orgId, grantType: 'password' });
  await addAccount(api.db, client.orgId, 'grant@partner.example', 'the right password');
  const body = { grant_type: 'password', username: 'grant@partner.example', password: 'the right password' };
  for (const status of [401, 401])
    expect(await ask({ ...client, clientSecret: 'x' }, '127.0.0.1', body)).toBe(status);
  const logins = () =>
    api.db.selectFrom('rate_limits').select('used').where('policy', '=', 'login_account').execute();
  expect(await logins()).toEqual([]);
  const guess = { ...body, password: 'a wrong one' };
  expect(await ask(client, '127.0.0.1', guess)).toBe(400);
  expect(await logins()).toEqual([{ used: 1 }]);
  expect(await ask(other, '127.0.0.1', guess)).toBe(400);
  expect(await logins()).toEqual([{ used: 1 }, { used: 1 }]);
});

test('password grants that succeed use nothing up, and their answers say so; failures block the account and no other', async () => {
  const wide = await startApi({ rateLimits: { ...rateLimits, token: DEFAULT_RATE_LIMITS.token } });
  try {
    const client = await addClient(wide.db, { grantType: 'password' });
    const [first, second] = ['first@partner.example', 'second@partner.example'];
    for (const username of [first, second])
      await addAccount(wide.db, client.orgId, username, 'the right password');
    const tryOnce = async (username: string, password: string) => {
      const answer = await request(client, '127.0.0.1', { grant_type: 'password', username, password }, wide);
      return [answer.status, /"login";r=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1]];
    };
    for (const answer of [
      [200, '3'],
      [200, '3'],
      [200, '3'],
    ])
      expect(await tryOnce(first, 'the right password')).toEqual(answer);
    expect(await tryOnce(first, 'wrong')).toEqual([400, '2']);
    expect(await tryOnce(first, 'wrong')).toEqual([400, '1']);
    expect((await tryOnce(first, 'the right password'))[0]).toBe(429);
    expect(await tryOnce(second, 'the right password')).toEqual([200, '3']);
  } finally {
    await wide.close();
  }
});

test('tokens count for the partner of their clients, once a secret was right', async () => {
  const few = await startApi({
    rateLimits: { ...DEFAULT_RATE_LIMITS, partner: { quota: 2, windowSeconds: 60 } },
  });
  try {
    const [first, other] = [await addClient(few.db), await addClient(few.db)];
    const second = await addClient(few.db, { orgId: first.orgId });
    const body = { grant_type: 'client_credentials' };
    const issue = (client: typeof first) => request(client, '127.0.0.1', body, few);
    expect((await issue({ ...first, clientSecret: 'wrong' })).status).toBe(401);
    const answers = [await issue(first), await issue(second), await issue(first), await issue(other)];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429, 200]);
    expect(answers[0]?.headers.get('ratelimit')).toContain('"partner";r=1;t=60');
  } finally {
    await few.close();
  }
});
