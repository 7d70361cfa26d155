// The webhook rows of `make bench`: targets 1, 2, 3 and 5 of the dispatcher, each with its limit in the same run. The
// dispatcher runs in the measuring process, PostgreSQL with fsync, the receivers in a process of their own.
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import {
  serviceSignatureHeader,
  standardWebhooksHeaders,
  generateSigningSecret,
} from '../src/domain/notifications/signature.ts';
import { claimDeliveries } from '../src/queries/deliveries/delivery-queue.ts';
import type { WebhookClient } from '../src/webhooks/webhook-client.ts';
import {
  addBacklog,
  addEvent,
  addWebhooks,
  bodyNow,
  newDispatcher,
  newExchange,
  startDatabase,
  startReceivers,
  type BenchDatabase,
  type Receivers,
} from './webhooks-world.ts';
import type { Group } from './group.ts';
import type { Samples } from './row.ts';
import { percentile } from './statistics.ts';

const DELIVERIES = 4_000;
const FRESH_DELIVERIES = 400;
const IN_FLIGHT = 32;
const BATCHES = 40;

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

const BY_RATE = 'deliveries over TLS';
const BY_CPU = 'deliveries over TLS, processor time of each';
const OPENED = `connections opened for ${DELIVERIES} deliveries`;
const FRESH = 'deliveries over fresh connections';

