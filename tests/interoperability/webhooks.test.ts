// Do verifiers that others wrote accept a message as it was really delivered, and nothing else?
import { afterAll, afterEach, beforeAll, expect, vi, test } from 'vitest';
import { addWebhook, fixedCredentials, PartnerApi, raise, runFleet } from '../process/partner.ts';
import { startTrustedReceiver } from '../support/receiver.ts';
import type { Received, TrustedReceiver } from '../support/receiver.ts';
import { startServiceOnSharedServer } from '../support/service.ts';
import type { ServiceProcess } from '../support/service.ts';
import { standardWebhooks, stripe } from './libraries.ts';

const fixed = fixedCredentials();
let receiver: TrustedReceiver;
let service: ServiceProcess;
let secret: string;
let delivered: Received;

beforeAll(async () => {
  receiver = await startTrustedReceiver();
  service = await startServiceOnSharedServer({
    env: {
      ...fixed.env,
      SIMULATOR_FAULTS: 'off',
      ...receiver.env,
    },
  });
  const api = await PartnerApi.open(service, fixed);
  const fleet = await runFleet(api);
  secret = await addWebhook(api, fleet, receiver.url());
  await raise(api, fleet, 'reauthenticate');
  delivered = await receiver.next();
});
afterEach(() => {
  vi.restoreAllMocks();
});
afterAll(async () => {
  await service.remove();
  await receiver.close();
});

type Verify = (body: Buffer, headers: Record<string, string>, secret: string) => unknown;

const verifiers: readonly (readonly [string, () => Promise<Verify>, string])[] = [
  [
    'stripe',
    async () => {
      const { webhooks } = await stripe();
      return (body, headers, key) => webhooks.constructEvent(body, headers['service-signature'] ?? '', key);
    },
    'service-signature',
  ],
  [
    'standardwebhooks',
    async () => {
      const { Webhook } = await standardWebhooks();
      return (body, headers, key) => new Webhook(key).verify(body, headers);
    },
    'webhook-signature',
  ],
];

function headersOf(message: Received): Record<string, string> {
  return Object.fromEntries(
    Object.entries(message.headers).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );
}

/** The same bytes with one bit of one byte turned over. */
function flipped(body: Buffer, position: number): Buffer {
  const changed = Buffer.from(body);
  changed.writeUInt8(changed.readUInt8(position) ^ 1, position);
  return changed;
}

test.each(verifiers)('%s accepts the delivered message', async (_, load) => {
  const verify = await load();
  const message = verify(delivered.body, headersOf(delivered), secret);
  expect(message).toEqual({
    message_id: headersOf(delivered)['webhook-id'],
    message_type: 'device.action_required',
    schema_version: 1,
    occurred_at: expect.stringMatching(/Z$/),
    data: expect.objectContaining({ action: 'reauthentication_required' }),
  });
});

test.each(verifiers)('%s refuses the message with any byte of the body changed', async (_, load) => {
  const verify = await load();
  const headers = headersOf(delivered);
  const accepted: number[] = [];
  for (const position of delivered.body.keys()) {
    try {
      verify(flipped(delivered.body, position), headers, secret);
      accepted.push(position);
    } catch {
      // Refused, as it must be.
    }
  }
  expect(accepted).toEqual([]);
  expect(delivered.body.length).toBeGreaterThan(200);
  for (const body of [delivered.body.subarray(0, -1), Buffer.concat([delivered.body, Buffer.from(' ')])]) {
    expect(() => verify(body, headers, secret)).toThrow();
  }
});

test.each(verifiers)(
  '%s refuses the message with any character of the signature changed',
  async (_, load, name) => {
    const verify = await load();
    const headers = headersOf(delivered);
    const signature = headers[name] ?? '';
    const start = signature.search(/v1[=,]/) + 3;
    // The last character before the padding of base64 has bits that mean nothing.
    const end = signature.endsWith('=') ? signature.length - 2 : signature.length;
    expect(end - start).toBeGreaterThanOrEqual(42);
    for (let i = start; i < end; i += 1) {
      const other = signature[i] === '0' ? '1' : '0';
      const changed = { ...headers, [name]: signature.slice(0, i) + other + signature.slice(i + 1) };
      expect(() => verify(delivered.body, changed, secret)).toThrow();
    }
  },
);

test.each(verifiers)('%s refuses the message under another secret', async (_, load) => {
  const verify = await load();
  const other = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  expect(() => verify(delivered.body, headersOf(delivered), other)).toThrow();
});

test.each(verifiers)('%s refuses the message once it is more than 300 seconds old', async (_, load) => {
  const verify = await load();
  const headers = headersOf(delivered);
  const sentAt = Number(headers['webhook-timestamp']) * 1000;
  expect(headers['service-signature']).toMatch(new RegExp(`^t=${sentAt / 1000},v1=[0-9a-f]{64}$`));
  const clock = vi.spyOn(Date, 'now');
  clock.mockReturnValue(sentAt + 300_000);
  expect(() => verify(delivered.body, headers, secret)).not.toThrow();
  clock.mockReturnValue(sentAt + 301_000);
  expect(() => verify(delivered.body, headers, secret)).toThrow(/timestamp/i);
});
