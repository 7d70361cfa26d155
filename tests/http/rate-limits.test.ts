import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEFAULT_RATE_LIMITS } from '../../src/config/rate-limits.ts';
import { startApi } from '../support/api.ts';
import type { Api } from '../support/api.ts';

let api: Api;
beforeAll(async () => {
  api = await startApi({
    rateLimits: {
      ...DEFAULT_RATE_LIMITS,
      default: { quota: 3, windowSeconds: 60 },
      partner: { quota: 5, windowSeconds: 60 },
      token_address: { quota: 2, windowSeconds: 60 },
    },
  });
});
afterAll(() => api.close());

const quotaHeaders = (answer: { headers: Readonly<Record<string, string>> }) => [
  answer.headers['ratelimit-policy'],
  answer.headers['ratelimit'],
];

test('ten tokens of a partner are not ten times the quota, and another partner has its own', async () => {
  const { admin, staff } = api.own;
  const left = [];
  for (const token of [admin.token, admin.token, staff.token, staff.token, admin.readToken])
    left.push(quotaHeaders(await api.call('listUsers', { token }))[1]);
  expect(left).toEqual([
    '"default";r=2;t=60, "partner";r=4;t=60',
    '"default";r=1;t=60, "partner";r=3;t=60',
    '"default";r=2;t=60, "partner";r=2;t=60',
    '"default";r=1;t=60, "partner";r=1;t=60',
    '"default";r=2;t=60, "partner";r=0;t=60',
  ]);
  const refused = await api.call('listUsers', { token: staff.readToken });
  expect(refused).toMatchObject({ status: 429, body: { code: 'quota_exceeded' } });
  expect(refused.body.detail).toBe('The policy "partner" allows 5 requests in 60 s; try again in 60 s.');
  expect(quotaHeaders(refused)).toEqual([
    '"default";q=3;w=60, "partner";q=5;w=60',
    '"default";r=2;t=60, "partner";r=0;t=60',
  ]);
  const path = { org_id: api.foreign.orgId };
  expect((await api.call('listUsers', { token: api.foreign.admin.token, path })).status).toBe(200);
});

test('a refusal ends the connection of whom only the address is known, and of nobody else', async () => {
  api.clock.advance(60_000);
  const refuse = async (path: string, token?: string): Promise<string | null> => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    for (;;) {
      const answer = await fetch(`${api.baseUrl}/api/partners/v2.0/${path}`, { headers });
      await answer.arrayBuffer();
      if (answer.status === 429) return answer.headers.get('connection');
      expect(answer.headers.get('connection')).toBe('keep-alive');
    }
  };
  expect(await refuse('openapi.json')).toBe('close');
  expect(await refuse(`org/${api.own.orgId}/users`, api.own.admin.token)).toBe('keep-alive');
});

test('previews and tests of webhooks are counted by partner too', async () => {
  api.clock.advance(60_000);
  const answer = await api.call('previewFleet', { body: {} });
  expect(answer.headers['ratelimit']).toMatch(
    /^"default";r=\d+;t=60, "partner";r=\d+;t=60, "preview";r=119;t=60$/,
  );
  const tested = await api.call('testWebhook', { path: { webhook_id: randomUUID() }, body: {} });
  expect(tested.headers['ratelimit']).toMatch(
    /^"default";r=\d+;t=60, "partner";r=\d+;t=60, "webhook_test";r=59;t=60$/,
  );
});

test('notices written by hand are counted by partner, a few a minute', async () => {
  const few = await startApi({
    rateLimits: { ...DEFAULT_RATE_LIMITS, broadcast: { quota: 1, windowSeconds: 60 } },
  });
  try {
    const write = (token?: string, path?: { org_id: string }) =>
      few.call('broadcastInformation', {
        body: { message: 'x' },
        ...(token && { token }),
        ...(path && { path }),
      });
    const first = await write();
    expect([first.status, first.headers['ratelimit']]).toEqual([
      201,
      expect.stringMatching(/"broadcast";r=0;t=60$/),
    ]);
    const refused = await write();
    expect([refused.status, refused.body.code]).toEqual([429, 'quota_exceeded']);
    expect((await write(few.foreign.admin.token, { org_id: few.foreign.orgId })).status).toBe(201);
  } finally {
    await few.close();
  }
});

