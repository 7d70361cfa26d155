import { expect, test } from 'vitest';
import { startExpiredDataSweeper } from '../../../src/maintenance/sweeper.ts';
import { addQuotaUses } from '../../../src/queries/accounts/rate-limits.ts';
import {
  deleteAttemptsBefore,
  deleteOldMessages,
  listOrganizationsWithOldMessages,
} from '../../../src/queries/deliveries/retention.ts';
import type { MessagePlace } from '../../../src/queries/deliveries/retention.ts';
import { requeueDelivery } from '../../../src/queries/deliveries/delivery-log.ts';
import { requeueExhausted } from '../../../src/queries/deliveries/redeliveries.ts';
import type { Tx } from '../../../src/queries/connection/database.ts';
import { updateWebhook } from '../../../src/queries/deliveries/webhook-changes.ts';
import {
  addMessage,
  addOrganization,
  addWebhook,
  makeAllDue,
  webhookFixture,
  testDispatcher,
} from '../../support/webhook-fixture.ts';

const fixture = webhookFixture();
const day = 86_400_000;
const ago = (days: number): Date => new Date(fixture.clock.now().getTime() - days * day);
const month = (): Date => ago(30);

/** A message whose first announcement was so many days ago, and whose last may have been later. */
async function message(days: number, repeatedDays?: number, orgId = fixture.orgId): Promise<string> {
  const { id } = await addMessage(fixture.database.db, orgId, fixture.clock.now());
  await fixture.database.db
    .updateTable('messages')
    .set({ announced_at: ago(days), repeated_at: repeatedDays === undefined ? null : ago(repeatedDays) })
    .where('id', '=', id)
    .execute();
  return id;
}

/** Which messages there are, as the three tables tell. */
async function kept(): Promise<string[][]> {
  const ids = async (column: string, table: string): Promise<string[]> => {
    const { rows } = await fixture.database.pool.query<{ id: string }>(
      `select distinct ${column} as id from ${table} order by 1`,
    );
    return rows.map(({ id }) => id);
  };
  return [
    await ids('id', 'messages'),
    await ids('message_id', 'deliveries'),
    await ids('message_id', 'delivery_attempts'),
  ];
}

/** How many messages each batch of an organization has removed. */
async function removeOf(orgId: string, limit: number): Promise<number[]> {
  const counts: number[] = [];
  let after: MessagePlace | undefined;
  do {
    const { count, next } = await deleteOldMessages(fixture.database.db, orgId, month(), limit, after);
    counts.push(count);
    after = next;
  } while (after !== undefined);
  return counts;
}

/** Removes all old messages, in batches; their number. */
async function removeAll(limit = 100): Promise<number> {
  let removed = 0;
  for (const orgId of await listOrganizationsWithOldMessages(fixture.database.db, month()))
    for (const count of await removeOf(orgId, limit)) removed += count;
  return removed;
}

const same = (...ids: string[]): string[][] => Array<string[]>(3).fill(ids.toSorted());

test('old messages go with their deliveries and attempts; young, repeated and pending ones stay', async () => {
  const { db } = fixture.database;
  await addWebhook(db, fixture.orgId, fixture.receiver.url());
  const [delivered, young, repeated] = [await message(31), await message(29), await message(90, 1)];
  fixture.receiver.answerNext({ status: 204 }, { status: 204 }, { status: 204 }, { status: 500 });
  await testDispatcher(fixture).processAll();
  const pending = await message(60);
  await testDispatcher(fixture).processAll();
  expect(await kept()).toEqual(same(delivered, young, repeated, pending));
  expect(await removeAll()).toBe(1);
  expect(await kept()).toEqual(same(young, repeated, pending));
  fixture.clock.advance(5_000);
  await makeAllDue(fixture);
  await testDispatcher(fixture).processAll();
  expect(await removeAll()).toBe(1);
  expect(await kept()).toEqual(same(young, repeated));
  expect(await removeAll()).toBe(0);
});

test('cancelled ones and those that no webhook wanted go too, of every organization', async () => {
  const { db } = fixture.database;
  const other = await addOrganization(db);
  const { id } = await addWebhook(db, fixture.orgId, fixture.receiver.url());
  await message(40);
  await db
    .transaction()
    .execute((tx) => updateWebhook(tx, fixture.orgId, id, { enabled: false }, fixture.clock.now()));
  await message(40);
  await message(40, undefined, other);
  const young = await message(1, undefined, other);
  expect(await removeAll()).toBe(3);
  expect((await kept())[0]).toEqual([young]);
});

test('several sweep at once, batch by batch, and none of them twice', async () => {
  const { db } = fixture.database;
  const other = await addOrganization(db);
  for (let count = 0; count < 20; count += 1)
    await message(40, undefined, count % 2 === 0 ? fixture.orgId : other);
  expect((await deleteOldMessages(db, other, month(), 7)).count).toBe(7);
  const removed = await Promise.all([1, 2, 3, 4].map(() => removeAll(3)));
  expect(removed.reduce((sum, each) => sum + each)).toBe(13);
  expect((await kept())[0]).toEqual([]);
});

