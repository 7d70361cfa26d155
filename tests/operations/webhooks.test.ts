import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, vi, test } from 'vitest';
import type { Services } from '../../src/operations/context.ts';
import { insertMessageWithDeliveries } from '../../src/queries/deliveries/deliveries.ts';
import { startApi, type Api } from '../support/api.ts';
import type { Answer } from '../support/api-client.ts';

const url = 'https://partner.example.com/hooks/devices';
const both = ['device.action_required', 'device.information'] as const;
const secretPattern = /^whsec_[A-Za-z0-9+/]{43}=$/;

let api: Api;
const testWebhook = vi.fn<Services['testWebhook']>();

beforeAll(async () => {
  api = await startApi({ services: { testWebhook } });
});
afterAll(() => api.close());

async function create(body: object = { url, topics: both }): Promise<Answer['body']> {
  const answer = await api.call('createWebhook', { body });
  expect(answer.status).toBe(201);
  return answer.body;
}

function faults(answer: Answer): [string, string][] {
  type Told = { pointer?: string; parameter?: string; code: string };
  return answer.body.errors.map((error: Told) => [error.pointer ?? error.parameter, error.code]);
}

async function deliveryStates(webhookId: string): Promise<object[]> {
  return api.db
    .selectFrom('deliveries')
    .innerJoin('messages', 'messages.id', 'deliveries.message_id')
    .select(['message_type', 'state', 'cancel_reason'])
    .where('deliveries.org_id', '=', api.own.orgId)
    .where('messages.org_id', '=', api.own.orgId)
    .where('webhook_id', '=', webhookId)
    .orderBy('message_type')
    .execute();
}

/** One message of each topic, pending at every subscribed webhook of the organization. */
async function sendBoth(): Promise<void> {
  for (const message_type of both) {
    const now = api.clock.now();
    const message = { org_id: api.own.orgId, id: randomUUID(), message_type, occurred_at: now };
    const withPayload = { ...message, payload: Buffer.from('{}') };
    await api.db.transaction().execute((tx) => insertMessageWithDeliveries(tx, withPayload, now));
  }
}

describe('creation', () => {
  test('answers the webhook with its secret, its address and a ban on storing', async () => {
    const answer = await api.call('createWebhook', { body: { url, topics: [...both, both[0]] } });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.any(String),
      url,
      topics: both,
      enabled: true,
      created_at: api.clock.now().toISOString(),
      updated_at: api.clock.now().toISOString(),
      secret: expect.stringMatching(secretPattern),
    });
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.headers['location']).toBe(
      `${api.baseUrl}/api/partners/v2.0/org/${api.own.orgId}/notifications/webhooks/${answer.body.id}`,
    );
  });

  test('of a repeated address makes another webhook with another secret; topics may be left out', async () => {
    const [one, two] = [await create({ url }), await create({ url })];
    expect(one.topics).toEqual([]);
    expect(two.id).not.toBe(one.id);
    expect(two.secret).not.toBe(one.secret);
  });

  test('keeps an address with other letters as the URI that is called', async () => {
    const address = 'https://b\u00fccher.example/\u00fcber?a|b';
    const { id, url: kept } = await create({ url: address });
    expect(kept).toBe('https://xn--bcher-kva.example/%C3%BCber?a%7Cb');
    expect((await api.call('getWebhook', { path: { webhook_id: id } })).body.url).toBe(kept);
    const { id: tested } = await create({ url: address, topics: [both[0]] });
    testWebhook.mockResolvedValueOnce({ outcome: 'delivered', status_code: 204, detail: null });
    await api.call('testWebhook', { path: { webhook_id: tested }, body: { topic: both[0] } });
    expect(testWebhook).toHaveBeenLastCalledWith(expect.objectContaining({ url: kept }));
  });

  test('stores the secret encrypted', async () => {
    const { id, secret } = await create();
    const row = await api.db
      .selectFrom('webhooks')
      .select('encrypted_secret')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const key = (secret as string).slice('whsec_'.length);
    for (const plain of [Buffer.from(key), Buffer.from(key, 'base64')])
      expect(row.encrypted_secret.includes(plain)).toBe(false);
  });

  test('names the faults of address and topics together', async () => {
    const body = {
      url: 'http://192.168.0.1/',
      topics: ['device.information', 'device.unknown', 'service.test'],
    };
    const answer = await api.call('createWebhook', { body });
    expect(answer.status).toBe(422);
    expect(faults(answer)).toEqual([
      ['/url', expect.any(String)],
      ['/url', 'forbidden_address'],
      ['/topics/1', 'unknown_topic'],
      ['/topics/2', 'unknown_topic'],
    ]);
    expect(answer.body.errors[2].detail).toContain('device.action_required, device.information');
  });

  test.each([
    'https://user:pass@example.com/',
    'https://example.com/#part',
    'https://127.1/',
    'https://[::1]/',
  ])('refuses %s', async (address) => {
    const answer = await api.call('createWebhook', { body: { url: address } });
    expect([answer.status, faults(answer).map(([pointer]) => pointer)]).toEqual([422, ['/url']]);
  });

  test('refuses what the document forbids', async () => {
    const answer = await api.call('createWebhook', { body: { topics: 'all', enabled: true } });
    expect(answer.status).toBe(422);
    expect(faults(answer)).toEqual(
      expect.arrayContaining([
        ['/url', 'required'],
        ['/topics', 'type'],
        ['/enabled', 'unknown_property'],
      ]),
    );
  });
});

