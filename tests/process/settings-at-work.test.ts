import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { emptyDatabase, testDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { startService } from '../support/service.ts';
import type { ServiceProcess } from '../support/service.ts';
import { encryptionKey, fixedCredentials, partner, PartnerApi } from './partner.ts';

const fixed = fixedCredentials();
let database: TestDatabase;
let env: Record<string, string>;
let service: ServiceProcess;

beforeAll(async () => {
  database = await testDatabase();
  env = { ...fixed.env, DATABASE_URL: database.url, ENCRYPTION_KEY: encryptionKey() };
});
afterAll(() => database.close());

/** One start for the tests of a group, whose settings do not touch each other. */
function startWith(settings: Readonly<Record<string, string>>): void {
  beforeAll(async () => {
    service = await startService({ env: { ...env, ...settings } });
  });
  afterAll(() => service.remove());
}

async function users(api: PartnerApi, times: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let i = 0; i < times; i += 1) statuses.push((await api.call('GET', '/users')).status);
  return statuses;
}

/** The statuses of requests without a token that name these addresses as theirs, one after the other. */
async function statusesOf(addresses: readonly string[]): Promise<number[]> {
  const found: number[] = [];
  for (const address of addresses) {
    const headers = { 'x-forwarded-for': address };
    found.push((await fetch(`${service.baseUrl}/nothing`, { headers })).status);
  }
  return found;
}

describe('with quotas of requests', () => {
  startWith({ RATE_LIMITS: 'default=3/600' });

  test('RATE_LIMITS sets a quota, which every answer tells', async () => {
    const api = await PartnerApi.open(service, fixed);
    const first = await api.call('GET', '/users');
    expect(first.headers.get('ratelimit-policy')).toContain('"default";q=3;w=600');
    expect(first.headers.get('ratelimit')).toMatch(/"default";r=2;t=\d+/);
    expect(await users(api, 3)).toEqual([200, 200, 429]);
    const refused = await api.call<{ code: string }>('GET', '/users');
    expect(refused.body.code).toBe('quota_exceeded');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('addresses in X-Forwarded-For whom anybody may have named do not count', async () => {
    const addresses = ['203.0.113.1', '203.0.113.2', '203.0.113.3', '203.0.113.4'];
    expect(await statusesOf(addresses)).toEqual([404, 404, 404, 429]);
  });

  test('a port that is taken makes serve end with the reason', async () => {
    const port = new URL(service.baseUrl).port;
    const { code, log } = await partner(['serve'], { ...env, PORT: port });
    expect([code, log]).toEqual([1, expect.stringMatching(/EADDRINUSE.* choose another PORT\./)]);
    const metrics = await partner(['serve'], { ...env, PORT: '0', METRICS_PORT: port });
    expect([metrics.code, metrics.log]).toEqual([1, expect.stringContaining('another METRICS_PORT.')]);
  });
});

describe('with a trusted proxy and a port of their own for metrics', () => {
  startWith({ METRICS_PORT: '0', TRUSTED_PROXIES: '10.0.0.0/8, 127.0.0.0/8', RATE_LIMITS: 'default=1/600' });

  test('METRICS_PORT takes the metrics away from the main port', async () => {
    const [, url = ''] = /"url":"(http:[^"]*)\/metrics"/.exec(service.log()) ?? [];
    const status = async (address: string): Promise<number> => (await fetch(address)).status;
    expect(await status(`${service.baseUrl}/metrics`)).toBe(404);
    expect(await status(`${service.baseUrl}/readyz`)).toBe(429);
    for (const path of ['/metrics', '/metrics', '/readyz', '/livez'])
      expect(await status(`${url}${path}`)).toBe(200);
    expect(await status(`${url}/docs`)).toBe(404);
  });

  test('addresses in X-Forwarded-For whose proxy is trusted count', async () => {
    const addresses = ['203.0.113.1', '203.0.113.2', '203.0.113.1'];
    expect(await statusesOf(addresses)).toEqual([404, 404, 429]);
  });

  test('an address in X-Forwarded-For is one caller, however proxies write it', async () => {
    const further = [
      '203.0.113.5:4711',
      '::ffff:203.0.113.5',
      '198.51.100.7,\t203.0.113.5',
      '203.0.113.5, ,',
    ];
    expect(await statusesOf(['203.0.113.5', ...further])).toEqual([404, 429, 429, 429, 429]);
    const ofNetwork = [
      '[2001:db8:5::1]:4711',
      '2001:0DB8:5:0::2',
      '198.51.100.7,2001:db8:5::1 , 10.0.0.1:80',
    ];
    expect(await statusesOf(['2001:db8:5::1', ...ofNetwork])).toEqual([404, 429, 429, 429]);
  });
});

