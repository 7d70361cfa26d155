import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, vi, test } from 'vitest';
import { insertMessageWithDeliveries } from '../../src/queries/deliveries/deliveries.ts';
import { startApi, type Api } from '../support/api.ts';
import type { Answer } from '../support/api-client.ts';
import { finishDelivery } from '../support/webhook-fixture.ts';

let api: Api;
let webhookId: string;
const wakeDispatcher = vi.fn();

beforeAll(async () => {
  api = await startApi({ services: { wakeDispatcher } });
});
afterAll(() => api.close());
beforeEach(async () => {
  wakeDispatcher.mockClear();
  webhookId = await createWebhook();
});

async function createWebhook(): Promise<string> {
  const topics = ['device.action_required', 'device.information'];
  const body = { url: 'https://partner.example.com/hooks', topics };
  return (await api.call('createWebhook', { body })).body.id;
}

/** A message that goes to every subscribed webhook, a second after the one before. */
async function send(topic = 'device.information'): Promise<string> {
  api.clock.advance(1_000);
  const [id, now] = [randomUUID(), api.clock.now()];
  const message = { org_id: api.own.orgId, id, message_type: topic, occurred_at: now };
  await api.db
    .transaction()
    .execute((tx) => insertMessageWithDeliveries(tx, { ...message, payload: Buffer.from('{}') }, now));
  return id;
}

function finish(messageId: string, state: 'delivered' | 'exhausted', attempts = 1): Promise<void> {
  const key = { org_id: api.own.orgId, message_id: messageId, webhook_id: webhookId };
  return finishDelivery(api.db, key, { state, attempts }, api.clock.now());
}

const list = (query = {}): Promise<Answer> =>
  api.call('listDeliveries', { path: { webhook_id: webhookId }, query });
const get = (messageId: string): Promise<Answer> =>
  api.call('getDelivery', { path: { webhook_id: webhookId, message_id: messageId } });
const redeliver = (messageId: string): Promise<Answer> =>
  api.call('redeliver', { path: { webhook_id: webhookId, message_id: messageId } });
const idsOf = (answer: Answer): string[] =>
  answer.body.items.map((item: { message_id: string }) => item.message_id);

describe('the list', () => {
  test('shows every state, newest first, and nothing of another webhook', async () => {
    expect((await list()).body).toEqual({ items: [], limit: 50, next: null });
    const cancelled = await send('device.action_required');
    const path = { webhook_id: webhookId };
    const topics = ['device.information'];
    await api.call('updateWebhook', { path, body: { topics } });
    const [exhausted, delivered] = [await send(), await send()];
    await finish(exhausted, 'exhausted', 10);
    await finish(delivered, 'delivered');
    const finishedAt = api.clock.now().toISOString();
    const pending = await send();
    await createWebhook();
    const times = { created_at: expect.any(String), due_at: null, finished_at: expect.any(String) };
    const type = { message_type: 'device.information', cancel_reason: null };
    const answer = await list();
    expect(answer.body).toEqual({
      items: [
        {
          ...type,
          message_id: pending,
          state: 'pending',
          attempts: 0,
          created_at: api.clock.now().toISOString(),
          due_at: api.clock.now().toISOString(),
          finished_at: null,
        },
        {
          ...type,
          ...times,
          message_id: delivered,
          state: 'delivered',
          attempts: 1,
          finished_at: finishedAt,
        },
        { ...type, ...times, message_id: exhausted, state: 'exhausted', attempts: 10 },
        {
          ...times,
          message_id: cancelled,
          message_type: 'device.action_required',
          state: 'cancelled',
          attempts: 0,
          cancel_reason: 'topic_removed',
        },
      ],
      limit: 50,
      next: null,
    });
    expect(answer.headers['link']).toBeUndefined();
  });

  test('is read in pages that do not shift when more is sent', async () => {
    const sent: string[] = [];
    for (let i = 0; i < 5; i += 1) sent.unshift(await send());
    const first = await list({ limit: 2 });
    expect([idsOf(first), first.body.limit]).toEqual([sent.slice(0, 2), 2]);
    const link = /^<(\S+)>; rel="next"$/.exec(first.headers['link'] ?? '')?.[1] ?? '';
    const next = new URL(link);
    expect(`${next.origin}${next.pathname}`).toBe(
      `${api.baseUrl}/api/partners/v2.0/org/${api.own.orgId}/notifications/webhooks/${webhookId}/deliveries`,
    );
    expect(Object.fromEntries(next.searchParams)).toEqual({ limit: '2', after: first.body.next });
    await send();
    const second = await list(Object.fromEntries(next.searchParams));
    expect(idsOf(second)).toEqual(sent.slice(2, 4));
    const last = await list({ limit: 2, after: second.body.next });
    expect([idsOf(last), last.body.next, last.headers['link']]).toEqual([sent.slice(4), null, undefined]);
    // A full page that is the last one leads nowhere.
    expect((await list({ limit: 6 })).body.next).toBeNull();
  });

  test('has pages of several deliveries of one instant', async () => {
    const ids = [await send(), await send(), await send()];
    const change = { created_at: api.clock.now() };
    await api.db.updateTable('deliveries').set(change).where('webhook_id', '=', webhookId).execute();
    const seen: string[] = [];
    for (let after: string | null = ''; after !== null;) {
      const page = await list({ limit: 1, ...(after === '' ? {} : { after }) });
      seen.push(...idsOf(page));
      after = page.body.next;
    }
    expect(seen.toSorted()).toEqual(ids.toSorted());
  });

  test.each([
    ['cursor_invalid', { after: 'nonsense' }],
    ['min_length', { after: '' }],
    ['maximum', { limit: 101 }],
    ['minimum', { limit: 0 }],
    ['unknown_property', { page: 2 }],
  ])('refuses %s', async (code, query) => {
    const answer = await list(query);
    expect([answer.status, answer.body.errors]).toEqual([
      422,
      [expect.objectContaining({ code, in: 'query' })],
    ]);
  });
});

