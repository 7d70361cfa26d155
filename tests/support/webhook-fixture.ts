import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { encodeEnvelope } from '../../src/domain/notifications/envelope.ts';
import { createKeyring, encrypt, webhookSecretContext } from '../../src/domain/security/encryption.ts';
import type { Secret } from '../../src/domain/security/secret.ts';
import { generateSigningSecret } from '../../src/domain/notifications/signature.ts';
import { TOPICS as allTopics, type Topic } from '../../src/domain/notifications/topics.ts';
import type { Db } from '../../src/queries/connection/database.ts';
import { insertMessageWithDeliveries } from '../../src/queries/deliveries/deliveries.ts';
import { insertWebhook, rotateWebhookSecret } from '../../src/queries/deliveries/webhooks.ts';
import { Dispatcher, type DispatcherOptions } from '../../src/webhooks/dispatcher.ts';
import { WebhookClient } from '../../src/webhooks/webhook-client.ts';
import { TestClock } from './clock.ts';
import { testDatabase, type TestDatabase } from './database.ts';
import { startReceiver, type Received, type Receiver } from './receiver.ts';

export const TEST_KEYRING = createKeyring(randomBytes(32));

/** What the clock of a test says at first. */
export const START = new Date('2026-03-01T12:00:00Z');

/** Counts of everything that a dispatcher reports; `errors` must stay empty. */
export function recordReports() {
  const counted = {
    attempted: 0,
    delivered: 0,
    exhausted: 0,
    dropped: {} as Record<string, number>,
    superseded: 0,
    reclaimed: 0,
  };
  const latenciesMs: number[] = [];
  const errors: unknown[] = [];
  const metrics: DispatcherOptions['metrics'] = {
    attemptEnded: () => (counted.attempted += 1),
    deliveriesFinished: (state, count) => (counted[state] += count),
    messageReceived: (sinceEventMs) => void latenciesMs.push(sinceEventMs),
    leasesReleased: (count) => (counted.reclaimed += count),
    deliveriesCancelled: (reason, count) =>
      (counted.dropped[reason] = (counted.dropped[reason] ?? 0) + count),
    resultsSuperseded: (count) => (counted.superseded += count),
  };
  return { counted, latenciesMs, errors, metrics };
}

/** An exchange that reaches loopback alone, whatever the name. */
export function loopbackClient(extraCa: string, deadlineMs = 2_000): WebhookClient {
  const lookup = async () => [{ address: '127.0.0.1', family: 4 }];
  return new WebhookClient({ lookup, allowedNetworks: ['127.0.0.0/8'], extraCa, deadlineMs });
}

export type Reports = ReturnType<typeof recordReports>;

export function testDispatcher(
  { database: { db }, client, clock, seen: { metrics, errors } }: WebhookFixture,
  options: Partial<DispatcherOptions> = {},
): Dispatcher {
  const onError = (error: unknown): void => void errors.push(error);
  return new Dispatcher({
    db,
    client,
    keyring: TEST_KEYRING,
    now: clock.now,
    random: () => 0.5,
    metrics,
    onError,
    ...options,
  });
}

/** A partner, or a simulation organization of the one that is named. */
export async function addOrganization(
  db: Db,
  { parent_org_id }: { readonly parent_org_id?: string } = {},
): Promise<string> {
  const id = randomUUID();
  const kind = parent_org_id === undefined ? ('partner' as const) : ('simulation' as const);
  await db
    .insertInto('organizations')
    .values({ id, name: 'Partner', kind, created_at: new Date(0), ...(parent_org_id && { parent_org_id }) })
    .execute();
  return id;
}

export async function addWebhook(
  db: Db,
  orgId: string,
  url: string,
  topics: readonly Topic[] = allTopics,
): Promise<{ id: string; secret: Secret }> {
  const id = randomUUID();
  const secret = generateSigningSecret();
  const encrypted = encrypt(TEST_KEYRING, secret, webhookSecretContext(id));
  await insertWebhook(db, { org_id: orgId, id, url, topics, secret: encrypted }, START);
  return { id, secret };
}

export async function rotateTestSecret(db: Db, orgId: string, id: string): Promise<Secret> {
  const secret = generateSigningSecret();
  await rotateWebhookSecret(
    db,
    orgId,
    id,
    encrypt(TEST_KEYRING, secret, webhookSecretContext(id)),
    new Date(),
  );
  return secret;
}

/** A database for the test file, and for each test a receiver, an exchange, a clock and an organization. */
export interface WebhookFixture {
  database: TestDatabase;
  receiver: Receiver;
  client: WebhookClient;
  clock: TestClock;
  orgId: string;
  seen: Reports;
}

/** Sets it up before each test and clears it after; no test may leave an error behind. */
export function webhookFixture(deadlineMs = 2_000): WebhookFixture {
  const set = {} as WebhookFixture;
  beforeAll(async () => {
    set.database = await testDatabase();
  });
  beforeEach(async () => {
    set.receiver = await startReceiver();
    set.client = loopbackClient(set.receiver.ca, deadlineMs);
    set.clock = new TestClock(START);
    set.seen = recordReports();
    set.orgId = await addOrganization(set.database.db);
  });
  afterEach(async () => {
    expect(set.seen.errors).toEqual([]);
    await set.client.close();
    await set.receiver.close();
    await set.database.pool.query('delete from messages');
    await set.database.pool.query('delete from in_flight_slots');
  });
  afterAll(() => set.database.close());
  return set;
}

