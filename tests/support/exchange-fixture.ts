import { afterAll, afterEach, beforeAll } from 'vitest';
import type { ResolvedAddress } from '../../src/webhooks/destination.ts';
import {
  WebhookClient,
  type SendResult,
  type WebhookClientOptions,
} from '../../src/webhooks/webhook-client.ts';
import { startReceiver, type Receiver } from './receiver.ts';

export const loopback: ResolvedAddress = { address: '127.0.0.1', family: 4 };
export const body = Buffer.from('{"a":"ü"}');

/** The test file's receiver, called `localhost` and `partner.example`, and exchanges that reach it. */
export interface ExchangeFixture {
  receiver: Receiver;
  /** Closed after the test, as the exchanges are. */
  readonly opened: { destroy?(): Promise<void>; close?(): unknown }[];
  /** Reaches loopback alone, within two seconds, unless told otherwise. */
  readonly client: (options?: Partial<WebhookClientOptions>) => WebhookClient;
  /** One POST of `body` to the receiver; without a webhook over a connection of its own. */
  readonly post: (from: WebhookClient, url?: string, webhookId?: string | null) => Promise<SendResult>;
}

export function exchangeFixture(): ExchangeFixture {
  const set = {
    opened: [] as ExchangeFixture['opened'],
    client: (options) => {
      const made = new WebhookClient({
        lookup: async () => [loopback],
        allowedNetworks: ['127.0.0.0/8'],
        extraCa: set.receiver.ca,
        deadlineMs: 2_000,
        ...options,
      });
      set.opened.push(made);
      return made;
    },
    post: (from, url = set.receiver.url('/hook?a=b', 'partner.example'), webhookId = 'webhook') =>
      from.send({
        url,
        body,
        webhookId: webhookId ?? 'webhook',
        hasOwnConnection: webhookId === null,
        headers: { 'Content-Type': 'application/json', 'X-Test': '1' },
      }),
  } as ExchangeFixture;
  beforeAll(async () => {
    set.receiver = await startReceiver({ names: ['localhost', 'partner.example'] });
  });
  afterEach(async () => {
    set.receiver.answer = { status: 204 };
    for (const each of set.opened.splice(0)) await (each.destroy?.() ?? each.close?.());
  });
  afterAll(() => set.receiver.close());
  return set;
}

export const outcomeOf = async (made: Promise<SendResult>): Promise<SendResult['outcome']> =>
  (await made).outcome;
