import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startApi } from '../support/api.ts';
import type { Api } from '../support/api.ts';
import type { Answer, Call } from '../support/api-client.ts';
import { refusal } from './refusal.ts';

// Operations whose effect is no row, or whose answer holds a secret.

let api: Api;
let start: Date;
/** How often a test message was sent, and what its endpoint does next. */
let tests = 0;
let onTest: (() => Promise<unknown>) | undefined;

beforeAll(async () => {
  api = await startApi({
    services: {
      testWebhook: async () => {
        tests += 1;
        await onTest?.();
        return { outcome: 'delivered', status_code: 204, detail: null };
      },
    },
  });
  start = api.clock.now();
});
afterAll(() => api.close());
beforeEach(() => {
  api.clock.set(start);
  [tests, onTest] = [0, undefined];
});

const keyed = (key: string, call: Call = {}): Call => ({ ...call, headers: { 'idempotency-key': key } });
const isReplayed = ({ headers }: Answer): boolean => headers['idempotent-replayed'] === 'true';

describe('a test message', () => {
  const body = { topic: 'device.information' };
  const createWebhook = async (): Promise<string> => {
    const url = 'https://partner.example.com/hook';
    const answer = await api.call('createWebhook', { body: { url, topics: [body.topic] } });
    return answer.body.id as string;
  };
  const send = (webhook_id: string, key: string): Promise<Answer> =>
    api.call('testWebhook', keyed(key, { path: { webhook_id }, body }));

  test('is sent once for a key, whoever repeats it while it is under way', async () => {
    const id = await createWebhook();
    const [reached, answered] = [Promise.withResolvers<null>(), Promise.withResolvers<null>()];
    onTest = async () => {
      reached.resolve(null);
      await answered.promise;
    };
    const first = send(id, 'test');
    await reached.promise;
    expect(refusal(await send(id, 'test'))).toEqual([409, 'idempotency_key_in_use']);
    answered.resolve(null);
    expect(isReplayed(await first)).toBe(false);
    const repeat = await send(id, 'test');
    expect([repeat.body, isReplayed(repeat), tests]).toEqual([(await first).body, true, 1]);
  });

  test('whose process has died has its key in use for a minute, and is sent again then', async () => {
    const id = await createWebhook();
    await send(id, 'lost');
    const lost = { encrypted_answer: null, answer_key_id: null };
    await api.db.updateTable('idempotency_keys').set(lost).execute();
    api.clock.set(new Date(start.getTime() + 59_999).toISOString());
    expect(refusal(await send(id, 'lost'))).toEqual([409, 'idempotency_key_in_use']);
    api.clock.set(new Date(start.getTime() + 60_000).toISOString());
    expect([(await send(id, 'lost')).status, tests]).toEqual([200, 2]);
    expect([isReplayed(await send(id, 'lost')), tests]).toEqual([true, 2]);
  });

  test('that fails for a fault of ours leaves its key free', async () => {
    const id = await createWebhook();
    onTest = () => Promise.reject(new Error('The sender is broken.'));
    expect((await send(id, 'broken')).status).toBe(500);
    onTest = undefined;
    expect([(await send(id, 'broken')).status, tests]).toEqual([200, 2]);
  });
});

test('creating a webhook and rotating its secret ignore the header, and no stored answer can be read', async () => {
  await api.db.deleteFrom('idempotency_keys').execute();
  const body = { url: 'https://partner.example.com/hook' };
  const [first, second] = [
    await api.call('createWebhook', keyed('ignored', { body })),
    await api.call('createWebhook', keyed('ignored', { body })),
  ];
  expect(first.body.id).not.toBe(second.body.id);
  const path = { webhook_id: first.body.id as string };
  const secrets = [
    (await api.call('rotateWebhookSecret', keyed('ignored', { path }))).body.secret,
    (await api.call('rotateWebhookSecret', keyed('ignored', { path }))).body.secret,
  ];
  expect(new Set(secrets).size).toBe(2);
  expect(await api.db.selectFrom('idempotency_keys').selectAll().execute()).toEqual([]);
  const notice = { message: 'A notice that is answered again' };
  const told = await api.call('broadcastInformation', keyed('told', { body: notice }));
  const again = await api.call('broadcastInformation', keyed('told', { body: notice }));
  expect(again.text).toBe(told.text);
  expect([again.headers['cache-control'], isReplayed(again)]).toEqual(['no-store', true]);
  const stored = await api.db.selectFrom('idempotency_keys').selectAll().executeTakeFirstOrThrow();
  expect(stored.encrypted_answer?.toString('latin1')).not.toContain('A notice');
});
