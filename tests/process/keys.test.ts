// The way of README "Change the encryption key", beside a service that goes on delivering.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Secret } from '../../src/domain/security/secret.ts';
import { isServiceSignatureValid } from '../../src/domain/notifications/signature.ts';
import { testDatabase } from '../support/database.ts';
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
import type { RunningFleet } from './partner.ts';

const fixed = fixedCredentials();
const [old, young] = [encryptionKey(), encryptionKey()];
let database: TestDatabase;
let receiver: TrustedReceiver;
let common: Record<string, string>;
let api: PartnerApi;
let fleet: RunningFleet;
let secret: Secret;
const running: ServiceProcess[] = [];

beforeAll(async () => {
  [database, receiver] = [await testDatabase(), await startTrustedReceiver()];
  common = {
    ...fixed.env,
    DATABASE_URL: database.url,
    SIMULATOR_FAULTS: 'off',
    ...receiver.env,
  };
});
afterAll(async () => {
  for (const service of running) await service.remove();
  await receiver.close();
  await database.close();
});

/** Takes the place of the process before, once it is there. */
async function replaceService(keys: Record<string, string>): Promise<void> {
  const before = running.at(-1);
  running.push(await startService({ env: { ...common, ...keys } }));
  await before?.stop();
}

async function expectSignedDelivery(): Promise<void> {
  const now = running.at(-1);
  if (now === undefined) throw new Error('No service runs.');
  const here = api.at({ baseUrl: now.baseUrl });
  await raise(here, fleet, 'device_offline');
  const { headers, body } = await receiver.next();
  await raise(here, fleet, 'reconnect');
  const header = String(headers['service-signature']);
  expect(isServiceSignatureValid(secret, header, body, new Date())).toBe(true);
}

const keysOfSecrets = async (): Promise<unknown[]> =>
  (await database.pool.query('select distinct secret_key_id from webhooks')).rows;

test('every secret comes under the new key while deliveries go on, each signed with the same secret', async () => {
  await replaceService({ ENCRYPTION_KEY: old });
  const [first] = running;
  if (first === undefined) throw new Error('No service runs.');
  api = await PartnerApi.open(first, fixed);
  fleet = await runFleet(api);
  secret = new Secret(await addWebhook(api, fleet, receiver.url()));
  await expectSignedDelivery();
  const before = await keysOfSecrets();

  await replaceService({ ENCRYPTION_KEY: old, ENCRYPTION_KEY_PREVIOUS: young });
  await expectSignedDelivery();
  const both = { ENCRYPTION_KEY: young, ENCRYPTION_KEY_PREVIOUS: old };
  await replaceService(both);
  await expectSignedDelivery();
  expect(await keysOfSecrets()).toEqual(before);

  const rotate = (keys: Record<string, string>) => partner(['keys', 'rotate'], { ...common, ...keys });
  const refused = await rotate({ ENCRYPTION_KEY: young });
  expect([refused.code, refused.log]).toEqual([
    1,
    expect.stringMatching(/^partner: 1 cannot be decrypted /m),
  ]);
  expect(await keysOfSecrets()).toEqual(before);

  const done = await rotate(both);
  expect([done.code, done.output]).toEqual([
    0,
    'Webhook secrets: 1 re-encrypted, 0 encrypted under the current key already.\nStored answers: 0 re-encrypted.\n',
  ]);
  await expectSignedDelivery();
  expect(await keysOfSecrets()).not.toEqual(before);
  expect((await rotate(both)).output).toBe(
    'Webhook secrets: 0 re-encrypted, 1 encrypted under the current key already.\nStored answers: 0 re-encrypted.\n',
  );

  await replaceService({ ENCRYPTION_KEY: young });
  await expectSignedDelivery();
  for (const { log } of [refused, done]) {
    for (const hidden of [old, young, secret.reveal()]) expect(log).not.toContain(hidden);
  }
});

test('a service without the key of what is stored says so and changes nothing; a key that is lost is given up', async () => {
  const [stored] = (
    await database.pool.query<{ secret_key_id: string }>('select secret_key_id from webhooks')
  ).rows;
  const id = stored?.secret_key_id ?? '';
  const wrong = { ...common, ENCRYPTION_KEY: encryptionKey(), PORT: '0' };
  const count = async (): Promise<unknown> =>
    (
      await database.pool.query(
        'select (select count(*) from delivery_attempts), (select count(*) from encryption_keys)',
      )
    ).rows;
  await running.at(-1)?.stop();
  const before = await count();
  const refused = await partner(['serve'], wrong);
  expect([refused.code, refused.log]).toEqual([
    1,
    expect.stringContaining(`${id}, which neither ENCRYPTION_KEY`),
  ]);
  const rotated = await partner(['keys', 'rotate'], wrong);
  expect([rotated.code, rotated.log]).toEqual([1, expect.stringContaining(id)]);
  expect(await count()).toEqual(before);

  const unknown = await partner(['keys', 'lost', 'ffff'], wrong);
  expect([unknown.code, unknown.log]).toEqual([1, expect.stringContaining('knows no key ffff')]);
  const known = await database.pool.query<{ id: string }>('select id from encryption_keys');
  const given = await partner(['keys', 'lost', ...known.rows.map((each) => each.id)], wrong);
  expect([given.code, given.output]).toEqual([0, expect.stringMatching(/rotate the secret: 1\.\n$/)]);
  running.push(await startService({ env: wrong }));
});
