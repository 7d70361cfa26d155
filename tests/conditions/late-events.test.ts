import { afterAll, beforeAll, expect, test } from 'vitest';
import { endCondition } from '../../src/conditions/end-condition.ts';
import { raiseCondition } from '../../src/conditions/raise-condition.ts';
import { startApi, type Api } from '../support/api.ts';
import { addDevice, addFleet, addUser } from '../support/fleet-records.ts';

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

test('what ends or begins late is never dated before what it follows', async () => {
  const { db, clock } = api;
  const raisedAt = clock.now();
  const fleet = await addFleet(db, api.own.orgId, raisedAt);
  const userId = await addUser(db, fleet.orgId, raisedAt);
  const deviceId = await addDevice(db, { ...fleet, userId }, raisedAt);
  const event = { orgId: fleet.orgId, deviceId, code: 'device_offline', now: raisedAt } as const;
  const late = { ...event, now: new Date(raisedAt.getTime() - 5_000) };
  await db.transaction().execute((tx) => raiseCondition(tx, event));
  const changed = { changed: true, changedAt: raisedAt };
  expect(await db.transaction().execute((tx) => endCondition(tx, late))).toEqual(changed);
  expect(await db.transaction().execute((tx) => raiseCondition(tx, late))).toEqual({
    ...changed,
    pending: 0,
    dropped: 0,
    isRefused: false,
  });
  const items = await db
    .selectFrom('notification_items')
    .select(['occurred_at', 'cleared_at'])
    .where('org_id', '=', fleet.orgId)
    .execute();
  expect(items).toHaveLength(2);
  expect(items.map((item) => [item.occurred_at, item.cleared_at])).toEqual(
    expect.arrayContaining([
      [raisedAt, raisedAt],
      [raisedAt, null],
    ]),
  );
  const messages = await db
    .selectFrom('messages')
    .select(['occurred_at', 'payload'])
    .where('org_id', '=', fleet.orgId)
    .execute();
  expect(messages).toHaveLength(2);
  for (const { occurred_at, payload } of messages) {
    expect(occurred_at).toEqual(raisedAt);
    expect(JSON.parse(String(payload))).toMatchObject({ occurred_at: raisedAt.toISOString() });
  }
});
