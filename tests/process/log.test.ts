import { afterAll, beforeAll, expect, test } from 'vitest';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { OPEN_BODY_LIMITS } from '../../src/http/open-bodies.ts';
import { Visitor } from '../portal/visitor.ts';
import { testDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { EventListener } from '../support/event-stream.ts';
import { startTrustedReceiver } from '../support/receiver.ts';
import type { TrustedReceiver } from '../support/receiver.ts';
import {
  INHERITED_ENV,
  PARTNER_COMMAND,
  startService,
  startServiceOnSharedServer,
} from '../support/service.ts';
import type { ServiceProcess } from '../support/service.ts';
import {
  addWebhook,
  encryptionKey,
  fixedCredentials,
  partner,
  PartnerApi,
  raise,
  runFleet,
  until,
} from './partner.ts';

const fixed = fixedCredentials();
const ownPassword = 'a password of my own choosing';
let database: TestDatabase;
let receiver: TrustedReceiver;
let service: ServiceProcess;
let key: string;

beforeAll(async () => {
  [database, receiver, key] = [await testDatabase(), await startTrustedReceiver(), encryptionKey()];
  service = await startService({
    args: ['--print-credentials'],
    env: {
      ...fixed.env,
      DATABASE_URL: database.url,
      ENCRYPTION_KEY: key,
      LOG_LEVEL: 'debug',
      ...receiver.env,
    },
  });
});
afterAll(async () => {
  await service.remove();
  await receiver.close();
  await database.close();
});

type Line = Readonly<Record<string, unknown>>;

/** What the service tells of webhooks, their deliveries and its own work, by place. */
async function readEverything(
  api: PartnerApi,
  body: Buffer,
  announce: () => Promise<void>,
): Promise<Record<string, string>> {
  const { message_id: id } = JSON.parse(body.toString()) as { message_id: string };
  const webhooks = await api.call<{ items: { id: string }[] }>('GET', '/notifications/webhooks');
  const webhook = `/notifications/webhooks/${webhooks.body.items[0]?.id ?? ''}`;
  const delivery = `${webhook}/deliveries/${id}`;
  await until(
    () => api.call<{ attempts: number }>('GET', delivery),
    (answer) => answer.body.attempts > 0,
  );
  const authorization = `Bearer ${api.token}`;
  const events = `${api.baseUrl}/api/partners/v2.0/org/${api.orgId}/notifications/events`;
  const stream = await EventListener.open(events, { authorization });
  const listening = spawn(PARTNER_COMMAND, ['listen', '--forward-to', 'http://127.0.0.1:1/', '--after', id], {
    env: {
      ...INHERITED_ENV,
      BASE_URL: api.baseUrl,
      ORG_ID: api.orgId,
      CLIENT_ID: fixed.clientId,
      CLIENT_SECRET: fixed.clientSecret,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let heard = '';
  for (const output of [listening.stdout, listening.stderr])
    output.setEncoding('utf8').on('data', (text: string) => (heard += text));
  await until(
    () => heard,
    (text) => text.includes('Connected'),
  );
  await api.call('POST', '/notifications/information', { message: 'A notice by hand.' });
  await announce();
  await stream.next();
  await until(
    () => heard,
    (text) => text.includes('ECONNREFUSED'),
  );
  await api.call('PATCH', webhook, { enabled: false });
  const places = {
    webhooks: '/notifications/webhooks',
    webhook,
    deliveries: `${webhook}/deliveries`,
    delivery,
    'a list refused': `${webhook}/deliveries?after=x`,
    'a stream refused': '/notifications/events?x=1',
  };
  const told: Record<string, string> = {};
  for (const [place, path] of Object.entries(places))
    told[place] = JSON.stringify((await api.call('GET', path)).body);
  told['a redelivery refused'] = JSON.stringify((await api.call('POST', `${delivery}/redeliver`)).body);
  told['metrics'] = await (await fetch(`${api.baseUrl}/metrics`)).text();
  await api.call('PATCH', webhook, { enabled: true });
  stream.close();
  listening.kill();
  await once(listening, 'exit');
  const keys = ['keys', 'rotate'];
  const rotated = await partner(keys, { DATABASE_URL: database.url, ENCRYPTION_KEY: key });
  return { ...told, stream: stream.text, listen: heard, 'keys rotate': rotated.output + rotated.log };
}

/** Opens one body more than an address may have: one is ended, and the answers of its handler come too late. */
async function openTooManyBodies(path: string, headers: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(service.baseUrl);
  const head = [`POST ${path} HTTP/1.1`, `Host: ${hostname}`, ...headers, 'Content-Length: 100', '', ''];
  const sockets = Array.from({ length: OPEN_BODY_LIMITS.maxOfAddress + 1 }, () => {
    const socket = connect(Number(port), hostname);
    socket.write(head.join('\r\n'));
    return socket;
  });
  const ended = await Promise.race(sockets.map((socket) => text(socket)));
  for (const socket of sockets) socket.destroy();
  return ended;
}

test('the log is JSON lines with the request id, and holds none of the secrets that went through', async () => {
  const api = await PartnerApi.open(service, fixed);
  const fleet = await runFleet(api);
  const webhookSecret = await addWebhook(api, fleet, receiver.url());
  // The first attempt fails, which a log may want to tell.
  receiver.answerNext({ status: 500, body: webhookSecret });
  await raise(api, fleet, 'reauthenticate');
  const delivered = await receiver.next();

  const simulated = api.at({ orgId: fleet.simulationOrgId });
  const shown = await readEverything(simulated, delivered.body, () => raise(api, fleet, 'device_offline'));
  const actions = await simulated.call<{ items: { code: string; resolution: { url: string } }[] }>(
    'GET',
    '/notifications/actions',
  );
  const action = actions.body.items.find(({ code }) => code === 'reauthenticate');
  const link = new URL(action?.resolution.url ?? '', service.baseUrl);
  const linkSecret = link.searchParams.get('secret') ?? '';
  const resolved = await fetch(link, {
    method: 'POST',
    headers: { authorization: `Bearer ${api.token}`, 'content-type': 'application/json' },
    body: '{"success_url": "https://example.com/yes", "cancel_url": "https://example.com/no"}',
  });
  expect(resolved.status).toBe(200);
  const consent = new URL(((await resolved.json()) as { redirect_url: string }).redirect_url);
  expect((await fetch(consent)).status).toBe(200);

  const json = 'Content-Type: application/json';
  const usersPath = `/api/partners/v2.0/org/${fixed.orgId}/users`;
  expect(await openTooManyBodies('/oauth2/token/', [json])).toMatch(/^HTTP\/1\.1 408 /);
  const bearer = `Authorization: Bearer ${api.token}`;
  expect(await openTooManyBodies(usersPath, [json, bearer])).toMatch(/^HTTP\/1\.1 408 /);

  const browser = new Visitor(service.baseUrl);
  await browser.login(fixed.email, 'a wrong password of mine');
  await browser.login(fixed.email, fixed.password);
  await browser.submit('/accounts/password_change/', {
    old_password: fixed.password,
    new_password1: ownPassword,
    new_password2: ownPassword,
  });
  const users = `${service.baseUrl}${usersPath}`;
  const forged = await fetch(users, { headers: { authorization: 'Bearer pat_forged-token-0123456789' } });
  expect(forged.status).toBe(401);
  const traced = await fetch(`${users}?token=${api.token}`, {
    headers: { authorization: `Bearer ${api.token}`, 'x-request-id': 'trace-me-0001' },
  });
  const problem = (await traced.json()) as { request_id: string };
  expect([traced.status, problem.request_id, traced.headers.get('x-request-id')]).toEqual([
    422,
    'trace-me-0001',
    'trace-me-0001',
  ]);
  await service.stop();

  const log = service.log();
  const lines = log
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  for (const line of lines) {
    expect(line).toMatchObject({
      level: expect.stringMatching(/^(error|warn|info|debug)$/),
      message: expect.any(String),
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    });
  }
  expect(lines.filter((line) => line['request_id'] === 'trace-me-0001')).toEqual([
    expect.objectContaining({
      message: 'request',
      method: 'GET',
      path: usersPath,
      status: 422,
      duration_ms: expect.any(Number),
    }),
  ]);
  expect(lines.filter((line) => line['message'] === 'Request failed.')).toEqual([]);
  const requests = lines.filter((line) => line['message'] === 'request');
  expect(requests.length).toBeGreaterThan(10);
  expect(new Set(requests.map((line) => line['request_id'])).size).toBe(requests.length);

  const secrets = {
    token: api.token,
    clientSecret: fixed.clientSecret,
    basic: Buffer.from(`${fixed.clientId}:${fixed.clientSecret}`).toString('base64'),
    webhookSecret,
    webhookKey: webhookSecret.slice('whsec_'.length),
    signature: String(delivered.headers['service-signature']).split('v1=')[1] ?? '',
    linkSecret,
    consentSecret: consent.searchParams.get('secret') ?? linkSecret,
    initialPassword: fixed.password,
    ownPassword,
    wrongPassword: 'a wrong password of mine',
    encryptionKey: key,
    forged: 'forged-token-0123456789',
  };
  for (const value of Object.values(secrets)) expect(value.length).toBeGreaterThan(15);
  const told = (text: string): string[] =>
    Object.entries(secrets)
      .filter(([, value]) => text.includes(value) || text.includes(encodeURIComponent(value)))
      .map(([name]) => name);
  expect(told(log)).toEqual([]);
  for (const [place, text] of Object.entries(shown)) expect([place, told(text)]).toEqual([place, []]);
  // The same look finds them where they are printed on purpose, once.
  expect(told(service.output())).toEqual(['clientSecret', 'initialPassword']);
});

test('a warning of Node in the log of a service fails the test that stops it', async () => {
  const NODE_OPTIONS = "--import=data:text/javascript,process.emitWarning('Possible_leak.')";
  const warned = await startServiceOnSharedServer({ env: { NODE_OPTIONS } });
  await expect(warned.stop()).rejects.toThrow(/a warning of Node: \(node:\d+\) Warning: Possible_leak\.$/);
  await warned.database.close();
  rmSync(warned.dataDir, { recursive: true });
});
