// kill -9 of workers and of PostgreSQL at every point of a delivery.
import pg from 'pg';
import type { Receiver } from '../support/receiver.ts';
import { startBlockingProxy } from './blocking-proxy.ts';
import { recordArrivals, compareDeliveries, type Arrival, type Report } from './report.ts';
import { until, type FaultEnvironment, type Worker } from './environment.ts';

/** More than the cap of a webhook, so that something waits while something is in flight. */
export interface Size {
  readonly messages: number;
  /** Work resumes this soon after a worker's death, */
  readonly workerMs: number;
  /** and this soon after PostgreSQL's, which needs its own recovery first. */
  readonly postgresMs: number;
}

export type Fault = (environment: FaultEnvironment, size: Size) => Promise<Report>;

const perWebhook = 16;

interface Scenario {
  readonly orgId: string;
  readonly receiver: Receiver;
  readonly list: Arrival[];
  /** Nothing is answered before. */
  readonly letAnswer: () => void;
}

async function startScenario(environment: FaultEnvironment): Promise<Scenario> {
  const receiver = await environment.receiver();
  const go = Promise.withResolvers<undefined>();
  const list = recordArrivals(receiver, async () => {
    await go.promise;
    return 204;
  });
  const orgId = await environment.organization([receiver.url()]);
  return { orgId, receiver, list, letAnswer: () => go.resolve(undefined) };
}

const listLeasedBy = async (
  environment: FaultEnvironment,
  orgId: string,
  workerId: number,
): Promise<string[]> =>
  (await environment.deliveries(orgId))
    .filter((each) => each.workerId === workerId)
    .map(({ messageId }) => messageId);

/** When the first of the messages arrived after `since`. */
async function waitForResumption(
  list: readonly Arrival[],
  ids: readonly string[],
  since: number,
): Promise<number> {
  const held = new Set(ids);
  const first = await until(
    'a message that the fault held up arrives',
    () => list.find(({ messageId, at }) => at > since && held.has(messageId)),
    (found) => found !== undefined,
  );
  return (first?.at ?? Infinity) - since;
}

const waitUntilAllDelivered = (environment: FaultEnvironment, orgId: string) =>
  until(
    'everything is delivered',
    () => environment.deliveries(orgId),
    (all) => all.every(({ state, isLeased }) => state !== 'pending' && !isLeased),
  );

const stop = async (environment: FaultEnvironment, workers: readonly Worker[]): Promise<void> => {
  for (const worker of workers) await environment.kill(worker);
};

export const killBeforeSend: Fault = async (environment, { messages, workerMs }) => {
  const { orgId, receiver, list, letAnswer } = await startScenario(environment);
  letAnswer();
  const gate = await startBlockingProxy(receiver.port);
  await environment.database.pool.query('update webhooks set url = $1 where org_id = $2', [
    receiver.url().replace(String(receiver.port), String(gate.port)),
    orgId,
  ]);
  const other = await environment.startPausedWorker();
  const dead = await environment.startPausedWorker();
  await environment.messages(orgId, messages);
  environment.resume(dead);
  await until('connections wait', gate.waiting, (count) => count >= perWebhook);
  const held = await listLeasedBy(environment, orgId, dead.workerId);
  await environment.kill(dead);
  environment.resume(other);
  const since = performance.now();
  gate.open();
  const resumedMs = await waitForResumption(list, held, since);
  const all = await waitUntilAllDelivered(environment, orgId);
  await stop(environment, [other]);
  await gate.close();
  return compareDeliveries('worker, before the send', all, list, { bound: 0, resumedMs, limitMs: workerMs });
};

export const killBeforeFinish: Fault = async (environment, { messages, workerMs }) => {
  const { orgId, list, letAnswer } = await startScenario(environment);
  const other = await environment.startPausedWorker();
  const dead = await environment.startPausedWorker();
  await environment.messages(orgId, messages);
  environment.resume(dead);
  await until(
    'requests are in flight',
    () => list.length,
    (count) => count >= perWebhook,
  );
  const held = await listLeasedBy(environment, orgId, dead.workerId);
  await environment.kill(dead);
  environment.resume(other);
  const since = performance.now();
  letAnswer();
  const resumedMs = await waitForResumption(list, held, since);
  const all = await waitUntilAllDelivered(environment, orgId);
  await stop(environment, [other]);
  return compareDeliveries('worker, after the send before the finish', all, list, {
    bound: held.length,
    resumedMs,
    limitMs: workerMs,
  });
};

/** A trigger holds the statement up between the new states and the commit. */
const HOLD_FINISH = [
  `create or replace function hold_finish() returns trigger language plpgsql as $$
    begin perform pg_advisory_xact_lock_shared(77); return null; end $$`,
  `create or replace trigger hold_finish before insert on delivery_attempts for each statement execute function hold_finish()`,
];

