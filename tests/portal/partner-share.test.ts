// What is known to be a partner's takes connections from that partner's share, also at the portal and the endpoint for tokens.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSession } from '../../src/accounts/sessions.ts';
import { newClientId } from '../../src/domain/security/credentials.ts';
import { openDatabase } from '../../src/queries/connection/database.ts';
import { FairShare } from '../../src/shares/fair-share.ts';
import { addAccount, addClient, basic } from '../oauth/fixture.ts';
import { until } from '../process/partner.ts';
import { startApi } from '../support/api.ts';
import type { Api } from '../support/api.ts';
import { lockWaits } from '../support/lock-waits.ts';

const CONNECTIONS = 4;
const FLOOD = 24;
const register = '/oauth2/applications/register/';

let api: Api;
beforeAll(async () => {
  const share = new FairShare({ capacity: CONNECTIONS, maxWaiting: 100 });
  const open = async (connection: Parameters<typeof openDatabase>[0]['connection']) =>
    openDatabase({
      connection,
      max: CONNECTIONS,
      applicationName: 'requests',
      acquireShare: (partnerId, signal) => share.acquire(partnerId, signal),
    });
  api = await startApi({ requestPool: { open, waitMs: 4_500 } });
});
afterAll(() => api.close());

/** The headers of a person's browser, and the token of its forms. */
async function signIn(orgId: string, username: string): Promise<{ cookie: string; csrf: string }> {
  const userId = await addAccount(api.db, orgId, username, 'a password of its own');
  const session = await createSession(api.db, { orgId, userId }, api.clock.now());
  const { csrf_secret: csrf } = await api.db
    .selectFrom('portal_sessions')
    .select('csrf_secret')
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return { cookie: `partner_session=${session}`, csrf };
}

async function countBlocked(): Promise<number> {
  const { rows } = await api.pool.query<{ blocked: number }>(
    `select count(*)::int as blocked from ${lockWaits()} where application_name = 'requests'`,
  );
  return rows[0]?.blocked ?? 0;
}

test('one person whose forms wait for a lock of their partner takes nothing from other partners', async () => {
  const person = await signIn(api.own.orgId, 'flood@own.example');
  const other = await signIn(api.foreign.orgId, 'calm@foreign.example');
  const client = await addClient(api.db, { orgId: api.foreign.orgId });
  const lock = await api.pool.connect();
  await lock.query('begin');
  await lock.query('select lock_organization($1)', [api.own.orgId]);
  const ended: Promise<Response>[] = [];
  try {
    for (let index = 0; index < FLOOD; index += 1) {
      const form = {
        csrf_token: person.csrf,
        name: 'x',
        client_type: 'confidential',
        client_id: newClientId(),
      };
      const body = new URLSearchParams({ ...form, authorization_grant_type: 'client-credentials' });
      const headers = { cookie: person.cookie };
      ended.push(fetch(api.baseUrl + register, { method: 'POST', headers, body, redirect: 'manual' }));
    }
    await until(countBlocked, (blocked) => blocked === CONNECTIONS - 1);
    const answers = await Promise.all([
      api.call('listUsers', { token: api.foreign.admin.token, path: { org_id: api.foreign.orgId } }),
      fetch(`${api.baseUrl}/oauth2/applications/`, { headers: { cookie: other.cookie }, redirect: 'manual' }),
      fetch(`${api.baseUrl}/oauth2/token/`, {
        method: 'POST',
        headers: { authorization: basic(client.clientId, client.clientSecret) },
        body: new URLSearchParams({ grant_type: 'client_credentials' }),
      }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  } finally {
    await lock.query('rollback');
    lock.release();
    await Promise.all(ended);
  }
});
