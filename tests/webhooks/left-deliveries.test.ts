// What becomes of pending deliveries that are more than the call cancels which makes them unwanted.
import { randomUUID } from 'node:crypto';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { countUse } from '../../src/queries/accounts/quotas.ts';
import type { Tx } from '../../src/queries/connection/database.ts';
import { addToPendingCounts, CANCELLING_SHARD } from '../../src/queries/deliveries/pending-counts.ts';
import {
  listCancellingPartners,
  listCancellingWebhooks,
} from '../../src/queries/deliveries/unwanted-deliveries.ts';
import { deleteWebhooksDeletedBefore } from '../../src/queries/deliveries/retention.ts';
import {
  softDeleteWebhook,
  softDeleteWebhooksOfOrganization,
  updateWebhook,
} from '../../src/queries/deliveries/webhook-changes.ts';
import type { WebhookChange } from '../../src/queries/deliveries/webhooks.ts';
import { deleteSimulationRowsBatch } from '../../src/queries/fleets/fleet-removal.ts';
import { LeftDeliveries } from '../../src/webhooks/left-deliveries.ts';
import {
  addMessage,
  addOrganization,
  addWebhook,
  START,
  testDispatcher,
  webhookFixture,
} from '../support/webhook-fixture.ts';

const fixture = webhookFixture();
afterEach(() => fixture.database.pool.query('update webhooks set cancelling_mark = null'));
const inTransaction = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
  fixture.database.db.transaction().execute(work);
const change = (id: string, to: WebhookChange) =>
  inTransaction((tx) => updateWebhook(tx, fixture.orgId, id, to, fixture.clock.now()));
const pendingOfPartner = (): Promise<number> =>
  countUse(fixture.database.db, fixture.orgId, 'pending_deliveries');

/** Writes messages, of each topic every second one, with a delivery each; of three one waits for its retry. */
async function addPending(webhookId: string, count: number, orgId = fixture.orgId): Promise<void> {
  const { pool } = fixture.database;
  const ids = Array.from({ length: count }, () => randomUUID());
  await pool.query(
    `insert into messages (org_id, id, message_type, occurred_at, payload, created_at, announced_at)
     select $1::uuid, id, case when n % 2 = 0 then 'device.information' else 'device.action_required' end,
       $3::timestamptz, '{}', $3::timestamptz, $3::timestamptz from unnest($2::uuid[]) with ordinality as made (id, n)`,
    [orgId, ids, START],
  );
  await pool.query(
    `insert into deliveries (org_id, message_id, webhook_id, attempts, due_at, created_at)
     select $1::uuid, id, $3::uuid, (n % 3 = 0)::integer,
       $4::timestamptz + case when n % 3 = 0 then n else -n end * interval '1 s', $4::timestamptz
     from unnest($2::uuid[]) with ordinality as made (id, n)`,
    [orgId, ids, webhookId, START],
  );
  await inTransaction((tx) => addToPendingCounts(tx, orgId, CANCELLING_SHARD, count));
}

/** How many deliveries of a webhook have which topic and state. */
async function countStates(webhookId: string): Promise<Record<string, number>> {
  const { rows } = await fixture.database.pool.query<{ name: string; count: number }>(
    `select concat_ws(' ', m.message_type, d.state, d.cancel_reason) as name, count(*)::integer as count
     from deliveries d join messages m on m.org_id = d.org_id and m.id = d.message_id where d.webhook_id = $1 group by 1 order by 1`,
    [webhookId],
  );
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}

/** Cancels what is left, and tells how many each piece has; `pause` follows each. */
async function cancelLeft(
  pause: (piece: number) => Promise<unknown> = async () => undefined,
): Promise<number[]> {
  const pieces: number[] = [];
  let paused = 0;
  await new LeftDeliveries({
    db: fixture.database.db,
    now: fixture.clock.now,
    metrics: { deliveriesCancelled: (_reason, count) => void pieces.push(count) },
    onError: (error) => fixture.seen.errors.push(error),
    pause: () => pause((paused += 1)),
  }).processAll();
  return pieces;
}

