import { afterEach, expect, test } from 'vitest';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { emptyDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { startService } from '../support/service.ts';
import type { ServiceProcess } from '../support/service.ts';
import {
  encryptionKey,
  fixedCredentials,
  partner,
  PartnerApi,
  printedCredentials,
  requestToken,
  run,
} from './partner.ts';

const running: ServiceProcess[] = [];
const folders: string[] = [];
const databases: TestDatabase[] = [];

async function start(...options: Parameters<typeof startService>): Promise<ServiceProcess> {
  const service = await startService(...options);
  running.push(service);
  return service;
}

afterEach(async () => {
  for (const service of running.splice(0)) await service.remove();
  for (const database of databases.splice(0)) await database.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

test('the first start prints credentials once, and its curl gets a token that works', async () => {
  const first = await start();
  const printed = printedCredentials(first.output());
  expect(printed).toEqual({
    orgId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    clientId: expect.stringMatching(/^[A-Za-z0-9]{40}$/),
    clientSecret: expect.stringMatching(/^[A-Za-z0-9]{128}$/),
    login: 'admin@example.com',
    password: expect.stringMatching(/^\S{12,}$/),
    curl: expect.stringContaining(first.baseUrl),
  });
  if (printed === undefined) return;
  expect(first.output().trimEnd().split('\n').at(-1)).toMatch(/listening on http:\/\/localhost:\d+$/);
  expect(statSync(join(first.dataDir, 'encryption-key')).mode & 0o777).toBe(0o600);

  const answered = await run('sh', ['-c', printed.curl]);
  expect([answered.code, answered.log]).toEqual([0, '']);
  expect(JSON.parse(answered.output)).toEqual({
    access_token: expect.any(String),
    expires_in: 36_000,
    token_type: 'Bearer',
    scope: 'read write',
  });

  expect(await first.stop()).toEqual({ code: 0, signal: null });
  const second = await start({ dataDir: first.dataDir });
  expect(printedCredentials(second.output())).toBeUndefined();
  expect(second.output()).not.toContain(printed.clientSecret);
  expect((await fetch(`${second.baseUrl}/readyz`)).status).toBe(200);
  const { access_token: token } = JSON.parse(answered.output) as { access_token: string };
  const users = await fetch(`${second.baseUrl}/api/partners/v2.0/org/${printed.orgId}/users`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect([users.status, await users.json()]).toEqual([
    200,
    [expect.objectContaining({ email: 'admin@example.com', role: 'admin' })],
  ]);
});

test('an organization made before the first start is there when the service runs', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'partner-process-'));
  folders.push(dataDir);
  const create = ['org', 'create', '--name', 'Early Ltd', '--admin-email', 'early@example.com'];
  const made = await partner([...create, '--json'], { DATA_DIR: dataDir });
  expect(made.code).toBe(0);
  const early = JSON.parse(made.output) as Record<string, string>;
  expect(early).toEqual({
    org_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    admin_user_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    username: 'early@example.com',
    password: expect.any(String),
    client_id: expect.any(String),
    client_secret: expect.any(String),
  });

  const service = await start({ dataDir });
  // The database is no longer empty, so that nothing else is made.
  expect(printedCredentials(service.output())).toBeUndefined();
  const client = {
    orgId: early['org_id'] ?? '',
    clientId: early['client_id'] ?? '',
    clientSecret: early['client_secret'] ?? '',
  };
  const api = await PartnerApi.open(service, client);
  expect((await api.call('GET', '/users')).status).toBe(200);
});

test('the BOOTSTRAP settings fix what the first start makes, and change nothing later', async () => {
  const fixed = fixedCredentials();
  const database = await emptyDatabase();
  databases.push(database);
  const args = ['--print-credentials'];
  const shared = { DATABASE_URL: database.url, ENCRYPTION_KEY: encryptionKey() };
  const first = await start({ args, env: { ...shared, ...fixed.env } });
  expect(printedCredentials(first.output())).toMatchObject({
    orgId: fixed.orgId,
    clientId: fixed.clientId,
    clientSecret: fixed.clientSecret,
    login: fixed.email,
    password: fixed.password,
  });
  await PartnerApi.open(first, fixed);
  await first.stop();

  const other = fixedCredentials();
  const second = await start({ args, env: { ...shared, ...other.env } });
  expect(printedCredentials(second.output())).toBeUndefined();
  expect((await requestToken(second.baseUrl, other)).status).toBe(401);
  expect((await requestToken(second.baseUrl, fixed)).status).toBe(200);
});

test('with a database server of its own the credentials go to a file that only its owner reads', async () => {
  const database = await emptyDatabase();
  try {
    const env = { DATABASE_URL: database.url, ENCRYPTION_KEY: encryptionKey() };
    const occupied = join(mkdtempSync(join(tmpdir(), 'partner-process-')), 'file');
    folders.push(join(occupied, '..'));
    writeFileSync(occupied, '');
    const refused = await partner(['serve'], { ...env, PORT: '0', DATA_DIR: occupied });
    expect([refused.code, refused.output]).toEqual([1, '']);
    expect(refused.log).toContain('start once with --print-credentials');

    const service = await start({ env });
    expect(service.output()).toContain(`are in ${join(service.dataDir, 'first-credentials')}. Keep them`);
    expect(printedCredentials(service.output())).toBeUndefined();
    expect(readdirSync(service.dataDir)).toEqual(['first-credentials']);
    const path = join(service.dataDir, 'first-credentials');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const written = printedCredentials(readFileSync(path, 'utf8'));
    if (written === undefined) throw new Error('The file has no credentials.');
    expect((await requestToken(service.baseUrl, written)).status).toBe(200);
    await service.remove();
  } finally {
    await database.close();
  }
});
