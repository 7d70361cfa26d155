import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { sql } from 'kysely';
import { sha256Digest } from '../../src/domain/security/credentials.ts';
import { encodeEnvelope } from '../../src/domain/notifications/envelope.ts';
import { insertMessageWithDeliveries } from '../../src/queries/deliveries/deliveries.ts';
import type { Tx } from '../../src/queries/connection/database.ts';
import { listAnnouncedMessages } from '../../src/queries/notifications/events.ts';
import { startApi, type Api } from '../support/api.ts';
import { EventListener } from '../support/event-stream.ts';

let api: Api;
let open: EventListener[] = [];
beforeAll(async () => {
  api = await startApi();
});
afterEach(() => {
  for (const listener of open) listener.close();
  open = [];
});
afterAll(() => api.close());

interface Sent {
  readonly id: string;
  readonly data: string;
}

async function insert(tx: Tx, orgId = api.own.orgId): Promise<Sent> {
  const [id, now] = [randomUUID(), api.clock.now()];
  const device = { device_id: randomUUID(), device_type: 'wallbox', owner_id: randomUUID() } as const;
  const content = { type: 'device.information', data: { ...device, notice: 'Zürich \n 🔌 "' } } as const;
  const payload = encodeEnvelope(id, content, now);
  await insertMessageWithDeliveries(
    tx,
    { org_id: orgId, id, message_type: content.type, occurred_at: now, payload },
    now,
  );
  return { id, data: payload.toString() };
}

/** Writes a message and tells the streams of it, as an event does. */
async function send(orgId?: string): Promise<Sent> {
  const sent = await api.db.transaction().execute((tx) => insert(tx, orgId));
  api.services.events.announceNews();
  return sent;
}

/** Several messages in the order of the stream: two of one millisecond stand by their ids. */
async function sendInOrder(count: number): Promise<Sent[]> {
  const sent: Sent[] = [];
  for (let i = 0; i < count; i += 1) sent.push(await send());
  return sent.toSorted(inOrder(await places()));
}

const address = (orgId = api.own.orgId): string =>
  `${api.baseUrl}/api/partners/v2.0/org/${orgId}/notifications/events`;

async function listen(lastId?: string, token = api.own.admin.token): Promise<EventListener> {
  const last: Record<string, string> = lastId === undefined ? {} : { 'last-event-id': lastId };
  const listener = await EventListener.open(address(), { authorization: `Bearer ${token}`, ...last });
  expect(listener.response.statusCode).toBe(200);
  open.push(listener);
  return listener;
}

async function take(listener: EventListener, count: number): Promise<Sent[]> {
  const taken: Sent[] = [];
  while (taken.length < count) taken.push(await listener.next());
  return taken;
}

