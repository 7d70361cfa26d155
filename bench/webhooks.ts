// The webhook rows of `make bench`: targets 1, 2, 3 and 5 of the dispatcher, each with its limit in the same run.
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
  percentile,
  startDatabase,
  startReceivers,
  type BenchDatabase,
  type Receivers,
} from './webhooks-world.ts';

const rounds = 3;
const latencyRounds = 6;
const claimRounds = 7;
const deliveries = 4_000;
const inFlight = 32;

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
        connections: Math.ceil(inFlight / ports.length),
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
  const all = () => Promise.all(Array.from({ length: inFlight }, (_, index) => worker(index)));
  const result = await timed(count, all);
  await Promise.all(pools.map((pool) => pool.close()));
  return result;
}

function print(name: string, value: string, goal: string, detail: string): void {
  console.log(`${name.padEnd(58)} ${value.padStart(8)}   ${goal.padEnd(12)} ${detail}`);
}

/** Target 1. */
async function throughput(): Promise<void> {
  const receivers = await startReceivers(16, 0);
  const database = await startDatabase();
  const orgIds = await addWebhooks(database, receivers.ports);
  const client = newExchange(receivers.ca);
  const ours = async (count: number): Promise<Timed> => {
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
  await ours(500);
  await bareLoop(receivers, 500);
  await receivers.report();
  const rates: number[] = [];
  const cpus: number[] = [];
  let last: Timed = { perSecond: 0, cpuMs: 0 };
  let bare = last;
  let connections = 0;
  for (let round = 0; round < rounds; round += 1) {
    if (round % 2 === 0) bare = await bareLoop(receivers, deliveries);
    await receivers.report();
    last = await ours(deliveries);
    connections = (await receivers.report()).connections;
    if (round % 2 === 1) bare = await bareLoop(receivers, deliveries);
    rates.push(last.perSecond / bare.perSecond);
    cpus.push(last.cpuMs / bare.cpuMs);
  }
  const figures = `${last.perSecond.toFixed(0)}/s, bare ${bare.perSecond.toFixed(0)}/s`;
  print('deliveries over TLS to a bare loop, by rate', percentile(rates, 0.5).toFixed(2), '>= 0.70', figures);
  const cpu = `${last.cpuMs.toFixed(2)} ms, bare ${bare.cpuMs.toFixed(2)} ms of CPU each`;
  print('  the same, by CPU of the process (bare / ours)', (1 / percentile(cpus, 0.5)).toFixed(2), '', cpu);
  print('  connections opened', String(connections), '', `for ${deliveries} deliveries`);
  const fresh = await timed(400, () => freshLoop(client, receivers, 400));
  print('deliveries over fresh connections', `${fresh.perSecond.toFixed(0)}/s`, '>= 400/s', '');
  await client.close();
  await database.remove();
  receivers.stop();
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
  await Promise.all(Array.from({ length: inFlight }, (_, index) => worker(index)));
}

/** Targets 2 and 3: latency from the event to the receipt. */
async function latency(): Promise<void> {
  const [healthy, dead, events, everyMs] = [45, 5, 600, 10];
  const receivers = await startReceivers(healthy, dead);
  const database = await startDatabase();
  const alive = await addWebhooks(database, receivers.ports.slice(0, healthy));
  const gone = await addWebhooks(database, receivers.ports.slice(healthy));
  const client = newExchange(receivers.ca);
  const { dispatcher } = newDispatcher(database, client);
  await dispatcher.start();
  const send = async (orgId: string): Promise<void> => {
    await addEvent(database, orgId);
    dispatcher.wake();
  };
  const run = async (withDead: boolean): Promise<number[]> => {
    const pending: Promise<void>[] = [];
    for (let each = 0; each < events; each += 1) {
      pending.push(send(alive[each % alive.length] ?? ''));
      if (withDead && each % 9 === 0) pending.push(send(gone[(each / 9) % gone.length] ?? ''));
      await sleep(everyMs);
    }
    await Promise.all(pending);
    await sleep(500);
    return (await receivers.report()).latencies;
  };
  await run(false);
  const idle: number[] = [];
  for (let each = 0; each < 150; each += 1) {
    await send(alive[each % 3] ?? '');
    await sleep(30);
  }
  await sleep(200);
  idle.push(...(await receivers.report()).latencies);
  const ms = (value: number): string => `${value.toFixed(1)} ms`;
  print('event to receipt, idle: p50', ms(percentile(idle, 0.5)), '< 10 ms', `${idle.length} events`);
  print('event to receipt, idle: p99', ms(percentile(idle, 0.99)), '< 50 ms', '');
  // All rounds together: the p99 of one is its sixth worst and tells little.
  const [without, beside]: [number[], number[]] = [[], []];
  for (let round = 0; round < latencyRounds; round += 1) {
    without.push(...(await run(false)));
    beside.push(...(await run(true)));
    // The dead ones' attempts end, so that the next round begins without them.
    await sleep(5_500);
    await database.pool.query("delete from deliveries where state = 'pending'");
  }
  const [p99, usual] = [percentile(beside, 0.99), percentile(without, 0.99)];
  const detail = `${ms(p99)}, without ${ms(usual)} of ${beside.length} events`;
  print('p99 at healthy endpoints, 10 % dead', (p99 / usual).toFixed(2), '<= 1.20', detail);
  await dispatcher.stop();
  await client.close();
  await database.remove();
  receivers.stop();
}

/** Target 5: rows claimed in a second, of a thousand and of a million, by turns in two databases. */
async function claims(): Promise<void> {
  const databases = await Promise.all([1_000, 1_000_000].map((pending) => claimable(pending)));
  const [few, many] = databases;
  if (few === undefined || many === undefined) throw new Error('There are two databases.');
  await claimRate(few);
  await claimRate(many);
  const ratios: number[] = [];
  let detail = '';
  for (let round = 0; round < claimRounds; round += 1) {
    const before = round % 2 === 0 ? await claimRate(few) : undefined;
    const large = await claimRate(many);
    const small = before ?? (await claimRate(few));
    ratios.push(large / small);
    detail = `${large.toFixed(0)} rows/s, of 1,000 ${small.toFixed(0)} rows/s`;
  }
  const ratio = percentile(ratios, 0.5).toFixed(2);
  print('claims of 1,000,000 pending to those of 1,000', ratio, '>= 0.80', detail);
  await Promise.all(databases.map((database) => database.remove()));
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
  for (let each = 0; each < 40; each += 1) {
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

const parts = { claims, throughput, latency };

/** All parts, or the named ones. */
export async function benchWebhooks(names: readonly string[] = Object.keys(parts)): Promise<void> {
  console.log('\nWebhooks: figure, goal, detail.\n');
  for (const [name, run] of Object.entries(parts)) if (names.includes(name)) await run();
}

if (import.meta.main) await benchWebhooks(process.argv.length > 2 ? process.argv.slice(2) : undefined);