test('a call cancels the first thousand, the rest follows in pieces, and nothing is wanted before and sent after', async () => {
  const { id } = await addWebhook(fixture.database.db, fixture.orgId, fixture.receiver.url());
  await addPending(id, 3_000);
  expect(await change(id, { enabled: false })).toMatchObject({
    cancelled: { reason: 'disabled', count: 1_000 },
  });
  expect(await change(id, { enabled: true })).toBe('too_early');
  expect(await change(id, { enabled: false })).toMatchObject({ webhook: { enabled: false } });
  expect(await pendingOfPartner()).toBe(2_000);
  // First attempts are 2,000: a thousand of them, then of the thousand retries all, and none behind these.
  expect(await cancelLeft()).toEqual([1_000, 1_000]);
  expect(await countStates(id)).toEqual({
    'device.action_required cancelled disabled': 1_500,
    'device.information cancelled disabled': 1_500,
  });
  expect(await pendingOfPartner()).toBe(0);
  expect(await change(id, { enabled: true })).toMatchObject({ webhook: { enabled: true } });
  const fresh = await addMessage(fixture.database.db, fixture.orgId, fixture.clock.now());
  await testDispatcher(fixture).processAll();
  expect(fixture.receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([fresh.id]);
});

test('of what is left only the topics that went are cancelled, and they do not come back before', async () => {
  const { id } = await addWebhook(fixture.database.db, fixture.orgId, fixture.receiver.url());
  await addPending(id, 3_000);
  expect(await change(id, { topics: ['device.action_required'] })).toMatchObject({
    cancelled: { reason: 'topic_removed' },
  });
  expect(await change(id, { topics: ['device.action_required', 'device.information'] })).toBe('too_early');
  await cancelLeft();
  expect(await countStates(id)).toEqual({
    'device.action_required pending': 1_500,
    'device.information cancelled topic_removed': 1_500,
  });
  expect(await pendingOfPartner()).toBe(1_500);
  expect(await change(id, { topics: ['device.information'] })).toMatchObject({
    webhook: { topics: ['device.information'] },
  });
});

test('a change while the rest is cancelled begins anew', async () => {
  const { id } = await addWebhook(fixture.database.db, fixture.orgId, fixture.receiver.url());
  await addPending(id, 6_000);
  await change(id, { topics: ['device.action_required'] });
  const pieces = await cancelLeft(async (piece) => {
    if (piece < 3 || piece > 5) return;
    if (piece === 3) await change(id, { topics: [] });
    expect((await countStates(id))['device.action_required pending']).toBeGreaterThan(0);
    expect(await change(id, { topics: ['device.action_required'] })).toBe('too_early');
  });
  // Three pieces of the topic that went first; after the change, whose call takes a thousand, all that is pending from the first on.
  expect(pieces).toEqual([250, 500, 500, 1_000, 250, 1_000, 1_000]);
  expect(await countStates(id)).toEqual({
    'device.action_required cancelled topic_removed': 3_000,
    'device.information cancelled topic_removed': 3_000,
  });
  expect(await change(id, { topics: ['device.action_required'] })).toMatchObject({ webhook: { id } });
});

test('webhooks have a piece each in turn', async () => {
  const [first, second] = [
    await addWebhook(fixture.database.db, fixture.orgId, fixture.receiver.url('/1')),
    await addWebhook(fixture.database.db, fixture.orgId, fixture.receiver.url('/2')),
  ];
  await addPending(first.id, 4_500);
  await addPending(second.id, 4_500);
  for (const { id } of [first, second]) await change(id, { enabled: false });
  const left: number[][] = [];
  const pendingOf = async (id: string): Promise<number> =>
    Object.entries(await countStates(id)).reduce(
      (sum, [name, count]) => sum + (name.endsWith('pending') ? count : 0),
      0,
    );
  await cancelLeft(async (piece) => {
    if (piece % 2 === 0) left.push([await pendingOf(first.id), await pendingOf(second.id)]);
  });
  // The third piece finds no first attempt any more, the others are of retries.
  expect(left).toEqual([2_500, 1_500, 1_500, 500, 0].map((each) => [each, each]));
});

/** Webhooks of an organization, each with so many pending deliveries, of which a call has left all but the first thousand. */
async function addDisabled(orgId: string, webhooks: number, pendingOfEach: number): Promise<string[]> {
  const ids: string[] = [];
  for (let each = 0; each < webhooks; each += 1) {
    const { id } = await addWebhook(fixture.database.db, orgId, fixture.receiver.url(`/${each}`));
    await addPending(id, pendingOfEach, orgId);
    await inTransaction((tx) => updateWebhook(tx, orgId, id, { enabled: false }, fixture.clock.now()));
    ids.push(id);
  }
  return ids;
}

/** Webhooks that are marked although none of their deliveries is left. */
async function addMarked(orgId: string, count: number): Promise<void> {
  const { db, pool } = fixture.database;
  await addWebhook(db, orgId, fixture.receiver.url());
  await pool.query(
    `insert into webhooks select (jsonb_populate_record(w, jsonb_build_object('id', gen_random_uuid()))).*
     from webhooks w, generate_series(2, $2) where w.org_id = $1`,
    [orgId, count],
  );
  await pool.query('update webhooks set cancelling_mark = id where org_id = $1', [orgId]);
}

test('who comes while many are cancelled waits for one piece of each other partner', async () => {
  const { db } = fixture.database;
  const simulation = await addOrganization(db, { parent_org_id: fixture.orgId });
  await addDisabled(fixture.orgId, 3, 3_000);
  await addDisabled(simulation, 2, 3_000);
  const second = await addOrganization(db);
  await addMarked(second, 120);
  const comer = await addOrganization(db);
  const ofComer: number[] = [];
  let left = 0;
  await cancelLeft(async (piece) => {
    if (piece === 4) {
      await addDisabled(comer, 1, 3_500);
      left = await countUse(db, comer, 'pending_deliveries');
    }
    const pending = await countUse(db, comer, 'pending_deliveries');
    if (pending < left) ofComer.push(piece);
    left = pending;
  });
  // Before each of its own the two others have a piece each at most.
  expect(ofComer).toHaveLength(4);
  for (const [n, piece] of ofComer.entries()) expect(piece).toBeLessThanOrEqual(4 + 3 * (n + 1));
});

test('a hundred partners are read at once, and those behind them have their turn too', async () => {
  const { db } = fixture.database;
  const partners = await Promise.all(Array.from({ length: 101 }, () => addOrganization(db)));
  for (const orgId of partners) await addMarked(orgId, 1);
  expect(await listCancellingPartners(db)).toEqual(partners.toSorted().slice(0, 100));
  let pauses = 0;
  await cancelLeft(async () => (pauses += 1));
  // Of each one piece of first attempts and one of retries.
  expect(pauses).toBe(202);
  expect(await listCancellingPartners(db)).toEqual([]);
});

test('of a partner a thousand webhooks are read at once', async () => {
  await addMarked(fixture.orgId, 1_001);
  expect(await listCancellingWebhooks(fixture.database.db, fixture.orgId)).toHaveLength(1_000);
});

test('an error ends the turn of one webhook, is told, and leaves the others theirs', async () => {
  const { pool, db } = fixture.database;
  const [broken = ''] = await addDisabled(fixture.orgId, 1, 1_500);
  const [sibling = ''] = await addDisabled(fixture.orgId, 1, 3_000);
  const others = [await addOrganization(db), await addOrganization(db)];
  const ofOthers: string[] = [];
  for (const orgId of others) ofOthers.push(...(await addDisabled(orgId, 1, 3_000)));
  const accept = () => pool.query('alter table deliveries drop constraint if exists refused');
  onTestFinished(async () => {
    await accept();
  });
  await pool.query(
    `alter table deliveries add constraint refused check (state = 'pending' or webhook_id <> '${broken}') not valid`,
  );
  await expect(cancelLeft()).resolves.not.toEqual([]);
  expect(fixture.seen.errors.splice(0).map(String)).toEqual([expect.stringContaining('refused')]);
  const pendingOf = async (id: string): Promise<boolean> =>
    Object.keys(await countStates(id)).some((name) => name.endsWith('pending'));
  expect(await Promise.all([broken, sibling, ...ofOthers].map(pendingOf))).toEqual([
    true,
    false,
    false,
    false,
  ]);
  await accept();
  fixture.clock.advance(1_000);
  await cancelLeft();
  expect(await pendingOf(broken)).toBe(false);
});

test('of a removed webhook it goes with the rest of its deliveries, when they are cancelled', async () => {
  const { id } = await addWebhook(fixture.database.db, fixture.orgId, fixture.receiver.url());
  await addPending(id, 1_500);
  const removed = await inTransaction((tx) => softDeleteWebhook(tx, fixture.orgId, id, fixture.clock.now()));
  expect(removed).toMatchObject({ reason: 'deleted', count: 1_000 });
  const later = new Date(START.getTime() + 1);
  expect(await deleteWebhooksDeletedBefore(fixture.database.db, later, 2_000)).toBe(0);
  expect(await cancelLeft()).toEqual([500]);
  expect(await pendingOfPartner()).toBe(0);
  expect(await deleteWebhooksDeletedBefore(fixture.database.db, later, 2_000)).toBe(2_000);
});

test('the webhooks of an organization that is removed share the first thousand, and what goes with it is counted off', async () => {
  const { db } = fixture.database;
  const simulation = await addOrganization(db, { parent_org_id: fixture.orgId });
  for (const path of ['/1', '/2', '/3']) {
    const { id } = await addWebhook(db, simulation, fixture.receiver.url(path));
    await addPending(id, 700, simulation);
  }
  const dropped = await inTransaction((tx) =>
    softDeleteWebhooksOfOrganization(tx, simulation, fixture.clock.now()),
  );
  expect(dropped).toEqual({ reason: 'deleted', count: 1_000 });
  expect(await pendingOfPartner()).toBe(1_100);
  const removeSome = () => inTransaction((tx) => deleteSimulationRowsBatch(tx, simulation, 500));
  while ((await removeSome()).rows > 0);
  expect(await pendingOfPartner()).toBe(0);
});
