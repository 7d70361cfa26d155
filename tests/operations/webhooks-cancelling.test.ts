// What a webhook's change is answered with while more of its deliveries are cancelled than the change before has cancelled itself.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TOPICS } from '../../src/domain/notifications/topics.ts';
import { startApi, type Api } from '../support/api.ts';

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

test('wants no more before all that it did not want is cancelled: 503 with Retry-After, and less at any time', async () => {
  const path = {
    webhook_id: (
      await api.call('createWebhook', {
        body: { url: 'https://partner.example.com/hook', topics: [...TOPICS] },
      })
    ).body.id as string,
  };
  const call = (body: object) => api.call('updateWebhook', { path, body });
  const mark = (value: string | null) =>
    api.db
      .updateTable('webhooks')
      .set({ cancelling_mark: value })
      .where('id', '=', path.webhook_id)
      .execute();
  await call({ topics: [TOPICS[0]] });
  await mark('0c9a4d2e-7b31-4f58-9e06-3a1b5c7d9f22');
  const refused = await call({ topics: TOPICS });
  expect([refused.status, refused.body.code, refused.headers['retry-after']]).toEqual([
    503,
    'overloaded',
    '1',
  ]);
  expect((await call({ enabled: false })).status).toBe(200);
  expect((await call({ enabled: true })).status).toBe(503);
  expect((await call({ enabled: false, topics: [] })).status).toBe(200);
  await mark(null);
  expect((await call({ enabled: true, topics: TOPICS })).status).toBe(200);
});
