import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ListedRequest } from '../../src/domain/requests/logged-request.ts';
import { listRequests } from '../../src/queries/requests/request-log.ts';
import { startApi } from '../support/api.ts';
import type { Api } from '../support/api.ts';

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

/** The request of an operation that was answered so, which may be logged a moment after. */
async function logged(
  operation: string,
  { headers }: { readonly headers: Readonly<Record<string, unknown>> },
  orgId = api.own.orgId,
) {
  let found: ListedRequest | undefined;
  await expect
    .poll(async () => {
      await api.writeRequestLog();
      const all = await listRequests(api.db, orgId, { operation }, { limit: 100 });
      // The clock stands still: their order tells nothing.
      found = all.find(({ requestId }) => requestId === headers['x-request-id']);
      return found;
    })
    .toBeDefined();
  return found;
}

test('a refusal is kept with its code, its errors and its body, without what is personal', async () => {
  const body = { email: 'eva@example.com', role: 'boss', first_name: 'Eva', country: 'XX', latitude: 148.2 };
  const answer = await api.call('createUser', { body });
  expect(answer.status).toBe(422);
  const found = await logged('createUser', answer);
  expect(found).toMatchObject({
    orgId: api.own.orgId,
    requestId: answer.headers['x-request-id'],
    method: 'POST',
    path: `/api/partners/v2.0/org/${api.own.orgId}/users`,
    status: 422,
    code: 'validation_failed',
    userId: api.own.admin.id,
    applicationName: 'admin',
    email: api.own.admin.email,
  });
  expect(found?.errors?.map(({ pointer }) => pointer).toSorted()).toEqual(['/country', '/latitude', '/role']);
  expect(JSON.parse(found?.body ?? '')).toEqual({
    email: '…',
    role: '…',
    first_name: '…',
    country: '…',
    latitude: '…',
  });
});

test('a refused body that was worked on by a thread is kept too', async () => {
  const body = { request_id: randomUUID(), count: -1 };
  const answer = await api.call('previewFleet', { body });
  expect(answer.status).toBe(422);
  const { errors, body: kept } = (await logged('previewFleet', answer)) ?? {};
  expect(errors).toContainEqual(expect.objectContaining({ pointer: '/count' }));
  expect(JSON.parse(kept ?? '')).toEqual(body);
});

test('a name that a client has made up is not kept', async () => {
  for (const made of ['eva@example.com', '\0']) {
    const answer = await api.call('listUsers', { query: { [made]: '1' } });
    expect(answer.status).toBe(422);
    expect((await logged('listUsers', answer))?.errors).toEqual([{ pointer: '…', code: 'unknown_property' }]);
  }
});

test('of what succeeds neither body nor answer is kept', async () => {
  const body = { email: `${randomUUID()}@example.com`, role: 'user', first_name: 'Maximiliane' };
  const { orgId, admin } = api.foreign;
  const answer = await api.call('createUser', { token: admin.token, path: { org_id: orgId }, body });
  expect(answer.status).toBe(201);
  expect(await logged('createUser', answer, orgId)).toMatchObject({
    status: 201,
    code: null,
    errors: null,
    body: null,
  });
});

test('a refused body of more than 4 KiB is not kept, one that is no JSON neither', async () => {
  const body = { email: 'eva@example.com', role: 'user', notes: 'x'.repeat(4_096) };
  const answer = await api.call('createUser', { body });
  expect(answer.status).toBe(422);
  expect(await logged('createUser', answer)).toMatchObject({ status: 422, body: null });
});

test('of a path 500 characters are kept', async () => {
  const query = { limit: Array.from({ length: 90 }, () => '10') };
  const answer = await api.call('listUsers', { query });
  expect(answer.status).toBe(422);
  expect((await logged('listUsers', answer))?.path).toHaveLength(500);
});

test('a request that proves nothing is in nobody’s log', async () => {
  const token = 'pat_made-up';
  expect((await api.call('getUser', { token, path: { user_id: api.own.admin.id } })).status).toBe(401);
  const answer = await api.call('listActions');
  expect(answer.status).toBe(200);
  await logged('listActions', answer);
  expect(await listRequests(api.db, api.own.orgId, { operation: 'getUser' }, { limit: 1 })).toEqual([]);
});