describe('with quotas of objects and none of requests', () => {
  startWith({ RATE_LIMITS: 'off', QUOTAS: 'webhooks=1' });

  test('RATE_LIMITS=off counts nothing', async () => {
    const api = await PartnerApi.open(service, fixed);
    const first = await api.call('GET', '/users');
    expect([first.headers.get('ratelimit-policy'), first.headers.get('ratelimit')]).toEqual([null, null]);
    expect(await users(api, 5)).toEqual([200, 200, 200, 200, 200]);
  });

  test('QUOTAS bounds partners, and org quota one of them, at once and also while it is off', async () => {
    let api = await PartnerApi.open(service, fixed);
    const create = async (): Promise<number> =>
      (await api.call('POST', '/notifications/webhooks', { url: 'https://partner.example.com/' })).status;
    expect([await create(), await create()]).toEqual([201, 422]);
    const quota = async (...more: string[]) => {
      const { code, output, log } = await partner(['org', 'quota', fixed.orgId, ...more], env);
      expect([code, log]).toEqual([0, expect.anything()]);
      return output;
    };
    const shown = JSON.parse(await quota('webhooks=2', 'users=5', '--json')) as Record<string, unknown>;
    expect(shown).toMatchObject({
      webhooks: { quota: 2, own: true, used: 1 },
      users: { quota: 5, own: true, used: 1 },
      applications: { quota: 100, own: false, used: 1 },
      event_streams: { quota: 50, own: false, used: null },
    });
    expect([await create(), await create()]).toEqual([201, 422]);
    await service.remove();
    service = await startService({ env: { ...env, QUOTAS: 'off' } });
    api = await PartnerApi.open(service, fixed);
    expect(await create()).toBe(422);
    const text = await quota('webhooks=default');
    expect(text).toMatch(/^webhooks +2 of 100$/m);
    expect(text).toMatch(/^users +1 of 5 \(set for this partner\)$/m);
    expect(text).toMatch(/^event_streams +50$/m);
    expect(await create()).toBe(201);
    const unknown = await partner(['org', 'quota', '00000000-0000-4000-8000-000000000000'], env);
    expect([unknown.code, unknown.output, unknown.log]).toEqual([
      1,
      '',
      expect.stringContaining('There is no partner'),
    ]);
  });
});

test('migrate makes the tables of an empty database, on which serve then starts', async () => {
  const empty = await emptyDatabase();
  const settings = { ...env, DATABASE_URL: empty.url };
  const { code, output, log } = await partner(['migrate'], settings);
  expect([code, output]).toEqual([0, 'The tables are up to date.\n']);
  const { rows } = await empty.pool.query<{ name: string }>(
    'select name from schema_migrations order by name',
  );
  expect(rows.length).toBeGreaterThan(5);
  for (const { name } of rows) expect(log).toContain(name);
  const started = await startService({ env: settings });
  expect((await fetch(`${started.baseUrl}/readyz`)).status).toBe(200);
  await started.remove();
  await empty.close();
});

test('PORT, HOST and BASE_URL decide where it listens and what it calls itself', async () => {
  // A port that is free: the system has just given it away and got it back.
  const before = createServer().listen(0, '127.0.0.2');
  await once(before, 'listening');
  const { port } = before.address() as AddressInfo;
  await new Promise((resolve) => before.close(resolve));
  const service = await startService({
    env: { ...env, PORT: String(port), HOST: '127.0.0.2', BASE_URL: 'https://api.example.com/' },
  });
  expect(service.baseUrl).toBe('https://api.example.com');
  expect(service.output()).toContain('Reference: https://api.example.com/docs\n');
  expect((await fetch(`http://127.0.0.2:${port}/livez`)).status).toBe(200);
  await expect(fetch(`http://127.0.0.1:${port}/livez`)).rejects.toThrow('fetch failed');
  await service.remove();
});

test('a database that does not answer makes serve end with the reason, without the password', async () => {
  const { code, log } = await partner(['serve'], {
    ...env,
    DATABASE_URL: 'postgresql://partner:hunter22@127.0.0.1:1/partner',
    PORT: '0',
  });
  expect([code, log]).toEqual([1, expect.stringContaining('ECONNREFUSED')]);
  expect(log).not.toContain('hunter22');
});

test('COMPUTE_SECONDS ends what a thread takes longer for', async () => {
  const stuck = new URL('stuck-threads.ts', import.meta.url).href;
  const service = await startService({
    env: { ...env, COMPUTE_SECONDS: '1', NODE_OPTIONS: `--import=${stuck}` },
  });
  try {
    const api = await PartnerApi.open(service, fixed);
    const preview = { request_id: '6d7a2c1e-51a0-4d7e-9a0c-0f6a3f1b2c3d', count: 1 };
    expect(await api.call('POST', '/device-simulator/fleets/preview', preview)).toMatchObject({
      status: 503,
      body: { code: 'overloaded', detail: expect.stringContaining('took more than 1 s') },
    });
  } finally {
    await service.remove();
  }
});