describe('a delivery', () => {
  test('is shown with its attempts, oldest first', async () => {
    const id = await send();
    expect((await get(id)).body).toMatchObject({ message_id: id, state: 'pending', attempt_log: [] });
    await finish(id, 'delivered', 2);
    const at = api.clock.now().toISOString();
    const common = {
      started_at: at,
      duration_ms: 12,
      address: '8.8.8.8',
      secret_version: 2,
      request_id: 'call-0001',
    };
    expect((await get(id)).body).toEqual({
      message_id: id,
      message_type: 'device.information',
      state: 'delivered',
      attempts: 2,
      created_at: at,
      due_at: null,
      finished_at: at,
      cancel_reason: null,
      attempt_log: [
        {
          ...common,
          attempt: 1,
          outcome: 'failed',
          error_class: 'status',
          status_code: 500,
          detail: 'It answered 500.',
        },
        { ...common, attempt: 2, outcome: 'delivered', error_class: null, status_code: 204, detail: null },
      ],
    });
  });

  test('that was sent again and again shows its newest hundred attempts, and counts all', async () => {
    const id = await send();
    await finish(id, 'delivered', 103);
    const { attempts, attempt_log: log } = (await get(id)).body;
    expect([attempts, log.length, log.at(0).attempt, log.at(-1).attempt]).toEqual([103, 100, 4, 103]);
  });

  test('does not tell a private address, which only a permission of the operator lets be called', async () => {
    const id = await send();
    await finish(id, 'delivered', 2);
    const attempts = api.db.updateTable('delivery_attempts').where('message_id', '=', id);
    await attempts.set({ address: '10.1.2.3' }).where('attempt', '=', 1).execute();
    const { attempt_log: log } = (await get(id)).body;
    expect(log.map(({ address }: { address: string | null }) => address)).toEqual([null, '8.8.8.8']);
  });

  test('is 404 at another webhook, at a removed one and in another organization', async () => {
    const id = await send();
    await finish(id, 'delivered');
    const late = await createWebhook();
    const there = { path: { webhook_id: late, message_id: id } };
    const foreign = {
      token: api.foreign.admin.token,
      path: { org_id: api.foreign.orgId, webhook_id: webhookId },
    };
    for (const operation of ['getDelivery', 'redeliver'] as const) {
      expect((await api.call(operation, there)).body.code).toBe('not_found');
      const call = { ...foreign, path: { ...foreign.path, message_id: id } };
      expect((await api.call(operation, call)).body.code).toBe('not_found');
    }
    expect((await api.call('listDeliveries', foreign)).body.code).toBe('not_found');
    await api.call('deleteWebhook', { path: { webhook_id: webhookId } });
    for (const answer of [await list(), await get(id), await redeliver(id)]) {
      expect(answer.body.code).toBe('not_found');
    }
  });
});

describe('sending again', () => {
  test.each(['delivered', 'exhausted'] as const)(
    'makes a %s message due under its own id and wakes the dispatcher',
    async (state) => {
      const id = await send();
      await finish(id, state, 3);
      api.clock.advance(60_000);
      const answer = await redeliver(id);
      const now = api.clock.now().toISOString();
      expect([answer.status, answer.body]).toEqual([
        200,
        expect.objectContaining({
          message_id: id,
          state: 'pending',
          attempts: 3,
          due_at: now,
          finished_at: null,
        }),
      ]);
      expect(wakeDispatcher).toHaveBeenCalledTimes(1);
      const { attempt_log: log, ...shown } = (await get(id)).body;
      expect([shown, log.length]).toEqual([answer.body, 3]);
    },
  );

  test('is refused while pending, after a cancellation, when disabled, and without the topic', async () => {
    const [pending, id] = [await send(), await send()];
    const path = { webhook_id: webhookId };
    const refused = async (messageId: string, reason: RegExp): Promise<void> => {
      const before = await get(messageId);
      const answer = await redeliver(messageId);
      expect(answer.body).toMatchObject({
        status: 409,
        code: 'delivery_state_conflict',
        detail: expect.stringMatching(reason),
      });
      expect((await get(messageId)).body).toEqual(before.body);
    };
    await finish(id, 'delivered');
    await refused(pending, /is pending/);
    await api.call('updateWebhook', { path, body: { enabled: false } });
    await refused(pending, /is cancelled/);
    await refused(id, /is disabled/);
    await api.call('updateWebhook', { path, body: { enabled: true, topics: ['device.action_required'] } });
    await refused(id, /not subscribed to device.information/);
    expect(wakeDispatcher).not.toHaveBeenCalled();
    await api.call('updateWebhook', { path, body: { topics: ['device.information'] } });
    expect((await redeliver(id)).status).toBe(200);
  });

  test('twice at once happens once', async () => {
    const id = await send();
    await finish(id, 'delivered');
    const answers = await Promise.all([1, 2, 3, 4].map(() => redeliver(id)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
  });

  test('comes before a concurrent disable, which then cancels it, or after, and is refused', async () => {
    for (let round = 0; round < 5; round += 1) {
      const id = await send();
      await finish(id, 'delivered');
      const path = { webhook_id: webhookId };
      const [again] = await Promise.all([
        redeliver(id),
        api.call('updateWebhook', { path, body: { enabled: false } }),
      ]);
      expect((await get(id)).body.state).toBe(again.status === 200 ? 'cancelled' : 'delivered');
      await api.call('updateWebhook', { path, body: { enabled: true } });
    }
  });
});