test('the endpoint for tokens counts an address before it reads a body', async () => {
  api.clock.advance(60_000);
  const request = (raw: string) =>
    api.call('issueToken', {
      raw,
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'X-Forwarded-For': '203.0.113.1' },
    });
  const first = await request('grant_type=client_credentials&client_id=x&client_secret=y');
  expect([first.status, ...quotaHeaders(first)]).toEqual([
    401,
    '"token_address";q=2;w=60, "token";q=600;w=60',
    '"token_address";r=1;t=60, "token";r=599;t=60',
  ]);
  // What is wrong with its body is not found any more.
  expect((await request('a=1&a=2')).status).toBe(400);
  const refused = await request('a=1&a=2');
  expect([refused.status, ...quotaHeaders(refused)]).toEqual([
    429,
    '"token_address";q=2;w=60',
    '"token_address";r=0;t=60',
  ]);
});

test('wrong credentials from its address do not stop a client that has proven itself', async () => {
  api.clock.advance(60_000);
  const clients = await api.db.selectFrom('applications').select('client_id').orderBy('client_id').execute();
  const [known = '', other = ''] = clients.map((client) => client.client_id);
  const request = (clientId: string, secret = 'unused') =>
    api.call('issueToken', {
      body: { grant_type: 'client_credentials' },
      headers: { authorization: `Basic ${btoa(`${clientId}:${secret}`)}` },
    });
  const first = await request(known);
  expect([first.status, quotaHeaders(first)[1]]).toEqual([
    200,
    '"token_address";r=1;t=60, "token";r=599;t=60, "partner";r=4;t=60',
  ]);
  expect((await request(known, 'wrong')).status).toBe(401);
  expect((await request(known, 'wrong')).status).toBe(429);
  expect((await request(other)).status).toBe(429);
  const again = await request(known);
  expect([again.status, quotaHeaders(again)[1]]).toEqual([200, '"token";r=598;t=60, "partner";r=3;t=60']);

  const { secret_hash: secret } = await api.db
    .selectFrom('applications')
    .select('secret_hash')
    .where('client_id', '=', known)
    .executeTakeFirstOrThrow();
  const setSecret = (hash: Buffer) =>
    api.db.updateTable('applications').set({ secret_hash: hash }).where('client_id', '=', known).execute();
  await setSecret(Buffer.alloc(32));
  // An old secret is told so once, and counts like any other from then on.
  expect([(await request(known)).status, (await request(known)).status]).toEqual([429, 429]);
  api.clock.advance(60_000);
  expect((await request(known)).status).toBe(401);
  await setSecret(secret);
  expect((await request(known)).status).toBe(200);
});

test.each([
  [
    'a form',
    (fields: Record<string, string>) => new URLSearchParams(fields).toString(),
    'x-www-form-urlencoded',
  ],
  ['JSON', (fields: Record<string, string>) => JSON.stringify(fields), 'json'],
])(
  'a client that proves itself in %s uses up nothing of its address, until its secret is wrong',
  async (_name, write, type) => {
    const few = await startApi({
      rateLimits: { ...DEFAULT_RATE_LIMITS, token_address: { quota: 2, windowSeconds: 60 } },
    });
    try {
      const { client_id: clientId } = await few.db
        .selectFrom('applications')
        .select('client_id')
        .where('org_id', '=', few.own.orgId)
        .executeTakeFirstOrThrow();
      const request = (secret: string) =>
        few.call('issueToken', {
          raw: write({ grant_type: 'client_credentials', client_id: clientId, client_secret: secret }),
          headers: { 'content-type': `application/${type}` },
        });
      const leftOf = (answer: Awaited<ReturnType<typeof request>>) => [
        answer.status,
        /"token_address";r=(\d+)/.exec(answer.headers['ratelimit'] ?? '')?.[1],
      ];
      // The first one proves it, and the others have their use given back.
      for (let times = 0; times < 4; times += 1) expect(leftOf(await request('unused'))).toEqual([200, '1']);
      await few.db
        .updateTable('applications')
        .set({ secret_hash: Buffer.alloc(32) })
        .where('client_id', '=', clientId)
        .execute();
      expect(leftOf(await request('unused'))).toEqual([401, '0']);
      // Before the body is read nobody knows whose it is.
      expect(leftOf(await request('unused'))).toEqual([429, '0']);
    } finally {
      await few.close();
    }
  },
);
