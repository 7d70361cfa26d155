import { afterAll, beforeAll, expect, test } from 'vitest';
import { testDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { startService } from '../support/service.ts';
import type { ServiceProcess } from '../support/service.ts';
import { encryptionKey, fixedCredentials, partner, PartnerApi, requestToken, until } from './partner.ts';

const fixed = fixedCredentials();
let database: TestDatabase;
let env: Record<string, string>;
let service: ServiceProcess;
beforeAll(async () => {
  database = await testDatabase();
  env = { ...fixed.env, DATABASE_URL: database.url, ENCRYPTION_KEY: encryptionKey() };
  service = await startService({ env });
});
afterAll(async () => {
  await service.remove();
  await database.close();
});

const statusOf = async (api: PartnerApi): Promise<number> => (await api.call('GET', '/users')).status;

test('org suspend stops a partner in a running service, org resume lets it go on', async () => {
  const api = await PartnerApi.open(service, fixed);
  expect(await statusOf(api)).toBe(200);
  const suspended = await partner(['org', 'suspend', fixed.orgId, '--json'], env);
  expect([suspended.code, JSON.parse(suspended.output)]).toEqual([
    0,
    { org_id: fixed.orgId, state: 'suspended' },
  ]);
  await until(
    () => statusOf(api),
    (status) => status === 403,
  );
  expect(await api.call('GET', '/users')).toMatchObject({ body: { code: 'organization_suspended' } });
  expect(await requestToken(service.baseUrl, fixed)).toMatchObject({
    status: 400,
    body: { error: 'unauthorized_client' },
  });
  const resumed = await partner(['org', 'resume', fixed.orgId], env);
  expect([resumed.code, resumed.output]).toEqual([0, expect.stringContaining('active')]);
  await until(
    () => statusOf(api),
    (status) => status === 200,
  );

  const unknown = await partner(['org', 'suspend', '6f1f2a0e-0000-4000-8000-000000000000'], env);
  expect([unknown.code, unknown.log]).toEqual([1, expect.stringContaining('No partner has the id')]);
});

test('application secret replaces the secret and prints the new one once; tokens stay', async () => {
  const api = await PartnerApi.open(service, fixed);
  const replaced = await partner(['application', 'secret', fixed.clientId, '--json'], env);
  const made = JSON.parse(replaced.output) as Record<string, string>;
  expect(made).toEqual({
    org_id: fixed.orgId,
    client_id: fixed.clientId,
    client_secret: expect.stringMatching(/^[A-Za-z0-9]{128}$/),
  });
  const clientSecret = made['client_secret'] ?? '';
  expect((await requestToken(service.baseUrl, fixed)).status).toBe(401);
  expect((await requestToken(service.baseUrl, { ...fixed, clientSecret })).status).toBe(200);
  expect(await statusOf(api)).toBe(200);
  expect(`${replaced.log}${service.log()}`).not.toContain(clientSecret);

  const unknown = await partner(['application', 'secret', 'nobody'], env);
  expect([unknown.code, unknown.output, unknown.log]).toEqual([
    1,
    '',
    expect.stringContaining('No application has the client id nobody.'),
  ]);
});
