// The control of the look for secrets that ends every test of the API and of the processes.
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { newAccessToken, newClientSecret } from '../../src/domain/security/credentials.ts';
import { buildDeliveryHeaders } from '../../src/domain/notifications/delivery-headers.ts';
import { generateSigningSecret } from '../../src/domain/notifications/signature.ts';
import { startApi, type Api } from '../support/api.ts';
import { findSecrets } from '../support/secret-leaks.ts';

const secret = generateSigningSecret();
const headers = buildDeliveryHeaders(secret, randomUUID(), Buffer.from('{}'), new Date());

test.each([
  ['a signing secret', secret.reveal()],
  ['a key of 32 bytes', secret.reveal().slice('whsec_'.length)],
  ['an access token', newAccessToken(randomUUID())],
  ['a client secret', newClientSecret()],
  ['a signature', headers['Service-Signature'] ?? ''],
  ['a signature', headers['webhook-signature'] ?? ''],
  ['the secret of a link', '/notifications/items/1/resolve?secret=eyJhbGciOiJIUzI1NiJ9.x'],
  ['credentials', `Basic ${Buffer.from('an-id:a-long-secret').toString('base64')}`],
])('%s is found in a line', (kind, value) => {
  expect(findSecrets(JSON.stringify({ message: `it says ${value}, and so on` }))).toContain(kind);
  expect(findSecrets(`prefix_total{label="${value}"} 1`)).toContain(kind);
});

test('a value is found by its name, and a line without secrets is left alone', () => {
  expect(findSecrets('hunter22', { password: 'hunter22' })).toEqual(['password']);
  const line = {
    path: `/org/${randomUUID()}/users`,
    challenge: 'Bearer realm="partners"',
    hidden: '[secret]',
  };
  expect(findSecrets(JSON.stringify(line), { password: 'hunter22' })).toEqual([]);
});

const body = { url: 'https://partner.example/', topics: [] };
const wrongs: [string, (api: Api) => Promise<unknown>][] = [
  [
    'The table webhooks',
    async (api) => {
      const { id, secret: plain } = (await api.call('createWebhook', { body })).body;
      await api.db
        .updateTable('webhooks')
        .set({ encrypted_secret: Buffer.from(plain) })
        .where('org_id', '=', api.own.orgId)
        .where('id', '=', id)
        .execute();
    },
  ],
  [
    'The table webhooks',
    async (api) => {
      const { secret: plain } = (await api.call('createWebhook', { body })).body;
      await api.db
        .updateTable('webhooks')
        .set({ url: `https://partner.example/${plain}` })
        .execute();
    },
  ],
];
test.each(wrongs)('%s with a secret in it fails the test that wrote it', async (place, write) => {
  const api = await startApi();
  await write(api);
  await expect(api.close()).rejects.toThrow(place);
});

test('an answer with a secret fails the test that asked for it', async () => {
  const api = await startApi();
  const made = (await api.call('createWebhook', { body })).body;
  await api.db
    .updateTable('webhooks')
    .set({ url: `https://partner.example/?key=${made.secret}` })
    .execute();
  await expect(api.call('listWebhooks')).rejects.toThrow('The answer of listWebhooks holds a signing secret');
  await api.db.updateTable('webhooks').set({ url: body.url }).execute();
  await api.close();
});
