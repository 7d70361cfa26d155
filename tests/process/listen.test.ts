// `partner listen` as a developer runs it: beside a service, before a receiver on the same machine.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Secret } from '../../src/domain/security/secret.ts';
import {
  isServiceSignatureValid,
  standardWebhooksHeaders,
} from '../../src/domain/notifications/signature.ts';
import { testDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { EventListener } from '../support/event-stream.ts';
import { startTrustedReceiver } from '../support/receiver.ts';
import type { TrustedReceiver } from '../support/receiver.ts';
import { INHERITED_ENV, PARTNER_COMMAND, startService } from '../support/service.ts';
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
import type { RunningFleet } from './partner.ts';

interface Forwarded {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** What a developer works on: plain HTTP on this machine. */
class LocalReceiver {
  readonly got: Forwarded[] = [];
  status = 200;
  readonly #server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      this.got.push({ headers: request.headers, body: Buffer.concat(chunks) });
      response.writeHead(this.status, this.status === 302 ? { location: '/elsewhere' } : {}).end('thanks');
    });
  });

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hooks/`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

const fixed = fixedCredentials();
let receiver: TrustedReceiver;
let database: TestDatabase;
let service: ServiceProcess;
let api: PartnerApi;
let fleet: RunningFleet;
let local: LocalReceiver;
let forwardTo: string;
let environment: Record<string, string>;
const undo: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  receiver = await startTrustedReceiver();
  database = await testDatabase();
  environment = {
    ...fixed.env,
    DATABASE_URL: database.url,
    ENCRYPTION_KEY: encryptionKey(),
    SIMULATOR_FAULTS: 'off',
    ...receiver.env,
  };
  service = await startService({ env: environment });
  api = await PartnerApi.open(service, fixed);
  fleet = await runFleet(api);
  local = new LocalReceiver();
  forwardTo = await local.start();
});
afterEach(async () => {
  for (const each of undo.splice(0)) await each();
});
afterAll(async () => {
  await service.remove();
  await database.close();
  await receiver.close();
  await local.close();
});

/** A running `partner listen`, and what it has printed. */
async function startListening(args: readonly string[] = []) {
  local.got.length = 0;
  const child = spawn(PARTNER_COMMAND, ['listen', '--forward-to', forwardTo, ...args], {
    env: {
      ...INHERITED_ENV,
      BASE_URL: service.baseUrl,
      ORG_ID: fleet.simulationOrgId,
      CLIENT_ID: fixed.clientId,
      CLIENT_SECRET: fixed.clientSecret,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const stop = (signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> => {
    child.kill(signal);
    return exited;
  };
  undo.push(() => stop('SIGKILL'));
  await until(
    () => output,
    (text) => text.includes('Connected:'),
  );
  return { output: () => output, stop };
}

async function forwarded(count: number): Promise<Forwarded[]> {
  return until(
    () => [...local.got],
    (got) => got.length >= count,
  );
}

/** Raised and ended, so that it can be raised again. */
async function outage(): Promise<void> {
  await raise(api, fleet, 'device_offline');
  await raise(api, fleet, 'reconnect');
}

const idOf = ({ body }: { readonly body: Buffer }): string =>
  (JSON.parse(body.toString()) as { message_id: string }).message_id;

test.each(['SIGTERM', 'SIGINT'] as const)(
  'what a webhook gets is forwarded byte for byte, signed with the printed secret; %s ends it with 0',
  async (signal) => {
    await addWebhook(api, fleet, receiver.url());
    const listener = await startListening();
    await outage();
    const [delivered, [message]] = [await receiver.next(), await forwarded(1)];
    if (message === undefined) throw new Error('Nothing was forwarded.');
    expect(message.body.equals(delivered.body)).toBe(true);
    const secret = new Secret(/^Signing secret +(whsec_\S+)$/m.exec(listener.output())?.[1] ?? '');
    const header = String(message.headers['service-signature']);
    expect(isServiceSignatureValid(secret, header, message.body, new Date())).toBe(true);
    const at = new Date(Number(message.headers['webhook-timestamp']) * 1000);
    expect(message.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Service-Notifications/1.0',
      ...standardWebhooksHeaders(secret, idOf(message), message.body, at),
    });
    expect(Object.keys(message.headers).toSorted()).toEqual(Object.keys(delivered.headers).toSorted());
    await until(listener.output, (text) =>
      new RegExp(`Z  device\\.information  ${idOf(message)}  200  \\d+ ms\n`).test(text),
    );
    expect(await listener.stop(signal)).toBe(0);
    const hooks = await api
      .at({ orgId: fleet.simulationOrgId })
      .call<{ items: { id: string }[] }>('GET', '/notifications/webhooks');
    for (const { id } of hooks.body.items)
      await api.at({ orgId: fleet.simulationOrgId }).call('DELETE', `/notifications/webhooks/${id}`);
  },
);

test('a redelivery reaches it under the same id', async () => {
  const simulated = api.at({ orgId: fleet.simulationOrgId });
  await addWebhook(api, fleet, receiver.url());
  const hooks = await simulated.call<{ items: { id: string }[] }>('GET', '/notifications/webhooks');
  const log = `/notifications/webhooks/${hooks.body.items[0]?.id ?? ''}/deliveries`;
  const listener = await startListening();
  await outage();
  await receiver.next();
  const [first] = await forwarded(1);
  if (first === undefined) throw new Error('Nothing was forwarded.');
  const path = `${log}/${idOf(first)}`;
  await until(
    () => simulated.call<{ state: string }>('GET', path),
    ({ body }) => body.state === 'delivered',
  );
  expect((await simulated.call('POST', `${path}/redeliver`)).status).toBe(200);
  const again = await receiver.next();
  expect(again.body.equals(first.body)).toBe(true);
  expect((await forwarded(2)).map(({ body }) => body.toString())).toEqual([
    first.body.toString(),
    first.body.toString(),
  ]);
  const shown = await until(
    () => simulated.call<{ state: string; attempt_log: object[] }>('GET', path),
    ({ body }) => body.state === 'delivered' && body.attempt_log.length === 2,
  );
  expect(shown.body).toMatchObject({ attempts: 2, attempt_log: [{ attempt: 1 }, { attempt: 2 }] });
  await listener.stop();
});

test('a local answer that is no 2xx is told and not followed, and the next message is sent all the same', async () => {
  const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
  const listener = await startListening(['--secret', secret]);
  expect(listener.output()).toContain(`Signing secret  ${secret}\n`);
  local.status = 302;
  await outage();
  await forwarded(1);
  local.status = 200;
  await outage();
  const got = await forwarded(2);
  await until(listener.output, (text) => /  302  \d+ ms\n[^]*  200  \d+ ms\n/.test(text));
  expect(got).toHaveLength(2);
  await listener.stop();
});

test('--after begins behind a message that came before', async () => {
  const first = await startListening();
  await outage();
  await outage();
  const [one, two] = await forwarded(2);
  if (one === undefined || two === undefined) throw new Error('Too little was forwarded.');
  await first.stop();
  const second = await startListening(['--after', idOf(one)]);
  expect((await forwarded(1)).map(idOf)).toEqual([idOf(two)]);
  await second.stop();
});

test('an open stream does not hold up a stop, and the listener goes on with what it missed', async () => {
  const listener = await startListening();
  await outage();
  await forwarded(1);
  const stream = await EventListener.open(
    `${api.baseUrl}/api/partners/v2.0/org/${fleet.simulationOrgId}/notifications/events`,
    { authorization: `Bearer ${api.token}` },
  );
  expect(await service.stop()).toEqual({ code: 0, signal: null });
  // Had the stop waited for it, its connection would have been cut off in the end.
  expect(await stream.ended).toBe('whole');
  const port = new URL(service.baseUrl).port;
  service = await startService({ env: { ...environment, PORT: port }, dataDir: service.dataDir });
  await outage();
  const [, late] = await forwarded(2);
  expect(late).toBeDefined();
  await until(listener.output, (text) => text.includes('Connected again: '));
  expect(new Set(local.got.map(idOf)).size).toBe(2);
  expect(await listener.stop()).toBe(0);
});

test('what cannot be begun ends with 1 and the reason', async () => {
  const args = ['listen', '--forward-to', forwardTo, '--org', fleet.simulationOrgId];
  const given = {
    BASE_URL: service.baseUrl,
    CLIENT_ID: fixed.clientId,
    CLIENT_SECRET: fixed.clientSecret,
  };
  const reasons: [string, readonly string[], Record<string, string>][] = [
    ['gives no token \\(status 401\\)', args, { ...given, CLIENT_SECRET: 'x'.repeat(64) }],
    ['refuses the stream with status 403', args.with(4, '11111111-1111-4111-8111-111111111111'), given],
    [
      'refuses the stream with status 422',
      [...args, '--after', '11111111-1111-4111-8111-111111111111'],
      given,
    ],
    ['cannot be reached \\(ECONNREFUSED\\)', args, { ...given, BASE_URL: 'http://127.0.0.1:1' }],
  ];
  for (const [reason, call, env] of reasons) {
    const { code, output, log } = await partner(call, env);
    expect([code, log]).toEqual([1, expect.stringMatching(new RegExp(`^partner: The service ${reason}`))]);
    expect(output).toMatch(/^Signing secret +whsec_\S+\n$/);
    expect(log).not.toContain(fixed.clientSecret);
  }
});

test.each([
  ['a file', ['--forward-to', 'file:///etc/passwd'], /http or https address/],
  ['credentials in the address', ['--forward-to', 'http://a:b@localhost/'], /without credentials/],
  ['no organization', ['--forward-to', 'http://localhost/'], /--org/],
  ['a wrong secret', ['--forward-to', 'http://localhost/', '--secret', 'abc'], /whsec_/],
  ['a wrong message id', ['--forward-to', 'http://localhost/', '--after', '7'], /Give a UUID/],
])('%s is wrong usage', async (_, args, message) => {
  const { code, output, log } = await partner(['listen', ...args], { CLIENT_SECRET: fixed.clientSecret });
  expect([code, output]).toEqual([2, '']);
  expect(log).toMatch(message);
  expect(log).toContain('Usage: partner listen');
  expect(log).not.toContain(fixed.clientSecret);
});
