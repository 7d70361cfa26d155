// Claims whose answers are lost: the leases that they may have taken are given back, so that nothing waits for their end.
import { expect, test } from 'vitest';
import { openDatabase } from '../../src/queries/connection/database.ts';
import { Claimer } from '../../src/webhooks/claimer.ts';
import { recordStatements } from '../support/sent-statements.ts';
import { startSwallowingProxy, throughProxy } from '../support/swallowing-proxy.ts';
import {
  addMessage,
  addWebhook,
  countById,
  testDispatcher,
  webhookFixture,
} from '../support/webhook-fixture.ts';
import { holdTable } from '../support/held-table.ts';
import { lockWaits } from '../support/lock-waits.ts';

const MESSAGES = 3;
const WEBHOOKS = 4;

const fixture = webhookFixture(5_000);

async function addBacklog(): Promise<void> {
  const { database, orgId, receiver, clock } = fixture;
  for (let each = 0; each < WEBHOOKS; each += 1)
    await addWebhook(database.db, orgId, receiver.url(`/${each}`));
  for (let each = 0; each < MESSAGES; each += 1) await addMessage(database.db, orgId, clock.now());
}

/** The backend of a claim that waits for a lock, other than `known`. */
async function findBlockedClaim(known = 0): Promise<number | undefined> {
  const { rows } = await fixture.database.pool.query<{ pid: number }>(
    `select pid from ${lockWaits()} where query like '%call claim_deliveries%' and pid <> $1`,
    [known],
  );
  return rows[0]?.pid;
}

const everyMessageOnceToEach = Array.from({ length: MESSAGES }, () => WEBHOOKS);

test.each([
  ['is ended by the database, as when it takes too long', 'pg_cancel_backend'],
  ['loses its connection', 'pg_terminate_backend'],
])('what a claim has leased whose reading %s is claimed again at once', async (_how, end) => {
  await addBacklog();
  // Of its own: the one that ends is back in the pool before its end is known there.
  const watching = await fixture.database.pool.connect();
  const running = testDispatcher(fixture);
  const release = await holdTable(fixture.database, 'messages');
  try {
    // The claim leases, and then waits to read the messages.
    const failed = expect(running.processAll()).rejects.toThrow();
    await expect.poll(() => findBlockedClaim()).toBeDefined();
    await watching.query(`select ${end}($1::integer)`, [await findBlockedClaim()]);
    await failed;
    const leased = await watching.query('select from in_flight_slots where message_id is not null');
    expect(leased.rowCount).toBe(MESSAGES * WEBHOOKS);
  } finally {
    await release();
    watching.release();
  }
  await running.processAll();
  expect(countById(fixture.receiver.received)).toEqual(everyMessageOnceToEach);
});

test('a claim that leases only after the worker has given it up holds nothing either', async () => {
  await addBacklog();
  const { connection, pool } = fixture.database;
  const proxy = await startSwallowingProxy(connection);
  const cut = openDatabase({ connection: throughProxy(connection, proxy) });
  const running = testDispatcher(fixture, { db: cut.db });
  const locking = await pool.connect();
  try {
    await locking.query('begin; select pg_advisory_xact_lock(1684829810)');
    const failed = expect(running.processAll()).rejects.toThrow();
    await expect.poll(() => findBlockedClaim()).toBeDefined();
    const late = await findBlockedClaim();
    proxy.cut();
    await failed;
    let hasEnded = false;
    // On a busy machine it may wait too long for the lock.
    const next = running
      .processAll()
      .catch(() => undefined)
      .finally(() => (hasEnded = true));
    await expect.poll(async () => hasEnded || (await findBlockedClaim(late)) !== undefined).toBe(true);
    await locking.query('rollback');
    await next;
    await running.processAll();
    expect(countById(fixture.receiver.received)).toEqual(everyMessageOnceToEach);
  } finally {
    locking.release(true);
    await cut.close();
    await proxy.close();
  }
});

test('a hundred lost claims are remembered at most, and each for as long as a lease lasts', async () => {
  const { connection, pool } = fixture.database;
  const recorder = recordStatements();
  const database = openDatabase({ connection, max: 1 });
  const limits = { first: 1, retry: 1, perWebhook: 1, perPartner: 1 };
  const countReleased = (): number => {
    const sent = recorder.take().find(({ text }) => text.includes('lease_token = any('));
    return (sent?.values.at(-1) as readonly string[] | undefined)?.length ?? 0;
  };
  const claimer = new Claimer(database.db);
  const loseClaim = (leaseMs: number) =>
    expect(claimer.claim(limits, { workerId: 0, leaseMs }, {})).rejects.toThrow('does not exist');
  await pool.query('alter procedure claim_deliveries rename to claim_deliveries_away');
  try {
    for (let each = 0; each < 102; each += 1) await loseClaim(0);
    expect(countReleased()).toBe(0);
    for (let each = 0; each < 102; each += 1) await loseClaim(3_600_000);
    expect(countReleased()).toBe(100);
  } finally {
    await pool.query('alter procedure claim_deliveries_away rename to claim_deliveries');
    recorder.stop();
    await database.close();
  }
});
