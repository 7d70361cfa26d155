import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  deleteDismissalsOfBroadcastsEndedBefore,
  deleteItemsEndedBefore,
} from '../../../src/queries/notifications/item-retention.ts';
import { startApi, type Api } from '../../support/api.ts';

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const day = (date: number): Date => new Date(Date.UTC(2026, 0, date));

interface Times {
  readonly owner?: string;
  readonly occurred: number;
  readonly dismissed?: number;
  readonly cleared?: number;
}

async function addItem({ owner, occurred, dismissed, cleared }: Times): Promise<string> {
  const id = randomUUID();
  const at = (date: number | undefined): Date | null => (date === undefined ? null : day(date));
  await api.db
    .insertInto('notification_items')
    .values({
      org_id: api.own.orgId,
      id,
      kind: 'information',
      message: 'Text.',
      owner_id: owner ?? null,
      occurred_at: day(occurred),
      dismissed_at: at(dismissed),
      cleared_at: at(cleared),
    })
    .execute();
  return id;
}

test('what ended before goes, in batches; what is open stays, but broadcasts end with their sending', async () => {
  const owner = api.own.user.id;
  const kept = [
    await addItem({ owner, occurred: 1 }),
    await addItem({ owner, occurred: 1, dismissed: 10 }),
    await addItem({ owner, occurred: 1, cleared: 20 }),
    await addItem({ owner, occurred: 1, dismissed: 2, cleared: 10 }),
    await addItem({ occurred: 10 }),
  ];
  await addItem({ owner, occurred: 1, dismissed: 9 });
  await addItem({ owner, occurred: 1, cleared: 9 });
  const broadcast = await addItem({ occurred: 9 });
  const dismissals = Array.from({ length: 5 }, () => randomUUID());
  for (const item_id of [broadcast, kept[4] ?? '']) {
    const values = dismissals.map((user_id) => ({
      org_id: api.own.orgId,
      item_id,
      user_id,
      dismissed_at: day(9),
    }));
    await api.db.insertInto('broadcast_dismissals').values(values).execute();
  }
  const removedDismissals = [];
  for (let round = 0; round < 3; round += 1)
    removedDismissals.push(await deleteDismissalsOfBroadcastsEndedBefore(api.db, day(10), 3));
  expect(removedDismissals).toEqual([3, 2, 0]);
  const removed = [];
  for (let round = 0; round < 3; round += 1) removed.push(await deleteItemsEndedBefore(api.db, day(10), 2));
  expect(removed).toEqual([2, 1, 0]);
  const { rows } = await sql<{ id: string }>`select id from notification_items`.execute(api.db);
  expect(rows.map(({ id }) => id).toSorted()).toEqual(kept.toSorted());
});
