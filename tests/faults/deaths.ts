// kill -9 of workers and of PostgreSQL at every point of a delivery.
import type { Receiver } from '../support/receiver.ts';
import { startGate } from './gate.ts';
import { arrivals, judge, type Arrival, type Report } from './report.ts';
import { until, type World, type Worker } from './world.ts';

/** More than the cap of a webhook, so that something waits while something is in flight. */
export interface Size {
  readonly messages: number;
  /** Work resumes this soon after a worker's death; PostgreSQL needs its own recovery first. */
  readonly workerMs: number;
}

export type Fault = (world: World, size: Size) => Promise<Report>;

const perWebhook = 16;
const postgresMs = 15_000;

interface Scene {
  readonly orgId: string;
  readonly receiver: Receiver;
  readonly list: Arrival[];
  /** Nothing is answered before. */
  readonly letAnswer: () => void;
}

async function scene(world: World): Promise<Scene> {
  const receiver = await world.receiver();
  const go = Promise.withResolvers<undefined>();
  const list = arrivals(receiver, async () => {
    await go.promise;
    return 204;
  });
  const orgId = await world.organization([receiver.url()]);
  return { orgId, receiver, list, letAnswer: () => go.resolve(undefined) };
}

const leasedBy = async (world: World, orgId: string, workerId: number): Promise<string[]> =>
  (await world.deliveries(orgId))
    .filter((each) => each.workerId === workerId)
    .map(({ messageId }) => messageId);

/** When the first of the messages arrived after `since`. */
async function resumption(list: readonly Arrival[], ids: readonly string[], since: number): Promise<number> {
  const held = new Set(ids);
  const first = await until(
    'a message that the fault held up arrives',
    () => list.find(({ messageId, at }) => at > since && held.has(messageId)),
    (found) => found !== undefined,
  );
  return (first?.at ?? Infinity) - since;
}

const allDelivered = (world: World, orgId: string) =>
  until(
    'everything is delivered',
    () => world.deliveries(orgId),
    (all) => all.every(({ state, isLeased }) => state !== 'pending' && !isLeased),
  );

const stop = async (world: World, workers: readonly Worker[]): Promise<void> => {
  for (const worker of workers) await world.kill(worker);
};

export const beforeSend: Fault = async (world, { messages, workerMs }) => {
  const { orgId, receiver, list, letAnswer } = await scene(world);
  letAnswer();
  const gate = await startGate(receiver.port);
  await world.database.pool.query('update webhooks set url = $1 where org_id = $2', [
    receiver.url().replace(String(receiver.port), String(gate.port)),
    orgId,
  ]);
  const dead = await world.startWorker();
  await world.messages(orgId, messages);
  await until('connections wait', gate.waiting, (count) => count === perWebhook);
  const other = await world.startWorker();
  const held = await leasedBy(world, orgId, dead.workerId);
  await world.kill(dead);
  const since = performance.now();
  gate.open();
  const resumedMs = await resumption(list, held, since);
  const all = await allDelivered(world, orgId);
  await stop(world, [other]);
  await gate.close();
  return judge('worker, before the send', all, list, { bound: 0, resumedMs, limitMs: workerMs });
};

export const beforeFinish: Fault = async (world, { messages, workerMs }) => {
  const { orgId, list, letAnswer } = await scene(world);
  const dead = await world.startWorker();
  await world.messages(orgId, messages);
  await until(
    'requests are in flight',
    () => list.length,
    (count) => count === perWebhook,
  );
  const other = await world.startWorker();
  const held = await leasedBy(world, orgId, dead.workerId);
  await world.kill(dead);
  const since = performance.now();
  letAnswer();
  const resumedMs = await resumption(list, held, since);
  const all = await allDelivered(world, orgId);
  await stop(world, [other]);
  return judge('worker, after the send before the finish', all, list, {
    bound: held.length,
    resumedMs,
    limitMs: workerMs,
  });
};

/** A trigger holds the statement up between the new states and the commit. */
const holdFinish = `
  create or replace function hold_finish() returns trigger language plpgsql as $$
    begin perform pg_advisory_xact_lock_shared(77); return null; end $$;
  create or replace trigger hold_finish before insert on delivery_attempts for each statement execute function hold_finish()`;

