import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEFAULT_RATE_LIMITS } from '../../src/config/rate-limits.ts';
import { sha256Digest, newClientId, newClientSecret } from '../../src/domain/security/credentials.ts';
import { insertApplication } from '../../src/queries/accounts/applications.ts';
import { startApi } from '../support/api.ts';
import type { Api } from '../support/api.ts';

// The token endpoint under odd input, with rate limits on: whoever asks is counted before anything is looked up.

const LOGINS = 5;
let api: Api;
let client: { client_id: string; client_secret: string };

beforeAll(async () => {
  api = await startApi({
    rateLimits: { ...DEFAULT_RATE_LIMITS, login_address: { quota: LOGINS, windowSeconds: 60 } },
  });
  client = { client_id: newClientId(), client_secret: newClientSecret() };
  await insertApplication(
    api.db,
    {
      orgId: api.own.orgId,
      ownerUserId: api.own.admin.id,
      name: 'Password',
      clientId: client.client_id,
      secretHash: sha256Digest(client.client_secret),
      grantType: 'password',
    },
    api.clock.now(),
  );
});
afterAll(() => api.close());

const form = { 'content-type': 'application/x-www-form-urlencoded' };
const basic = (pair: string): { authorization: string } => ({
  authorization: `Basic ${Buffer.from(pair).toString('base64')}`,
});

test.each([
  ['client id', { body: { client_id: 'a\0b', client_secret: 'x' } }, 'invalid_client'],
  ['client id in Basic', { body: {}, headers: basic('a\0b:x') }, 'invalid_client'],
  [
    'client id without end',
    { body: { client_id: 'x'.repeat(15_000), client_secret: 'y' } },
    'invalid_client',
  ],
])('an odd %s is refused as a wrong one', async (_what, { body, headers = {} }: any, error) => {
  const call = { body: { grant_type: 'client_credentials', ...body }, headers };
  expect(await api.call('issueTokenAtRoot', call)).toMatchObject({ status: 401, body: { error } });
});

test.each(['a\0b', '\ud800', 'x'.repeat(7_000)])('an odd username is refused as a wrong one', async (odd) => {
  api.clock.advance(60_000);
  const body = { grant_type: 'password', username: odd, password: odd, ...client };
  const answer = await api.call('issueTokenAtRoot', { body });
  expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
});

test('what is wrong is told in the characters that RFC 6749, 5.2 permits', async () => {
  const calls = [
    { raw: '%22%00%c3%a9=1&%22%00%c3%a9=1', headers: form },
    { raw: '{"grant_type": oops}' },
    { raw: '"\\' },
    { raw: '{"é":é}' },
  ];
  for (const call of calls) {
    const { status, body } = await api.call('issueToken', call);
    expect([status, body.error]).toEqual([400, 'invalid_request']);
    expect(body.error_description).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
  }
});

test('a client is counted as one, however it writes its id', async () => {
  api.clock.advance(60_000);
  const id = 'a client';
  const body = { grant_type: 'client_credentials' };
  const ways = [
    { body: { ...body, client_id: id, client_secret: 'x' } },
    ...['a+client', 'a%20client', '%61%20client'].map((written) => ({
      body,
      headers: basic(`${written}:x`),
    })),
  ];
  const left = [];
  for (const call of ways) left.push((await api.call('issueToken', call)).headers['ratelimit']);
  expect(left).toEqual(
    [599, 598, 597, 596].map((each) => expect.stringMatching(`, "token";r=${each};t=60$`)),
  );
});

test('guessing passwords is counted by account and by address, as at the portal', async () => {
  api.clock.advance(60_000);
  const guess = (username: string) =>
    api.call('issueToken', { body: { grant_type: 'password', username, password: 'x', ...client } });
  for (let index = 0; index < LOGINS; index += 1) expect((await guess(`person-${index}`)).status).toBe(400);
  const refused = await guess('another');
  expect(refused).toMatchObject({ status: 429, body: { error: 'temporarily_unavailable' } });
  expect(refused.headers['ratelimit']).toMatch(
    /"token";r=\d+;t=\d+, "partner";r=\d+;t=\d+, "login_address";r=0;t=\d+, "login";r=\d+;t=\d+, "login_account";r=\d+;t=\d+$/,
  );
  expect(refused.headers['retry-after']).toMatch(/^\d+$/);
});
