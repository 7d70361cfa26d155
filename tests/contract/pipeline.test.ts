import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startApi } from '../support/api.ts';
import type { Api } from '../support/api.ts';

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

test('a sign-up request is taken without a token', async () => {
  const body = { email: 'a@example.com', url: 'https://example.com', invite_token: '3f0c6d8e-5a7b-4c1d-9e2f-0a1b2c3d4e5f' };
  const answer = await api.call('requestSignup', { body });
  expect(answer).toMatchObject({ status: 200, body: {} });
});

test('an unknown property is named by its pointer', async () => {
  const answer = await api.call('requestSignup', { body: { email: 'a', nonsense: 1 } });
  expect(answer.status).toBe(422);
  expect(answer.body.errors.map((each: { pointer: string; code: string }) => `${each.pointer} ${each.code}`).sort()).toEqual([
    '/email format',
    '/invite_token required',
    '/nonsense unknown_property',
    '/url required',
  ]);
});

test('the list of users', async () => {
  const answer = await api.call('listUsers');
  expect(answer.status).toBe(200);
  expect(answer.body).toHaveLength(3);
});