export const duringFinish: Fault = async (world, { messages, workerMs }) => {
  const { orgId, list, letAnswer } = await scene(world);
  await world.database.pool.query(holdFinish);
  const holder = await world.database.pool.connect();
  try {
    await holder.query('select pg_advisory_lock(77)');
    const dead = await world.startWorker();
    await world.messages(orgId, messages);
    letAnswer();
    await until(
      'a finish is under way',
      async () =>
        (
          await world.database.pool.query(
            "select 1 from pg_locks where locktype = 'advisory' and not granted",
          )
        ).rowCount,
      (count) => (count ?? 0) > 0,
    );
    const other = await world.startWorker();
    const held = await leasedBy(world, orgId, dead.workerId);
    await world.kill(dead);
    const since = performance.now();
    await holder.query('select pg_advisory_unlock(77)');
    const sent = new Set(list.map(({ messageId }) => messageId));
    const left = (await world.deliveries(orgId)).map(({ messageId }) => messageId);
    const resumedMs = await resumption(
      list,
      left.filter((id) => !sent.has(id)),
      since,
    );
    const all = await allDelivered(world, orgId);
    await stop(world, [other]);
    return judge('worker, during the finish', all, list, {
      bound: held.length,
      resumedMs,
      limitMs: workerMs,
    });
  } finally {
    holder.release();
    await world.database.pool.query('drop trigger hold_finish on delivery_attempts');
  }
};

/** Waits for what had not been sent at the fault. */
async function unsentResumption(world: World, { orgId, list }: Scene, since: number): Promise<number> {
  const sent = new Set(list.filter(({ at }) => at <= since).map(({ messageId }) => messageId));
  const all = (await world.deliveries(orgId)).map(({ messageId }) => messageId);
  return resumption(
    list,
    all.filter((id) => !sent.has(id)),
    since,
  );
}

export const postgres: Fault = async (world, { messages }) => {
  const set = await scene(world);
  const workers = [await world.startWorker(), await world.startWorker()];
  await world.messages(set.orgId, messages);
  await until(
    'requests are in flight',
    () => set.list.length,
    (count) => count === perWebhook,
  );
  world.killPostgres();
  const since = performance.now();
  set.letAnswer();
  const resumedMs = await unsentResumption(world, set, since);
  const all = await allDelivered(world, set.orgId);
  await stop(world, workers);
  return judge('PostgreSQL, while requests are in flight', all, set.list, {
    bound: perWebhook,
    resumedMs,
    limitMs: postgresMs,
  });
};

export const both: Fault = async (world, { messages }) => {
  const set = await scene(world);
  const dead = await world.startWorker();
  await world.messages(set.orgId, messages);
  await until(
    'requests are in flight',
    () => set.list.length,
    (count) => count === perWebhook,
  );
  world.killPostgres();
  await world.kill(dead);
  const since = performance.now();
  set.letAnswer();
  await world.deliveries(set.orgId);
  const next = await world.startWorker();
  const resumedMs = await unsentResumption(world, set, since);
  const all = await allDelivered(world, set.orgId);
  await stop(world, [next]);
  return judge('PostgreSQL and the only worker', all, set.list, {
    bound: perWebhook,
    resumedMs,
    limitMs: postgresMs,
  });
};

/** Half of several workers die in the middle of the work, to twelve webhooks. */
export function half(count: number): Fault {
  return async (world, { messages, workerMs }) => {
    const receiver = await world.receiver();
    const list = arrivals(receiver, async () => 204);
    const urls = Array.from({ length: 12 }, (_, each) => receiver.url(`/${each}`));
    const workers: Worker[] = [];
    for (let each = 0; each < count; each += 1) workers.push(await world.startWorker());
    const dead = workers.splice(0, count / 2);
    // Every message once, to one webhook of an organization of its own.
    const orgIds: string[] = [];
    for (const url of urls) orgIds.push(await world.organization([url]));
    const written = Promise.all(
      orgIds.map((orgId) => world.messages(orgId, Math.ceil(messages / urls.length))),
    );
    await until(
      'the work is under way',
      () => list.length,
      (length) => length >= messages / 4,
    );
    const states = await Promise.all(
      orgIds.map(async (orgId) => (await world.deliveries(orgId)).filter(({ isLeased }) => isLeased)),
    );
    const workerIds = new Set(dead.map(({ workerId }) => workerId));
    await Promise.all(dead.map((worker) => world.kill(worker)));
    const since = performance.now();
    const stuck = async (): Promise<number> => {
      const all = await Promise.all(orgIds.map((orgId) => world.deliveries(orgId)));
      return all.flat().filter(({ workerId }) => workerId !== null && workerIds.has(workerId)).length;
    };
    await until('nothing is left to the dead', stuck, (left) => left === 0);
    const resumedMs = performance.now() - since;
    await written;
    const all = (await Promise.all(orgIds.map((orgId) => allDelivered(world, orgId)))).flat();
    await stop(world, workers);
    const bound = Math.max(states.flat().length, dead.length * 192);
    return judge(`${dead.length} of ${count} workers, under load`, all, list, {
      bound,
      resumedMs,
      limitMs: workerMs,
    });
  };
}
