// One service runs on the data; what do others do that come to the same DATA_DIR?
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Visitor } from '../portal/visitor.ts';
import { startService } from '../support/service.ts';
import type { ServiceProcess } from '../support/service.ts';
import { fixedCredentials, partner, PartnerApi } from './partner.ts';

const fixed = fixedCredentials();
let service: ServiceProcess;
let env: Record<string, string>;

beforeAll(async () => {
  service = await startService({ env: { ...fixed.env } });
  env = { DATA_DIR: service.dataDir, PORT: '0' };
});
afterAll(() => service.remove());

test('a second serve is refused with the reason, and the first goes on', async () => {
  const refused = await partner(['serve'], env);
  expect(refused.code).toBe(1);
  expect(refused.log).toBe(
    `partner: DATA_DIR ${service.dataDir} is in use by process ${service.pid} (serve): stop it, or choose another DATA_DIR.\n`,
  );
  expect(refused.output).toBe('');
  expect((await fetch(`${service.baseUrl}/readyz`)).status).toBe(200);
});

test('org create joins the running service, whose API knows the new organization at once', async () => {
  const made = await partner(
    ['org', 'create', '--name', 'Second Ltd', '--admin-email', 'second@example.com', '--json'],
    env,
  );
  expect([made.code, made.log]).toEqual([0, '']);
  const second = JSON.parse(made.output) as Record<'org_id' | 'client_id' | 'client_secret', string>;
  const api = await PartnerApi.open(service, {
    orgId: second.org_id,
    clientId: second.client_id,
    clientSecret: second.client_secret,
  });
  expect((await api.call('GET', '/users')).body).toEqual([
    expect.objectContaining({ email: 'second@example.com', role: 'admin', org_id: second.org_id }),
  ]);
  expect((await api.at({ orgId: fixed.orgId }).call('GET', '/users')).status).toBe(403);
});

test('org create prints for people unless told otherwise', async () => {
  const made = await partner(
    ['org', 'create', '--name', 'Third Ltd', '--admin-email', 'third@example.com'],
    env,
  );
  expect(made.code).toBe(0);
  expect(made.output).toMatch(/^org_id +[0-9a-f-]{36}\n[^]*^client_secret +\w{128}\nShown only now/m);
});

test('user password issues an initial password, which must be changed at the first login', async () => {
  const api = await PartnerApi.open(service, fixed);
  await api.call('POST', '/users', { email: 'erin@example.com', role: 'staff' });
  const issued = await partner(['user', 'password', '--org', fixed.orgId, 'erin@example.com', '--json'], env);
  expect([issued.code, issued.log]).toEqual([0, '']);
  const { username, password } = JSON.parse(issued.output) as { username: string; password: string };
  const login = await new Visitor(service.baseUrl).login(username, password);
  expect([login.status, login.headers['location']]).toEqual([303, '/accounts/password_change/']);
});

test('user password says when there is no such user', async () => {
  const refused = await partner(['user', 'password', '--org', fixed.orgId, 'nobody@example.com'], env);
  expect(refused).toEqual({
    code: 1,
    output: '',
    log: expect.stringContaining(
      `Organization ${fixed.orgId} has no user with the email nobody@example.com.`,
    ),
  });
});

test('migrate finds nothing to do', async () => {
  expect(await partner(['migrate'], env)).toEqual({
    code: 0,
    output: 'The tables are up to date.\n',
    log: '',
  });
});

test('livez, readyz and metrics answer without a token', async () => {
  const live = await fetch(`${service.baseUrl}/livez`);
  expect([live.status, await live.json()]).toEqual([200, { status: 'live' }]);
  const ready = await fetch(`${service.baseUrl}/readyz`);
  expect([ready.status, await ready.json()]).toEqual([200, { status: 'ready' }]);
  const metrics = await fetch(`${service.baseUrl}/metrics`);
  expect(metrics.headers.get('content-type')).toMatch(/^text\/plain/);
  const text = await metrics.text();
  for (const name of [
    'process_cpu_seconds_total',
    'http_request_duration_seconds_count',
    'webhook_attempt_duration_seconds',
    'webhook_deliveries_finished_total',
    'nodejs_eventloop_lag_max_seconds',
    'compute_jobs_running 0',
    'compute_requests_waiting 0',
  ]) {
    expect(text).toContain(name);
  }
  expect(text).toMatch(/http_request_duration_seconds_count\{method="GET",route="\/livez",status="200"\} \d/);
});
