import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Services } from '../../src/operations/context.ts';
import { startApi, type Api } from '../support/api.ts';

let api: Api;
const testWebhook = vi.fn<Services['testWebhook']>();
beforeAll(async () => {
  api = await startApi({ services: { testWebhook } });
});
afterAll(() => api.close());

test('the test of a webhook whose secret is encrypted under a key that is not configured fails, and says why', async () => {
  const { body: webhook } = await api.call('createWebhook', {
    body: { url: 'https://partner.example.com/hooks', topics: ['device.information'] },
  });
  const id = (webhook as { id: string }).id;
  await api.db.updateTable('webhooks').set({ secret_key_id: 'lost' }).where('id', '=', id).execute();
  const path = { webhook_id: id };
  const tested = await api.call('testWebhook', { path, body: { topic: 'device.information' } });
  expect([tested.status, tested.body]).toEqual([
    200,
    {
      outcome: 'failed',
      status_code: null,
      detail:
        'The signing secret could not be read: its encryption key is not configured (ENCRYPTION_KEY_PREVIOUS).',
    },
  ]);
  expect(testWebhook).not.toHaveBeenCalled();
  // The cure that a partner has.
  expect((await api.call('rotateWebhookSecret', { path })).status).toBe(200);
  const delivered = { outcome: 'delivered', status_code: 204, detail: null } as const;
  testWebhook.mockResolvedValueOnce(delivered);
  const again = await api.call('testWebhook', { path, body: { topic: 'device.information' } });
  expect(again.body).toEqual(delivered);
});
