// Strangers who are refused again and again wait for it; nobody else does.
import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import type { ClientRequest } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startApi } from '../support/api.ts';
import type { Api } from '../support/api.ts';

const AT_ONCE = 3;
let api: Api;
let nowMs = 0;
let address = 0;
const open = new Set<ClientRequest>();

beforeAll(async () => {
  const refusalDelay = { atOnce: AT_ONCE, waitMs: 600_000, monotonicMs: () => nowMs };
  api = await startApi({ refusalDelay, trustedProxies: ['127.0.0.1'] });
});
beforeEach(() => {
  for (const each of open) each.destroy();
  open.clear();
  nowMs += 1_000;
  address += 1;
});
afterAll(() => {
  for (const each of open) each.destroy();
  return api.close();
});

interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The statuses of those of `count` requests of one address that were answered, in their order; the list grows. */
function send({ method = 'GET', path, headers = {}, body = '' }: Sent, count: number): number[] {
  const statuses: number[] = [];
  for (let i = 0; i < count; i++) {
    const all = { 'X-Forwarded-For': `192.0.2.${address}`, ...headers };
    const sent = request(new URL(path, api.baseUrl), { method, headers: all, agent: false }, (answer) => {
      statuses.push(answer.statusCode ?? 0);
      answer.resume();
    });
    open.add(sent);
    sent.on('error', () => undefined).end(body);
  }
  return statuses;
}

const users = (): string => `/api/partners/v2.0/org/${api.own.orgId}/users`;
const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const LONG_FORM = { ...FORM, 'content-length': '1048576' };

test.each<[string, number, () => Sent]>([
  ['an unknown token', 401, () => ({ path: users(), headers: bearer(`pat_${'a'.repeat(43)}`) })],
  ['no token', 401, () => ({ path: users() })],
  ['a made-up link to a consent', 403, () => ({ path: `/portal/consent/${randomUUID()}?secret=a&return=b` })],
  ['an unknown path', 404, () => ({ path: '/nothing-is-here' })],
  ['an address that is too long', 414, () => ({ path: `/?${'a'.repeat(9_000)}` })],
  ['a path that cannot be decoded', 400, () => ({ path: '/api/partners/v2.0/org/%ff/users' })],
  [
    'a wrong secret',
    401,
    () => ({
      method: 'POST',
      path: '/oauth2/token/',
      headers: FORM,
      body: 'grant_type=client_credentials&client_id=a&client_secret=b',
    }),
  ],
  [
    'credentials in two places',
    400,
    () => ({
      method: 'POST',
      path: '/oauth2/token/',
      headers: { ...FORM, authorization: 'Basic YTpi' },
      body: 'grant_type=client_credentials&client_id=a&client_secret=b',
    }),
  ],
  [
    'a form that is too long',
    413,
    () => ({ method: 'POST', path: '/oauth2/token/', headers: LONG_FORM, body: 'a'.repeat(1_048_576) }),
  ],
  [
    'a made-up session',
    303,
    () => ({ path: '/oauth2/applications/', headers: { cookie: `partner_session=${'a'.repeat(43)}` } }),
  ],
])('of an address with %s three are answered at once, and the others wait', async (_, status, sent) => {
  const statuses = send(sent(), 2 * AT_ONCE);
  await expect.poll(() => statuses.length, { timeout: 10_000 }).toBeGreaterThanOrEqual(AT_ONCE);
  // Behind all of them: what would have been answered has been.
  const right = send({ path: users(), headers: bearer(api.own.admin.token) }, 1);
  await expect.poll(() => right.length, { timeout: 10_000 }).toBe(1);
  expect(right).toEqual([200]);
  expect(statuses).toEqual([status, status, status]);
});

test('a caller whose partner is known never waits', async () => {
  const path = `${users()}/00000000-0000-4000-8000-000000000000`;
  const headers = bearer(api.own.admin.token);
  const first = send({ path: users(), headers }, 1);
  await expect.poll(() => first.length, { timeout: 10_000 }).toBe(1);
  const statuses = send({ path, headers }, 4 * AT_ONCE);
  await expect.poll(() => statuses.length, { timeout: 10_000 }).toBe(4 * AT_ONCE);
  expect(new Set(statuses)).toEqual(new Set([404]));
});

test('addresses count apart, and each second anew', async () => {
  const sent = { path: '/nothing-is-here' };
  const of = async (): Promise<number> => {
    const statuses = send(sent, AT_ONCE);
    await expect.poll(() => statuses.length, { timeout: 10_000 }).toBe(AT_ONCE);
    return statuses.length;
  };
  await of();
  address += 1;
  await of();
  nowMs += 1_000;
  await of();
  expect(send(sent, 1)).toEqual([]);
});

test('who waits and goes is let go', async () => {
  const statuses = send({ path: '/nothing-is-here' }, AT_ONCE);
  await expect.poll(() => statuses.length, { timeout: 10_000 }).toBe(AT_ONCE);
  const gone = request(new URL('/nothing-is-here', api.baseUrl), {
    headers: { 'X-Forwarded-For': `192.0.2.${address}` },
    agent: false,
  });
  const closed = new Promise((resolve) => gone.once('close', resolve));
  gone.on('error', () => undefined).end();
  gone.once('socket', (socket) => socket.once('connect', () => setImmediate(() => gone.destroy())));
  await closed;
  const right = send({ path: users(), headers: bearer(api.own.admin.token) }, 1);
  await expect.poll(() => right.length, { timeout: 10_000 }).toBe(1);
  expect(api.log.text).not.toContain('"level":"error"');
});