describe('list and retrieval', () => {
  test('the list has 50 on a page, oldest first, and never a secret; page 2 of 51 has one', async () => {
    await api.db.deleteFrom('deliveries').execute();
    await api.db.deleteFrom('webhooks').execute();
    const ids: string[] = [];
    const secrets: string[] = [];
    for (let index = 0; index < 51; index += 1) {
      api.clock.advance(1);
      const { id, secret } = await create({ url, topics: [] });
      ids.push(id);
      secrets.push(secret);
    }
    const pages = [await api.call('listWebhooks'), await api.call('listWebhooks', { query: { page: 2 } })];
    expect(pages.map(({ body }) => body.items.map((item: { id: string }) => item.id))).toEqual([
      ids.slice(0, 50),
      ids.slice(50),
    ]);
    for (const [index, { body, text }] of pages.entries()) {
      expect(body).toEqual({ items: body.items, total: 51, page: index + 1, page_size: 50 });
      expect(text).not.toContain('whsec_');
      expect(secrets.some((secret) => text.includes(secret.slice(6)))).toBe(false);
    }
    const address = `${api.baseUrl}/api/partners/v2.0/org/${api.own.orgId}/notifications/webhooks`;
    expect(pages.map(({ headers }) => headers['link'])).toEqual([
      `<${address}?page=1>; rel="first", <${address}?page=2>; rel="next", <${address}?page=2>; rel="last"`,
      `<${address}?page=1>; rel="first", <${address}?page=1>; rel="prev", <${address}?page=2>; rel="last"`,
    ]);
    const beyond = await api.call('listWebhooks', { query: { page: 1000 } });
    expect([beyond.status, beyond.body.items, beyond.body.total]).toEqual([200, [], 51]);
    const retrieved = await api.call('getWebhook', { path: { webhook_id: ids[0] ?? '' } });
    expect(retrieved.body).toEqual(pages[0]?.body.items[0]);
    expect(retrieved.text).not.toContain('whsec_');
  });

  test.each([0, -1, 'two', 1.5])('page %s is refused', async (page) => {
    expect((await api.call('listWebhooks', { query: { page } })).status).toBe(422);
  });
});

describe('change', () => {
  test('touches only the fields that are present', async () => {
    const { id, secret, ...webhook } = await create({ url, topics: ['device.information'] });
    api.clock.advance(5);
    const path = { webhook_id: id };
    const disabled = await api.call('updateWebhook', { path, body: { enabled: false } });
    expect(disabled.status).toBe(200);
    expect(disabled.body).toEqual({
      id,
      ...webhook,
      enabled: false,
      updated_at: api.clock.now().toISOString(),
    });
    expect(disabled.text).not.toContain(secret);
    api.clock.advance(5);
    const cleared = await api.call('updateWebhook', { path, body: { topics: [] } });
    expect(cleared.body).toMatchObject({ enabled: false, topics: [] });
    const untouched = await api.call('updateWebhook', { path, body: {} });
    expect(untouched.body).toEqual(cleared.body);
  });

  test('refuses an address as immutable and an unknown topic', async () => {
    const { id } = await create();
    const path = { webhook_id: id };
    const moved = await api.call('updateWebhook', { path, body: { url, enabled: false } });
    expect([moved.status, faults(moved)]).toEqual([422, [['/url', 'immutable']]]);
    const unknown = await api.call('updateWebhook', { path, body: { enabled: false, topics: ['x'] } });
    expect([unknown.status, faults(unknown)]).toEqual([422, [['/topics/0', 'unknown_topic']]]);
    expect((await api.call('getWebhook', { path })).body).toMatchObject({ enabled: true, topics: both });
  });

  test('drops what is pending: of the topics that go, all when disabled or removed', async () => {
    const ids = await Promise.all(
      [create(), create(), create(), create()].map(async (each) => (await each).id),
    );
    await sendBoth();
    const [kept = '', narrowed = '', disabled = '', removed = ''] = ids;
    await api.call('updateWebhook', { path: { webhook_id: narrowed }, body: { topics: [both[1]] } });
    await api.call('updateWebhook', { path: { webhook_id: disabled }, body: { enabled: false } });
    expect((await api.call('deleteWebhook', { path: { webhook_id: removed } })).status).toBe(204);
    const state = (first: string | null, second: string | null) =>
      [first, second].map((cancel_reason, index) => ({
        message_type: both[index],
        state: cancel_reason === null ? 'pending' : 'cancelled',
        cancel_reason,
      }));
    expect(await deliveryStates(kept)).toEqual(state(null, null));
    expect(await deliveryStates(narrowed)).toEqual(state('topic_removed', null));
    expect(await deliveryStates(disabled)).toEqual(state('disabled', 'disabled'));
    expect(await deliveryStates(removed)).toEqual(state('deleted', 'deleted'));
    await api.call('updateWebhook', { path: { webhook_id: disabled }, body: { enabled: true } });
    expect(await deliveryStates(disabled)).toEqual(state('disabled', 'disabled'));
  });
});