test('a batch looks at so many messages, and the next one goes on behind those that stay', async () => {
  for (let count = 0; count < 4; count += 1) await message(90, 1);
  for (let count = 0; count < 3; count += 1) await message(40);
  await message(10);
  expect(await removeOf(fixture.orgId, 2)).toEqual([0, 0, 2, 1]);
  expect(await removeOf(fixture.orgId, 2)).toEqual([0, 0, 0]);
  expect((await kept())[0]?.length).toBe(5);
});

test('what is being sent again is left to the next round, one message or several', async () => {
  const { db } = fixture.database;
  await addWebhook(db, fixture.orgId, fixture.receiver.url());
  const old = await message(40);
  await db
    .updateTable('deliveries')
    .set({ state: 'exhausted', finished_at: ago(39) })
    .execute();
  const { webhook_id: webhookId } = await db
    .selectFrom('deliveries')
    .select('webhook_id')
    .executeTakeFirstOrThrow();
  const key = { orgId: fixture.orgId, webhookId, messageId: old };
  const run = { orgId: fixture.orgId, webhookId, since: ago(50), until: ago(0), id: 'run' };
  const again = [
    (tx: Tx) => requeueDelivery(tx, key, fixture.clock.now()),
    (tx: Tx) => requeueExhausted(tx, run, 10, fixture.clock.now()),
  ];
  for (const requeue of again) {
    await expect(
      db.transaction().execute(async (tx) => {
        await requeue(tx);
        const ofOrganization = db.selectFrom('messages').select('id').where('org_id', '=', fixture.orgId);
        expect(await ofOrganization.forUpdate().skipLocked().execute()).toEqual([]);
        expect(await removeAll()).toBe(0);
        throw new Error('It has looked.');
      }),
    ).rejects.toThrow('It has looked.');
  }
  expect(await removeAll()).toBe(1);
});

test('what somebody has locked is left to the next round, and nobody is waited for', async () => {
  const { db } = fixture.database;
  const [locked] = [await message(50), await message(40)];
  await db.transaction().execute(async (tx) => {
    await tx
      .selectFrom('messages')
      .select('id')
      .where('org_id', '=', fixture.orgId)
      .where('id', '=', locked)
      .forUpdate()
      .execute();
    expect(await removeAll()).toBe(1);
  });
  expect((await kept())[0]).toEqual([locked]);
  expect(await removeAll()).toBe(1);
});

test('organizations whose messages are all young are not looked into', async () => {
  const { db } = fixture.database;
  const [other] = [await addOrganization(db), await addOrganization(db)];
  await message(29);
  await message(31, undefined, other);
  expect(await listOrganizationsWithOldMessages(db, month())).toEqual([other]);
});

const LONG = { items: 100, requests: 100, deleted: 100, priceRevisions: 100, tokens: 100, sessions: 100 };

test('attempts go before their message where that is wanted', async () => {
  const { db } = fixture.database;
  await addWebhook(db, fixture.orgId, fixture.receiver.url());
  const ids = [await message(1), await message(1)];
  fixture.receiver.answerNext({ status: 204 }, { status: 204 });
  await testDispatcher(fixture).processAll();
  await db
    .updateTable('delivery_attempts')
    .set({ started_at: ago(20) })
    .where('message_id', '=', ids[0] ?? '')
    .execute();
  expect(await deleteAttemptsBefore(db, ago(10), 100)).toBe(1);
  const [messages, logged, attempted = []] = await kept();
  expect([messages, logged]).toEqual([ids.toSorted(), ids.toSorted()]);
  expect(attempted.filter((id) => ids.includes(id))).toEqual(ids.slice(1));
});

test('the sweeper removes all that is too old and leaves the rest', async () => {
  for (let count = 0; count < 5; count += 1) await message(11);
  const young = await message(9);
  const startedAt = (minutesAgo: number) => new Date(fixture.clock.now().getTime() - minutesAgo * 60_000);
  for (const minutes of [1, 2])
    await addQuotaUses(fixture.database.db, [
      { policy: 'default', subject: `${minutes}`, windowStartedAt: startedAt(minutes), used: 1 },
    ]);
  const errors: unknown[] = [];
  const sweeper = startExpiredDataSweeper({
    db: fixture.database.db,
    clock: fixture.clock.now,
    days: { ...LONG, messages: 10, attempts: 10, signups: 10 },
    rateLimitWindowMs: 60_000,
    onError: (error) => errors.push(error),
    everyMs: 5,
    batch: 2,
  });
  const windows = () => fixture.database.db.selectFrom('rate_limits').select('subject').execute();
  while ((await kept())[0]?.length !== 1 || (await windows()).length !== 1);
  await sweeper.stop();
  expect([(await kept())[0], errors]).toEqual([[young], []]);
  expect(await windows()).toEqual([{ subject: '1' }]);
});
