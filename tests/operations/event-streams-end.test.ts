// When a quiet event stream ends because its caller may not listen any more, wherever that was changed.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { suspendPartner } from '../../src/accounts/suspension.ts';
import { sha256Digest } from '../../src/domain/security/credentials.ts';
import { insertOrganization } from '../../src/queries/accounts/organizations.ts';
import { addPerson, startApi } from '../support/api.ts';
import type { Api, Person } from '../support/api.ts';
import { EventListener } from '../support/event-stream.ts';

let api: Api;
beforeAll(async () => {
  api = await startApi({ tokenCheckMs: 5 });
});
afterAll(() => api.close());

async function listen(orgId: string, { token }: Person): Promise<EventListener> {
  const url = `${api.baseUrl}/api/partners/v2.0/org/${orgId}/notifications/events`;
  const listener = await EventListener.open(url, { authorization: `Bearer ${token}` });
  expect(listener.response.statusCode).toBe(200);
  return listener;
}

async function addOrganization(parentOrgId: string | null): Promise<string> {
  const id = randomUUID();
  const kind = parentOrgId === null ? 'partner' : 'simulation';
  await insertOrganization(api.db, { id, name: 'Other', kind, parentOrgId, createdAt: api.clock.now() });
  return id;
}

// Each change is written to the tables alone, as another process would: this one is told nothing.
const endings: readonly [string, (person: Person) => Promise<unknown>][] = [
  [
    'its token is revoked',
    ({ token }) => api.db.deleteFrom('access_tokens').where('token_hash', '=', sha256Digest(token)).execute(),
  ],
  [
    'its token expires',
    ({ token }) =>
      api.db
        .updateTable('access_tokens')
        .set({ expires_at: api.clock.now() })
        .where('token_hash', '=', sha256Digest(token))
        .execute(),
  ],
  [
    'its user is deleted',
    ({ id }) =>
      api.db.updateTable('users').set({ deleted_at: api.clock.now() }).where('id', '=', id).execute(),
  ],
  [
    'its user has another role',
    ({ id }) => api.db.updateTable('users').set({ role: 'staff' }).where('id', '=', id).execute(),
  ],
  ['its partner is suspended', ({ orgId }) => suspendPartner(api.db, orgId, api.clock.now())],
];

test.each(endings)(
  'a stream ends without a message and a comment when %s, and no other does',
  async (_, end) => {
    const orgId = await addOrganization(null);
    const person = await addPerson(api.db, orgId, 'admin', api.clock.now());
    const [own, simulated, other] = [
      await listen(orgId, person),
      await listen(await addOrganization(orgId), person),
      await listen(api.own.orgId, api.own.admin),
    ];
    await end(person);
    expect(await Promise.all([own.ended, simulated.ended])).toEqual(['whole', 'whole']);
    expect([own.text, simulated.text]).toEqual(['retry: 1000\n\n', 'retry: 1000\n\n']);
    expect(other.response.complete).toBe(false);
    other.close();
  },
);