export const killDuringFinish: Fault = async (environment, { messages, workerMs }) => {
  const { orgId, list, letAnswer } = await startScenario(environment);
  for (const statement of HOLD_FINISH) await environment.database.pool.query(statement);
  const holder = new pg.Client(await environment.server.findUrlOf(orgId));
  await holder.connect();
  try {
    await holder.query('select pg_advisory_lock(77)');
    const other = await environment.startPausedWorker();
    const dead = await environment.startPausedWorker();
    await environment.messages(orgId, messages);
    environment.resume(dead);
    letAnswer();
    await until(
      'a finish is under way',
      async () =>
        (
          await holder.query(
            "select 1 from pg_locks where locktype = 'advisory' and objid = 77 and not granted",
          )
        ).rowCount,
      (count) => (count ?? 0) > 0,
    );
    const held = await listLeasedBy(environment, orgId, dead.workerId);
    await environment.kill(dead);
    environment.resume(other);
    const since = performance.now();
    await holder.query('select pg_advisory_unlock(77)');
    const sent = new Set(list.map(({ messageId }) => messageId));
    const left = (await environment.deliveries(orgId)).map(({ messageId }) => messageId);
    const resumedMs = await waitForResumption(
      list,
      left.filter((id) => !sent.has(id)),
      since,
    );
    const all = await waitUntilAllDelivered(environment, orgId);
    await stop(environment, [other]);
    return compareDeliveries('worker, during the finish', all, list, {
      bound: held.length,
      resumedMs,
      limitMs: workerMs,
    });
  } finally {
    await holder.end();
    await environment.database.pool.query('drop trigger hold_finish on delivery_attempts');
  }
};

/** Waits for what had not been sent at the fault. */
async function waitForUnsent(
  environment: FaultEnvironment,
  { orgId, list }: Scenario,
  since: number,
): Promise<number> {
  const sent = new Set(list.filter(({ at }) => at <= since).map(({ messageId }) => messageId));
  const all = (await environment.deliveries(orgId)).map(({ messageId }) => messageId);
  return waitForResumption(
    list,
    all.filter((id) => !sent.has(id)),
    since,
  );
}

export const killPostgres: Fault = async (environment, { messages, postgresMs }) => {
  const set = await startScenario(environment);
  const workers = [await environment.startPausedWorker(), await environment.startPausedWorker()];
  await environment.messages(set.orgId, messages);
  for (const worker of workers) environment.resume(worker);
  await until(
    'requests are in flight',
    () => set.list.length,
    (count) => count >= perWebhook,
  );
  await environment.server.kill(set.orgId);
  const since = performance.now();
  set.letAnswer();
  const resumedMs = await waitForUnsent(environment, set, since);
  const all = await waitUntilAllDelivered(environment, set.orgId);
  await stop(environment, workers);
  return compareDeliveries(`${environment.server.name}, while requests are in flight`, all, set.list, {
    bound: perWebhook,
    resumedMs,
    limitMs: postgresMs,
  });
};

export const killPostgresAndWorker: Fault = async (environment, { messages, postgresMs }) => {
  const set = await startScenario(environment);
  const dead = await environment.startPausedWorker();
  await environment.messages(set.orgId, messages);
  environment.resume(dead);
  await until(
    'requests are in flight',
    () => set.list.length,
    (count) => count >= perWebhook,
  );
  await environment.server.kill(set.orgId);
  await environment.kill(dead);
  const since = performance.now();
  set.letAnswer();
  await environment.deliveries(set.orgId);
  const next = await environment.startWorker();
  const resumedMs = await waitForUnsent(environment, set, since);
  const all = await waitUntilAllDelivered(environment, set.orgId);
  await stop(environment, [next]);
  return compareDeliveries(`${environment.server.name} and the only worker`, all, set.list, {
    bound: perWebhook,
    resumedMs,
    limitMs: postgresMs,
  });
};

/** Half of several workers die in the middle of the work, to twelve webhooks. */
export function killHalfOf(count: number): Fault {
  return async (environment, { messages, workerMs }) => {
    const receiver = await environment.receiver();
    const list = recordArrivals(receiver, async () => 204);
    const urls = Array.from({ length: 12 }, (_, each) => receiver.url(`/${each}`));
    const workers: Worker[] = [];
    for (let each = 0; each < count; each += 1) workers.push(await environment.startWorker());
    const dead = workers.splice(0, count / 2);
    // Every message once, to one webhook of an organization of its own.
    const orgIds: string[] = [];
    for (const url of urls) orgIds.push(await environment.organization([url]));
    const written = Promise.all(
      orgIds.map((orgId) => environment.messages(orgId, Math.ceil(messages / urls.length))),
    );
    await until(
      'the work is under way',
      () => list.length,
      (length) => length >= messages / 4,
    );
    const states = await Promise.all(
      orgIds.map(async (orgId) => (await environment.deliveries(orgId)).filter(({ isLeased }) => isLeased)),
    );
    const workerIds = new Set(dead.map(({ workerId }) => workerId));
    await Promise.all(dead.map((worker) => environment.kill(worker)));
    const since = performance.now();
    const stuck = async (): Promise<number> => {
      const all = await Promise.all(orgIds.map((orgId) => environment.deliveries(orgId)));
      return all.flat().filter(({ workerId }) => workerId !== null && workerIds.has(workerId)).length;
    };
    await until('nothing is left to the dead', stuck, (left) => left === 0);
    const resumedMs = performance.now() - since;
    await written;
    const all = (await Promise.all(orgIds.map((orgId) => waitUntilAllDelivered(environment, orgId)))).flat();
    await stop(environment, workers);
    const bound = Math.max(states.flat().length, dead.length * 192);
    return compareDeliveries(`${dead.length} of ${count} workers, under load`, all, list, {
      bound,
      resumedMs,
      limitMs: workerMs,
    });
  };
}
