import { expect, test } from 'vitest';
import { startSweeper } from '../../../src/maintenance/sweeper.ts';
import { deleteMessagesAnnouncedBefore } from '../../../src/queries/deliveries/retention.ts';
import { updateWebhook } from '../../../src/queries/deliveries/webhooks.ts';
import { addMessage, addOrganization, addWebhook, stage, testDispatcher } from '../../support/webhooks.ts';

const on = stage();
const day = 86_400_000;
const ago = (days: number): Date => new Date(on.clock.now().getTime() - days * day);
const month = (): Date => ago(30);

/** A message whose first announcement was so many days ago, and whose last may have been later. */
async function message(days: number, repeatedDays?: number, orgId = on.orgId): Promise<string> {
  const { id } = await addMessage(on.database.db, orgId, on.clock.now());
  await on.database.db
    .updateTable('messages')
    .set({ announced_at: ago(days), repeated_at: repeatedDays === undefined ? null : ago(repeatedDays) })
    .where('id', '=', id)
    .execute();
  return id;
}

/** Which messages there are, as the three tables tell. */
async function kept(): Promise<string[][]> {
  const ids = async (column: string, table: string): Promise<string[]> => {
    const { rows } = await on.database.pool.query<{ id: string }>(
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

const same = (...ids: string[]): string[][] => Array<string[]>(3).fill(ids.toSorted());

test('old messages go with their deliveries and attempts; young, repeated and pending ones stay', async () => {
  const { db } = on.database;
  await addWebhook(db, on.orgId, on.receiver.url());
  const [delivered, young, repeated] = [await message(31), await message(29), await message(90, 1)];
  on.receiver.answerNext({ status: 204 }, { status: 204 }, { status: 204 }, { status: 500 });
  await testDispatcher(on).processAll();
  const pending = await message(60);
  await testDispatcher(on).processAll();
  expect(await kept()).toEqual(same(delivered, young, repeated, pending));
  expect(await deleteMessagesAnnouncedBefore(db, month(), 100)).toBe(1);
  expect(await kept()).toEqual(same(young, repeated, pending));
  on.clock.advance(5_000);
  await testDispatcher(on).processAll();
  expect(await deleteMessagesAnnouncedBefore(db, month(), 100)).toBe(1);
  expect(await kept()).toEqual(same(young, repeated));
  expect(await deleteMessagesAnnouncedBefore(db, month(), 100)).toBe(0);
});

test('cancelled ones and those that no webhook wanted go too, of every organization', async () => {
  const { db } = on.database;
  const other = await addOrganization(db);
  const { id } = await addWebhook(db, on.orgId, on.receiver.url());
  await message(40);
  await db.transaction().execute((tx) => updateWebhook(tx, on.orgId, id, { enabled: false }, on.clock.now()));
  await message(40);
  await message(40, undefined, other);
  const young = await message(1, undefined, other);
  expect(await deleteMessagesAnnouncedBefore(db, month(), 100)).toBe(3);
  expect((await kept())[0]).toEqual([young]);
});

test('several sweep at once, batch by batch, and none of them twice', async () => {
  const { db } = on.database;
  const other = await addOrganization(db);
  for (let count = 0; count < 20; count += 1)
    await message(40, undefined, count % 2 === 0 ? on.orgId : other);
  expect(await deleteMessagesAnnouncedBefore(db, month(), 7)).toBe(7);
  const removed = await Promise.all([1, 2, 3, 4].map(() => deleteMessagesAnnouncedBefore(db, month(), 100)));
  expect(removed.reduce((sum, each) => sum + each)).toBe(13);
  expect((await kept())[0]).toEqual([]);
});

test('the sweeper removes all that is too old and leaves the rest', async () => {
  for (let count = 0; count < 5; count += 1) await message(11);
  const young = await message(9);
  const errors: unknown[] = [];
  const sweeper = startSweeper({
    db: on.database.db,
    clock: on.clock.now,
    messageDays: 10,
    onError: (error) => errors.push(error),
    everyMs: 5,
    batch: 2,
  });
  while ((await kept())[0]?.length !== 1);
  await sweeper.stop();
  expect([(await kept())[0], errors]).toEqual([[young], []]);
});
