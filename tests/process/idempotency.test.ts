import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { Gate } from '../support/gate.ts';
import { startService } from '../support/service.ts';
import type { ServiceProcess } from '../support/service.ts';
import { encryptionKey, fixedCredentials, PartnerApi, until } from './partner.ts';

// A request that waits for this test between its effect and its stored answer.

const GATE = 4712;
const fixed = fixedCredentials();
let database: TestDatabase;
let gate: Gate;
let services: ServiceProcess[] = [];
let apis: PartnerApi[] = [];

beforeAll(async () => {
  database = await testDatabase();
  const env = { ...fixed.env, DATABASE_URL: database.url, ENCRYPTION_KEY: encryptionKey() };
  const start = (): Promise<ServiceProcess> => startService({ env, args: ['--role', 'api'] });
  services = [await start(), await start()];
  const api = await PartnerApi.open(services[0] ?? { baseUrl: '' }, fixed);
  apis = services.map(({ baseUrl }) => api.at({ baseUrl }));
  gate = await Gate.make(database, GATE);
  await database.pool.query(`create function gate() returns trigger language plpgsql as
    'begin perform pg_advisory_xact_lock(${GATE}); return new; end'`);
  await database.pool.query(
    `create trigger gate before insert on idempotency_keys for each row execute function gate()`,
  );
});
afterAll(async () => {
  await gate.end();
  for (const service of services) await service.remove();
  await database.close();
});

/** Somebody waits at the gate: its notice is written, its answer is not. */
async function someoneWaits(): Promise<void> {
  await until(
    () => gate.countWaiting(),
    (count) => count === 1,
  );
}

/** A notice by hand, which nothing else keeps from being there twice. */
async function send(
  api: PartnerApi | undefined,
  key: string,
  message: string,
  signal: AbortSignal | null = null,
) {
  if (api === undefined) throw new Error('The service is missing.');
  const url = `${api.baseUrl}/api/partners/v2.0/org/${api.orgId}/notifications/information`;
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${api.token}`,
      'content-type': 'application/json',
      'idempotency-key': key,
    },
    body: JSON.stringify({ message }),
    signal,
  });
  const { id } = (await response.json()) as { id?: string };
  return { status: response.status, isReplayed: response.headers.has('idempotent-replayed'), id };
}

async function listNotices(message: string): Promise<string[]> {
  const rows = await database.db
    .selectFrom('notification_items')
    .select('id')
    .where('message', '=', message)
    .execute();
  return rows.map(({ id }) => id);
}

test('kill -9 between effect and stored answer leaves neither, and a repeat does it once', async () => {
  const [key, message] = [randomUUID(), 'Killed'];
  await gate.close();
  const killed = expect(send(apis[0], key, message)).rejects.toThrow(/fetch failed|terminated/);
  await someoneWaits();
  expect(await send(apis[1], key, message)).toMatchObject({ status: 409 });
  await services[0]?.stop('SIGKILL');
  await killed;
  await gate.open();
  const repeat = await until(
    () => send(apis[1], key, message),
    ({ status }) => status !== 409,
  );
  expect(repeat).toMatchObject({ status: 201, isReplayed: false });
  expect(await send(apis[1], key, message)).toEqual({ ...repeat, isReplayed: true });
  expect(await listNotices(message)).toEqual([repeat.id]);
});

test('a repeat gets the answer that a broken connection has lost', async () => {
  const [key, message] = [randomUUID(), 'Lost'];
  const connection = new AbortController();
  await gate.close();
  const lost = expect(send(apis[1], key, message, connection.signal)).rejects.toThrow(/abort/);
  await someoneWaits();
  connection.abort();
  await lost;
  await gate.open();
  const repeat = await until(
    () => send(apis[1], key, message),
    ({ status }) => status !== 409,
  );
  expect(repeat).toMatchObject({ status: 201, isReplayed: true });
  expect(await listNotices(message)).toEqual([repeat.id]);
});
