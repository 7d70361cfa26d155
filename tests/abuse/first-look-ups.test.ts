// A flood of one address delays no first request of another one, of which the process knows nothing yet.
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { shareConnections } from '../../src/compose/database.ts';
import { openDatabase } from '../../src/queries/connection/database.ts';
import { until } from '../process/partner.ts';
import { startApi } from '../support/api.ts';
import type { Api } from '../support/api.ts';
import { lockWaits } from '../support/lock-waits.ts';

const CONNECTIONS = 4;
const FLOOD = 20;

let api: Api;
/** How often anybody has asked for a connection. */
let asked = 0;
beforeAll(async () => {
  const acquireShare = shareConnections(CONNECTIONS, { hasOthers: () => true });
  const open = async (connection: Parameters<typeof openDatabase>[0]['connection']) =>
    openDatabase({
      connection,
      max: CONNECTIONS,
      applicationName: 'requests',
      acquireShare: (...caller) => {
        asked += 1;
        return acquireShare(...caller);
      },
    });
  api = await startApi({ requestPool: { open, waitMs: 4_500 }, trustedProxies: ['127.0.0.1'] });
});
afterAll(() => api.close());

/** The status of a request whose caller has this address. */
function statusOf(
  address: string,
  path: string,
  { token, body }: { readonly token?: string; readonly body?: object },
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const headers = {
    'X-Forwarded-For': address,
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
  };
  const method = body === undefined ? 'GET' : 'POST';
  const target = new URL(`/api/partners/v2.0${path}`, api.baseUrl);
  request(target, { method, headers, agent: false }, (answer: IncomingMessage) => {
    answer.resume();
    answer.once('end', () => resolve(answer.statusCode ?? 0));
  })
    .once('error', reject)
    .end(body === undefined ? undefined : JSON.stringify(body));
  return promise;
}

async function countBlocked(): Promise<number> {
  const { rows } = await api.pool.query<{ blocked: number }>(
    `select count(*)::int as blocked from ${lockWaits()} where application_name = 'requests'`,
  );
  return rows[0]?.blocked ?? 0;
}

const signup = {
  email: 'flood@example.com',
  url: 'https://flood.example/',
  invite_token: '00000000-0000-4000-8000-000000000000',
};

test.each([
  ['IPv4', ['192.0.2.1'], '192.0.2.2'],
  ['IPv6', ['2001:db8:0:1::1', '2001:db8:0:1:ffff::2', '2001:db8:0:1::3'], '2001:db8:0:2::1'],
])(
  '%s: strangers of one network whose requests hang keep no other from its first look-up',
  async (_name, flood, other) => {
    const lock = await api.pool.connect();
    await lock.query('begin');
    await lock.query('lock table signup_requests in access exclusive mode');
    const askedBefore = asked;
    const hanging = Array.from({ length: FLOOD }, (_, index) =>
      statusOf(flood[index % flood.length] ?? '', '/auth/signup-request', { body: signup }),
    );
    try {
      // The first of the flood hangs before the others have come, and leaves room that they would take.
      await until(
        () => asked - askedBefore,
        (times) => times >= FLOOD,
      );
      await until(countBlocked, (blocked) => blocked > 0);
      // What the process has not seen yet: a token, of a partner that it does not know.
      const token = other === '192.0.2.2' ? api.own.admin.token : api.own.staff.token;
      const users = `/org/${api.own.orgId}/users`;
      expect(await statusOf(other, users, { token })).toBe(200);
      expect(await statusOf(other, users, { token: 'unknown' })).toBe(401);
      expect(await countBlocked()).toBe(1);
    } finally {
      await lock.query('rollback');
      lock.release();
    }
    // Who had waited for 2 s by then is refused.
    for (const status of await Promise.all(hanging)) expect([200, 503]).toContain(status);
  },
);
