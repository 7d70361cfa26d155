import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type Api } from '../support/api.ts';

const url = 'https://partner.example.com/hooks/devices';
const both = ['device.action_required', 'device.information'];

let api: Api;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

async function create(): Promise<{ id: string }> {
  const { body } = await api.call('createWebhook', { body: { url, topics: both } });
  return body as { id: string };
}

describe('access', () => {
  test('a webhook that is unknown, removed or of another organization is 404', async () => {
    const { id: removed } = await create();
    expect((await api.call('deleteWebhook', { path: { webhook_id: removed } })).status).toBe(204);
    const { id: own } = await create();
    const foreign = { org_id: api.foreign.orgId };
    const token = api.foreign.admin.token;
    const calls = [
      ['getWebhook', undefined],
      ['updateWebhook', { enabled: true }],
      ['updateWebhook', { topics: ['unknown'] }],
      ['updateWebhook', { url }],
      ['deleteWebhook', undefined],
      ['rotateWebhookSecret', undefined],
    ] as const;
    for (const [id, body] of calls) {
      const statuses = [
        await api.call(id, { path: { webhook_id: randomUUID() }, body }),
        await api.call(id, { path: { webhook_id: removed }, body }),
        await api.call(id, { path: { webhook_id: own, ...foreign }, body, token }),
      ].map(({ status }) => status);
      expect([id, ...statuses]).toEqual([id, 404, 404, 404]);
    }
    const body = { topic: both[0] };
    const unknown = await api.call('testWebhook', { path: { webhook_id: randomUUID() }, body });
    const others = await api.call('testWebhook', { path: { webhook_id: own, ...foreign }, body, token });
    expect([unknown.status, others.status]).toEqual([404, 404]);
    expect((await api.call('getWebhook', { path: { webhook_id: own } })).status).toBe(200);
  });

  test('is for admins alone, in their own organization, with a token that may write', async () => {
    const { id } = await create();
    const calls = [
      ['createWebhook', { url }],
      ['listWebhooks', undefined],
      ['getWebhook', undefined],
      ['updateWebhook', {}],
      ['deleteWebhook', undefined],
      ['rotateWebhookSecret', undefined],
      ['testWebhook', { topic: both[0] }],
    ] as const;
    for (const [operation, body] of calls) {
      const call = (token: string | null) => api.call(operation, { path: { webhook_id: id }, body, token });
      const answers = [
        await call(null),
        await call(api.own.staff.token),
        await call(api.own.user.token),
        await call(api.foreign.admin.token),
      ];
      expect([operation, ...answers.map((answer) => answer.body.code)]).toEqual([
        operation,
        'unauthenticated',
        'role_forbidden',
        'role_forbidden',
        'organization_forbidden',
      ]);
      const reader = await call(api.own.admin.readToken);
      const isReading = operation === 'getWebhook' || operation === 'listWebhooks';
      expect([operation, reader.status]).toEqual([operation, isReading ? 200 : 403]);
    }
  });
});
