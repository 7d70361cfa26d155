import { afterAll, beforeAll, expect, test } from 'vitest';
import { emptyDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { startTrustedReceiver } from '../support/receiver.ts';
import type { TrustedReceiver } from '../support/receiver.ts';
import { startService } from '../support/service.ts';
import type { ServiceProcess } from '../support/service.ts';
import {
  addWebhook,
  encryptionKey,
  fixedCredentials,
  partner,
  PartnerApi,
  raise,
  runFleet,
} from './partner.ts';

const fixed = fixedCredentials();
let database: TestDatabase;
let receiver: TrustedReceiver;
let api: ServiceProcess;
let worker: ServiceProcess;
let env: Record<string, string>;

beforeAll(async () => {
  database = await emptyDatabase();
  receiver = await startTrustedReceiver();
  env = {
    ...fixed.env,
    DATABASE_URL: database.url,
    ENCRYPTION_KEY: encryptionKey(),
    ...receiver.env,
    SIMULATOR_FAULTS: 'off',
  };
  // Both find no tables, and start at once.
  [api, worker] = await Promise.all([
    startService({ env, args: ['--role', 'api'] }),
    startService({ env, args: ['--role', 'worker'] }),
  ]);
});

afterAll(async () => {
  await api.remove();
  await worker.remove();
  await receiver.close();
  await database.close();
});

test('of two processes that start on an empty database one migrates and one makes the first organization', () => {
  const first = [api, worker].filter(({ output }) => output().includes('First start:'));
  expect(first).toHaveLength(1);
  const migrated = [api, worker].filter(({ log }) => log().includes('Migrated the database.'));
  expect(migrated).toHaveLength(1);
});

test('a worker says whether it is ready and serves nothing else', async () => {
  const status = async (path: string): Promise<number> => (await fetch(worker.baseUrl + path)).status;
  expect(await Promise.all(['/livez', '/readyz', '/metrics'].map(status))).toEqual([200, 200, 200]);
  expect(await status('/api/partners/v2.0/openapi.json')).toBe(404);
  expect(worker.output()).not.toContain('Portal:');
});

test('a fleet asked for at one process is provisioned, and its messages delivered, by the other', async () => {
  const client = await PartnerApi.open(api, fixed);
  const fleet = await runFleet(client);
  await addWebhook(client, fleet, receiver.url());
  await raise(client, fleet, 'device_offline');
  const { body } = await receiver.next();
  expect(JSON.parse(body.toString())).toMatchObject({
    message_type: 'device.information',
    data: { device_id: fleet.deviceId, notice: 'device_offline' },
  });

  // Without a worker nothing is delivered; the next one takes it over.
  expect(await worker.stop()).toEqual({ code: 0, signal: null });
  await raise(client, fleet, 'reauthenticate');
  expect(receiver.received).toHaveLength(1);
  worker = await startService({ env, args: ['--role', 'worker'] });
  expect(JSON.parse((await receiver.next()).body.toString())).toMatchObject({
    message_type: 'device.action_required',
    data: { device_id: fleet.deviceId, action: 'reauthentication_required' },
  });
});

test('commands work on the given database', async () => {
  const made = await partner(
    ['org', 'create', '--name', 'Second Ltd', '--admin-email', 'second@example.com', '--json'],
    env,
  );
  expect([made.code, made.log]).toEqual([0, '']);
  const { client_id: clientId, client_secret: clientSecret } = JSON.parse(made.output) as {
    client_id: string;
    client_secret: string;
  };
  await PartnerApi.open(api, { orgId: '', clientId, clientSecret });
});