/** Writes a message as an event does; tells its id and body. */
export async function addMessage(
  db: Db,
  orgId: string,
  now: Date,
  type: Topic = 'device.information',
): Promise<{ id: string; payload: Buffer; deliveries: number }> {
  const id = randomUUID();
  const device = { device_id: randomUUID(), device_type: 'heat_pump', owner_id: randomUUID() } as const;
  const content =
    type === 'device.information'
      ? { type, data: { ...device, notice: 'device_offline' } }
      : { type, data: { ...device, action: 'reauthentication_required' } };
  const payload = encodeEnvelope(id, content, now);
  const message = { org_id: orgId, id, message_type: type, occurred_at: now, payload };
  const inserted = await db.transaction().execute((tx) => insertMessageWithDeliveries(tx, message, now));
  return { id, payload, deliveries: inserted.pending };
}

/** Makes all leases end now, by the clock of the database. */
export async function endLeases({ database }: WebhookFixture): Promise<void> {
  await database.pool.query(
    "update in_flight_slots set lease_until = date_trunc('milliseconds', now()) where message_id is not null",
  );
}

/** Makes all deliveries that wait due now, by the clock of the database. */
export async function makeAllDue({ database }: WebhookFixture): Promise<void> {
  await database.pool.query(
    "update deliveries set due_at = date_trunc('milliseconds', now()) where state = 'pending'",
  );
}

/** In how many milliseconds of the database's clock the only delivery that waits is due. */
export async function readWaitMs(fixture: WebhookFixture): Promise<number> {
  const [waitMs = NaN, ...others] = await readWaitsMs(fixture);
  if (Number.isNaN(waitMs) || others.length > 0) throw new Error('Not one delivery waits.');
  return waitMs;
}

/** In how many milliseconds of the database's clock each delivery that waits is due. */
export async function readWaitsMs({ database }: WebhookFixture): Promise<number[]> {
  const { rows } = await database.pool.query<{ ms: number }>(
    `select (extract(epoch from due_at - clock_timestamp()) * 1000)::double precision as ms
     from deliveries where state = 'pending'`,
  );
  return rows.map(({ ms }) => ms);
}

/** As the dispatcher leaves a delivery after so many attempts, the last of which decides. */
export async function finishDelivery(
  db: Db,
  key: { readonly org_id: string; readonly message_id: string; readonly webhook_id: string },
  { state, attempts }: { readonly state: 'delivered' | 'exhausted'; readonly attempts: number },
  now: Date,
): Promise<void> {
  await db
    .updateTable('deliveries')
    .set({ state, attempts, finished_at: now })
    .where('message_id', '=', key.message_id)
    .where('webhook_id', '=', key.webhook_id)
    .execute();
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const isDelivered = state === 'delivered' && attempt === attempts;
    const row = {
      ...key,
      attempt,
      started_at: now,
      duration_ms: 12,
      outcome: isDelivered ? ('delivered' as const) : ('failed' as const),
      error_class: isDelivered ? null : ('status' as const),
      status_code: isDelivered ? 204 : 500,
      detail: isDelivered ? null : 'It answered 500.',
      address: '8.8.8.8',
      secret_version: 2,
      request_id: 'call-0001',
    };
    await db.insertInto('delivery_attempts').values(row).execute();
  }
}

/** All deliveries of an organization with their attempts, oldest first. */
export async function dumpDeliveries(db: Db, orgId: string) {
  const deliveries = await db
    .selectFrom('deliveries')
    .select(['message_id', 'webhook_id', 'state', 'attempts', 'due_at', 'cancel_reason'])
    .where('org_id', '=', orgId)
    .orderBy('created_at')
    .orderBy('message_id')
    .orderBy('webhook_id')
    .execute();
  const places = await db.selectFrom('in_flight_slots').select(['message_id', 'webhook_id']).execute();
  const attempts = await db
    .selectFrom('delivery_attempts')
    .selectAll()
    .where('org_id', '=', orgId)
    .orderBy('attempt')
    .execute();
  return deliveries.map(({ webhook_id, ...delivery }) => {
    const isOf = (other: { message_id: string | null; webhook_id: string | null }): boolean =>
      other.message_id === delivery.message_id && other.webhook_id === webhook_id;
    return {
      ...delivery,
      isLeased: places.some(isOf),
      log: attempts
        .filter(isOf)
        .map(({ attempt, outcome, error_class, status_code, address, secret_version }) =>
          [attempt, outcome, error_class, status_code, address, secret_version].join(' '),
        ),
    };
  });
}

/** How often each message was received, by its id. */
export function countById(received: readonly Received[]): number[] {
  const times = new Map<string, number>();
  for (const { headers } of received) {
    const id = String(headers['webhook-id']);
    times.set(id, (times.get(id) ?? 0) + 1);
  }
  return [...times.values()];
}