describe('a stream', () => {
  test('begins with the next message and gives each envelope byte for byte under its id', async () => {
    await send();
    const answer = await api.call('streamEvents');
    expect(answer).toMatchObject({
      status: 200,
      text: 'retry: 1000\n\n',
      headers: {
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      },
    });
    const listener = await listen();
    const sent = await sendInOrder(3);
    expect(await take(listener, 3)).toEqual(sent);
    expect(listener.retryMs).toBe(1000);
  });

  test('goes on behind the last event of a client that was cut off', async () => {
    const sent = await sendInOrder(4);
    const listener = await listen(sent[1]?.id);
    expect(await take(listener, 2)).toEqual(sent.slice(2));
    listener.close();
    const late = await send();
    expect(await take(await listen(sent[3]?.id.toUpperCase()), 1)).toEqual([late]);
  });

  test('replays more than is read at once, in order', async () => {
    const sent = await api.db.transaction().execute(async (tx) => {
      const list: Sent[] = [];
      for (let i = 0; i < 251; i += 1) list.push(await insert(tx));
      return list;
    });
    // Which is the first only their order tells: some are of one millisecond.
    const [first, ...behind] = sent.toSorted(inOrder(await places()));
    expect(await take(await listen(first?.id), 250)).toEqual(behind);
  });

  test('misses none of many that are committed in another order than they were written', async () => {
    const listener = await listen();
    const commit = Promise.withResolvers<undefined>();
    const written = Promise.withResolvers<Sent>();
    const slow = api.db.transaction().execute(async (tx) => {
      // Raising a condition writes before it announces.
      await sql`select pg_current_xact_id()`.execute(tx);
      written.resolve(await insert(tx));
      await commit.promise;
    });
    const first = await written.promise;
    // Places are told apart by milliseconds.
    await sql`select pg_sleep(0.002)`.execute(api.db);
    const second = await send();
    const before = { at: new Date(0), id: randomUUID() };
    const visible = await listAnnouncedMessages(api.db, api.own.orgId, before, 1000);
    expect(visible.more).toBe('soon');
    expect(visible.messages.map(({ id }) => id)).not.toContain(second.id);
    commit.resolve(undefined);
    await slow;
    expect(await take(listener, 2)).toEqual([first, second]);
    const bursts = await Promise.all(Array.from({ length: 40 }, () => send()));
    const heard = await take(listener, 40);
    expect(new Set(heard.map(({ id }) => id))).toEqual(new Set(bursts.map(({ id }) => id)));
  });

  test('hears of nothing in another organization, and of a repetition though nobody wakes it', async () => {
    const listener = await listen();
    await send(api.foreign.orgId);
    const sent = await send();
    expect(await take(listener, 1)).toEqual([sent]);
    await api.db.updateTable('messages').set({ repeated_at: new Date() }).where('id', '=', sent.id).execute();
    expect(await take(listener, 1)).toEqual([sent]);
  });

  test('of a redelivered message goes on where it was first announced', async () => {
    const body = { url: 'https://partner.example.com/hooks', topics: ['device.information'] };
    const { id: webhook_id } = (await api.call('createWebhook', { body })).body;
    const [first, second] = (await sendInOrder(2)) as [Sent, Sent];
    await api.db.updateTable('deliveries').set({ state: 'delivered' }).execute();
    const listener = await listen(second.id);
    const path = { webhook_id, message_id: first.id };
    expect((await api.call('redeliver', { path })).status).toBe(200);
    expect(await take(listener, 1)).toEqual([first]);
    expect(await take(await listen(first.id), 2)).toEqual([second, first]);
  });

  test('has no body for HEAD', async () => {
    const response = await fetch(address(), {
      method: 'HEAD',
      headers: { authorization: `Bearer ${api.own.admin.token}` },
    });
    expect([response.status, await response.text()]).toEqual([200, '']);
  });

  test('answers a client that takes only events, and refuses one that takes only JSON', async () => {
    const asked = await api.call('streamEvents', { headers: { accept: 'text/event-stream' } });
    expect(asked.status).toBe(200);
    const refused = await api.call('streamEvents', { headers: { accept: 'application/json' } });
    expect([refused.status, refused.body.code]).toEqual([406, 'not_acceptable']);
  });

  test.each([
    ['format', 'yesterday'],
    ['unknown_event', randomUUID()],
  ])('is refused with %s for a last id that leads nowhere', async (code, id) => {
    const answer = await api.call('streamEvents', { headers: { 'last-event-id': id } });
    expect([answer.status, answer.body.errors]).toEqual([
      422,
      [{ parameter: 'Last-Event-ID', in: 'header', code, detail: expect.any(String) }],
    ]);
  });

  test("does not go on behind another organization's message", async () => {
    const { id } = await send(api.foreign.orgId);
    const answer = await api.call('streamEvents', { headers: { 'last-event-id': id } });
    expect(answer.body.errors).toMatchObject([{ code: 'unknown_event' }]);
  });
});

describe('a stream ends', () => {
  test('when its token does, before another message goes out', async () => {
    const listener = await listen(undefined, api.own.admin.readToken);
    await api.db
      .deleteFrom('access_tokens')
      .where('token_hash', '=', sha256Digest(api.own.admin.readToken))
      .execute();
    api.services.invalidateCachedTokensOf(api.own.admin.id);
    await until(async () => (await api.call('listUsers', { token: api.own.admin.readToken })).status === 401);
    await send();
    expect([await listener.ended, listener.text]).toEqual(['whole', 'retry: 1000\n\n']);
  });

  test('when the service stops', async () => {
    const other = await startApi();
    const url = address(other.own.orgId).replace(api.baseUrl, other.baseUrl);
    const listener = await EventListener.open(url, { authorization: `Bearer ${other.own.admin.token}` });
    await other.services.events.stop();
    expect(await listener.ended).toBe('whole');
    await other.close();
  });
});

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo()));
}

async function places(): Promise<ReadonlyMap<string, number>> {
  const rows = await api.db
    .selectFrom('messages')
    .select('id')
    .orderBy('announced_at')
    .orderBy('id')
    .execute();
  return new Map(rows.map(({ id }, index) => [id, index]));
}

function inOrder(place: ReadonlyMap<string, number>) {
  return (a: Sent, b: Sent): number => (place.get(a.id) ?? 0) - (place.get(b.id) ?? 0);
}