test('rotation answers a fresh secret, which is stored in place of the old one', async () => {
  const { id, secret, ...webhook } = await create();
  api.clock.advance(1000);
  const rotated = await api.call('rotateWebhookSecret', { path: { webhook_id: id } });
  expect(rotated.status).toBe(200);
  expect(rotated.headers['cache-control']).toBe('no-store');
  expect(rotated.body).toEqual({
    id,
    ...webhook,
    updated_at: api.clock.now().toISOString(),
    secret: expect.stringMatching(secretPattern),
  });
  expect(rotated.body.secret).not.toBe(secret);
  testWebhook.mockResolvedValueOnce({ outcome: 'delivered', status_code: 200, detail: null });
  await api.call('testWebhook', { path: { webhook_id: id }, body: { topic: both[0] } });
  expect(testWebhook).toHaveBeenLastCalledWith(expect.objectContaining({ secret: rotated.body.secret }));
  const withBody = await api.call('rotateWebhookSecret', {
    path: { webhook_id: id },
    body: { secret: 'mine' },
  });
  expect(withBody.status).toBe(422);
  expect(faults(withBody)).toContainEqual(['/secret', 'unknown_property']);
});

describe('test message', () => {
  const results = [
    { outcome: 'delivered', status_code: 204, detail: null },
    { outcome: 'failed', status_code: null, detail: 'The endpoint answered 500.' },
  ] as const;
  test.each(results)('passes on what came of it: $outcome', async (result) => {
    const { id, secret } = await create({ url, topics: [both[0]] });
    testWebhook.mockResolvedValueOnce(result);
    const answer = await api.call('testWebhook', { path: { webhook_id: id }, body: { topic: both[0] } });
    expect([answer.status, answer.body]).toEqual([200, result]);
    const sent = { webhookId: id, url, secret, topic: both[0], partnerId: api.own.orgId };
    expect(testWebhook).toHaveBeenLastCalledWith(sent);
  });

  test('is not sent to a topic that the webhook lacks', async () => {
    const { id } = await create({ url, topics: [both[0]] });
    testWebhook.mockClear();
    for (const topic of [both[1], 'device.unknown']) {
      const answer = await api.call('testWebhook', { path: { webhook_id: id }, body: { topic } });
      expect([answer.status, faults(answer)]).toEqual([422, [['/topic', 'not_subscribed']]]);
    }
    expect(testWebhook).not.toHaveBeenCalled();
  });

  test('to a disabled or removed webhook is cancelled, whatever the topic', async () => {
    const path = { webhook_id: (await create({ url, topics: [both[0]] })).id };
    testWebhook.mockClear();
    const outcomes = async (): Promise<unknown[]> => {
      const answers = [
        await api.call('testWebhook', { path, body: { topic: both[0] } }),
        await api.call('testWebhook', { path, body: { topic: 'device.unknown' } }),
      ];
      return answers.map(({ status, body }) => [status, body]);
    };
    const cancelled = (detail: string) => [200, { outcome: 'cancelled', status_code: null, detail }];
    await api.call('updateWebhook', { path, body: { enabled: false } });
    expect(await outcomes()).toEqual(Array(2).fill(cancelled('The webhook is disabled.')));
    await api.call('deleteWebhook', { path });
    expect(await outcomes()).toEqual(Array(2).fill(cancelled('The webhook is removed.')));
    expect(testWebhook).not.toHaveBeenCalled();
  });
});
