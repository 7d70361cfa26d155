// Target 1: deliveries over TLS beside a loop that does nothing else, and over fresh connections.
import { Pool } from 'undici';
import {
  serviceSignatureHeader,
  standardWebhooksHeaders,
  generateSigningSecret,
} from '../../src/domain/notifications/signature.ts';
import type { WebhookClient } from '../../src/webhooks/webhook-client.ts';
import { startDatabase } from '../database.ts';
import type { Samples } from '../row.ts';
import { addBacklog, addWebhooks, bodyNow, newDispatcher, newExchange, startReceivers } from './world.ts';
import type { Receivers } from './world.ts';

const DELIVERIES = 4_000;
const FRESH_DELIVERIES = 400;
const IN_FLIGHT = 32;

export const BY_RATE = 'deliveries over TLS';
export const BY_CPU = 'deliveries over TLS, processor time of each';
export const OPENED = `connections opened for ${DELIVERIES} deliveries`;
export const FRESH = 'deliveries over fresh connections';

/** Both measured in turn, the loop first in every other round. */
export async function* measureThroughput(): AsyncGenerator<Samples, never> {
  const receivers = await startReceivers(16, 0);
  const database = await startDatabase();
  const client = newExchange(receivers.ca);
  try {
    const orgIds = await addWebhooks(database, receivers.ports);
    const deliver = async (count: number): Promise<Timed> => {
      await addBacklog(database, orgIds, count);
      const running = newDispatcher(database, client);
      const result = await timed(count, async () => {
        const done = running.delivered(count);
        await running.dispatcher.start();
        await done;
      });
      await running.dispatcher.stop();
      return result;
    };
    await deliver(500);
    await bareLoop(receivers, 500);
    yield {};
    for (let round = 0; ; round += 1) {
      const before = round % 2 === 0 ? await bareLoop(receivers, DELIVERIES) : undefined;
      await receivers.report();
      const ours = await deliver(DELIVERIES);
      const { connections } = await receivers.report();
      const bare = before ?? (await bareLoop(receivers, DELIVERIES));
      const fresh = await timed(FRESH_DELIVERIES, () => freshLoop(client, receivers, FRESH_DELIVERIES));
      yield {
        [BY_RATE]: { measured: ours.perSecond, limit: bare.perSecond },
        [BY_CPU]: { measured: ours.cpuMs, limit: bare.cpuMs },
        [OPENED]: { measured: connections },
        [FRESH]: { measured: fresh.perSecond },
      };
    }
  } finally {
    await client.close();
    await database.remove();
    receivers.stop();
  }
}

interface Timed {
  readonly perSecond: number;
  /** CPU time of this process for each delivery. */
  readonly cpuMs: number;
}

async function timed(count: number, run: () => Promise<unknown>): Promise<Timed> {
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  await run();
  const seconds = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { perSecond: count / seconds, cpuMs: (user + system) / 1000 / count };
}

/** Signs and posts the same bodies over reused connections: what a dispatcher could at best do. */
async function bareLoop({ ports, ca }: Receivers, count: number): Promise<Timed> {
  const secret = generateSigningSecret();
  const body = bodyNow();
  const pools = ports.map(
    (port) =>
      new Pool(`https://localhost:${port}`, {
        connections: Math.ceil(IN_FLIGHT / ports.length),
        connect: { ca },
      }),
  );
  let left = count;
  const worker = async (index: number): Promise<void> => {
    const pool = pools[index % pools.length];
    while (left > 0) {
      left -= 1;
      const now = new Date();
      const id = crypto.randomUUID();
      const signature = serviceSignatureHeader(secret, body, now);
      const headers = { 'Service-Signature': signature, ...standardWebhooksHeaders(secret, id, body, now) };
      const answer = await pool?.request({ method: 'POST', path: '/', headers, body });
      await answer?.body.dump();
    }
  };
  const all = () => Promise.all(Array.from({ length: IN_FLIGHT }, (_, index) => worker(index)));
  const result = await timed(count, all);
  await Promise.all(pools.map((pool) => pool.close()));
  return result;
}

async function freshLoop(client: WebhookClient, { ports }: Receivers, count: number): Promise<void> {
  let left = count;
  const worker = async (index: number): Promise<void> => {
    const url = `https://localhost:${ports[index % ports.length] ?? 0}/`;
    while (left > 0) {
      left -= 1;
      await client.send({ webhookId: 'fresh', hasOwnConnection: true, url, headers: {}, body: bodyNow() });
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, (_, index) => worker(index)));
}