/** Target 1. */
async function* measureThroughput(): AsyncGenerator<Samples, never> {
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

async function freshLoop(client: WebhookClient, { ports }: Receivers, count: number): Promise<void> {
  let left = count;
  const worker = async (index: number): Promise<void> => {
    const url = `https://localhost:${ports[index % ports.length] ?? 0}/`;
    while (left > 0) {
      left -= 1;
      await client.send({ url, headers: {}, body: bodyNow(), usesOwnConnection: true });
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, (_, index) => worker(index)));
}

const IDLE_P50 = 'event to receipt, idle: p50';
const IDLE_P99 = 'event to receipt, idle: p99';
const BESIDE_DEAD = 'p99 at healthy endpoints, 10 % dead';
const [HEALTHY, DEAD, EVENTS, EVENT_MS] = [45, 5, 600, 10];
const [IDLE_EVENTS, IDLE_MS] = [150, 30];
/** In which a delivery to a dead endpoint has ended. */
const DEAD_ATTEMPT_MS = 5_500;

/** Targets 2 and 3: from the event to the receipt. */
async function* measureLatency(): AsyncGenerator<Samples, never> {
  const receivers = await startReceivers(HEALTHY, DEAD);
  const database = await startDatabase();
  const client = newExchange(receivers.ca);
  const { dispatcher } = newDispatcher(database, client);
  try {
    const alive = await addWebhooks(database, receivers.ports.slice(0, HEALTHY));
    const gone = await addWebhooks(database, receivers.ports.slice(HEALTHY));
    await dispatcher.start();
    const send = async (orgId = ''): Promise<void> => {
      await addEvent(database, orgId);
      dispatcher.wake();
    };
    const sendIdle = async (): Promise<number[]> => {
      for (let each = 0; each < IDLE_EVENTS; each += 1) {
        await send(alive[each % 3]);
        await sleep(IDLE_MS);
      }
      await sleep(200);
      return (await receivers.report()).latencies;
    };
    const sendMany = async (withDead: boolean): Promise<number[]> => {
      const pending: Promise<void>[] = [];
      for (let each = 0; each < EVENTS; each += 1) {
        pending.push(send(alive[each % alive.length]));
        if (withDead && each % 9 === 0) pending.push(send(gone[(each / 9) % gone.length]));
        await sleep(EVENT_MS);
      }
      await Promise.all(pending);
      await sleep(500);
      return (await receivers.report()).latencies;
    };
    await sendMany(false);
    yield {};
    for (;;) {
      const idle = await sendIdle();
      const [without, beside] = [await sendMany(false), await sendMany(true)];
      // The dead ones' attempts end, so that the next round begins without them.
      await sleep(DEAD_ATTEMPT_MS);
      await database.pool.query("delete from deliveries where state = 'pending'");
      yield {
        [IDLE_P50]: { measured: percentile(idle, 0.5) },
        [IDLE_P99]: { measured: percentile(idle, 0.99) },
        [BESIDE_DEAD]: { measured: percentile(beside, 0.99), limit: percentile(without, 0.99) },
      };
    }
  } finally {
    await dispatcher.stop();
    await client.close();
    await database.remove();
    receivers.stop();
  }
}

const CLAIMS = 'rows claimed of 1,000,000 pending';

/** Target 5: rows claimed in a second, of a thousand and of a million, by turns in two databases. */
async function* measureClaims(): AsyncGenerator<Samples, never> {
  const few = await claimable(1_000);
  const many = await claimable(1_000_000);
  try {
    await claimRate(few);
    await claimRate(many);
    yield {};
    for (let round = 0; ; round += 1) {
      const before = round % 2 === 0 ? await claimRate(few) : undefined;
      const measured = await claimRate(many);
      yield { [CLAIMS]: { measured, limit: before ?? (await claimRate(few)) } };
    }
  } finally {
    await few.remove();
    await many.remove();
  }
}

async function claimable(pending: number): Promise<BenchDatabase> {
  const database = await startDatabase();
  const ports = Array.from({ length: 100 }, () => 1);
  await addBacklog(database, await addWebhooks(database, ports), pending);
  // What the server would do beside the measurement: the rows were not all written just now.
  await database.pool.query('vacuum analyze messages');
  await database.pool.query('vacuum analyze deliveries');
  await database.pool.query('checkpoint');
  return database;
}

async function claimRate({ db, pool }: BenchDatabase): Promise<number> {
  const limits = { first: 192, retry: 64, perWebhook: 16, perOrganization: 512 };
  let claimed = 0;
  let claiming = 0;
  for (let each = 0; each < BATCHES; each += 1) {
    const now = new Date();
    const lease = { workerId: 0, now, until: new Date(now.getTime() + 20_000) };
    const startedAt = performance.now();
    const { deliveries: rows } = await claimDeliveries(db, limits, lease);
    claiming += performance.now() - startedAt;
    claimed += rows.length;
    // As a result would: the slots are cleared and the rows move to the end of their lane.
    await pool.query(
      `with emptied as (
         update in_flight_slots set org_id = null, message_id = null, webhook_id = null, is_retry = null,
           lease_token = null, lease_until = null
         where message_id is not null
         returning old.org_id, old.message_id, old.webhook_id
       )
       update deliveries d set due_at = now() from emptied e
       where d.org_id = e.org_id and d.message_id = e.message_id and d.webhook_id = e.webhook_id`,
    );
  }
  return claimed / (claiming / 1000);
}

const FILE = 'webhooks.ts';
const perSecond = { unit: '/s', better: 'more' } as const;
const inMs = { unit: 'ms', better: 'less' } as const;

export const WEBHOOK_GROUPS: readonly Group[] = [
  {
    name: 'webhooks/claims',
    file: FILE,
    rows: [{ name: CLAIMS, ...perSecond, goals: { toLimit: 0.8 } }],
    rounds: 7,
    about: 'the same claims in a database with 1,000 pending at 100 webhooks',
    measure: measureClaims,
  },
  {
    name: 'webhooks/deliveries',
    file: FILE,
    rows: [
      { name: BY_RATE, ...perSecond, goals: { measured: 2_000, toLimit: 0.7 } },
      { name: BY_CPU, ...inMs, goals: {} },
      { name: OPENED, unit: '', better: 'less', goals: {} },
      { name: FRESH, ...perSecond, goals: { measured: 400 } },
    ],
    rounds: 5,
    about: 'a loop that signs and posts the same bodies over 32 reused connections, without a database',
    measure: measureThroughput,
  },
  {
    name: 'webhooks/latency',
    file: FILE,
    rows: [
      { name: IDLE_P50, ...inMs, goals: { measured: 10 } },
      { name: IDLE_P99, ...inMs, goals: { measured: 50 } },
      { name: BESIDE_DEAD, ...inMs, goals: { toLimit: 1.2 } },
    ],
    rounds: 6,
    about: 'the same events without messages to the five dead of 50 endpoints',
    measure: measureLatency,
  },
];
