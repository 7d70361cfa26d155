import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OperationId } from '../../generated/routes.ts';
import { startApi } from '../support/api.ts';
import type { Api } from '../support/api.ts';

// Text that the database cannot keep as it was sent: U+0000, and halves of a surrogate pair.

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const fleet = (parts: object): object => ({ request_id: randomUUID(), count: 1, ...parts });
const user = (parts: object): object => ({ email: `${randomUUID()}@example.com`, role: 'user', ...parts });

test.each<[id: OperationId, pointer: string, body: (odd: string) => object]>([
  ['createUser', '/first_name', (odd) => user({ first_name: odd })],
  ['createUser', '/external_user_id', (odd) => user({ external_user_id: odd })],
  ['createFleet', '/name', (odd) => fleet({ name: odd })],
  ['createFleet', '/groups/0/name', (odd) => fleet({ groups: [{ name: odd, count: 1 }] })],
  ['previewFleet', '/groups/1/name', (odd) => fleet({ groups: [{ name: 'a' }, { name: odd }] })],
  ['createWebhook', '/topics/0', (odd) => ({ url: 'https://example.com/', topics: [odd] })],
])('%s refuses it at %s', async (id, pointer, body) => {
  for (const odd of ['a\0b', 'a\ud800', '\udfffb']) {
    const answer = await api.call(id, { body: body(odd) });
    expect(answer).toMatchObject({ status: 422, body: { code: 'validation_failed' } });
    expect(answer.body.errors).toContainEqual(expect.objectContaining({ pointer, code: 'text' }));
  }
});

test.each<[id: OperationId, parameter: string]>([
  ['listUsers', 'after'],
  ['listActions', 'code'],
  ['listInformation', 'code'],
])('%s refuses it in the query parameter %s', async (id, parameter) => {
  const answer = await api.call(id, { query: { [parameter]: 'a\0b' } });
  expect(answer).toMatchObject({ status: 422 });
  expect(answer.body.errors).toContainEqual(
    expect.objectContaining({ parameter, in: 'query', code: 'text' }),
  );
});

test('a path refuses it', async () => {
  const answer = await api.call('getUserByExternalId', { path: { external_user_id: 'a\0b' } });
  expect(answer).toMatchObject({
    status: 422,
    body: { errors: [{ parameter: 'external_user_id', in: 'path', code: 'text' }] },
  });
});

test('a pair of surrogates and all other control characters are kept as they were sent', async () => {
  const body = user({ first_name: '😀', town: 'a\u0001\u007f\u0085\ufeff\uffff' });
  expect(await api.call('createUser', { body })).toMatchObject({ status: 201, body });
});

test('a body of 60,000 brackets is refused, not followed', async () => {
  const raw = '['.repeat(30_000) + ']'.repeat(30_000);
  const answer = await api.call('createUser', { raw });
  expect(answer).toMatchObject({ status: 400, body: { code: 'malformed_json' } });
});
