// What the webhook rows share: receivers in another process, a dispatcher in this one.
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { createKeyring, encrypt, webhookSecretContext } from '../../src/domain/security/encryption.ts';
import { generateSigningSecret } from '../../src/domain/notifications/signature.ts';
import type { OpenDatabase } from '../../src/queries/connection/database.ts';
import { insertMessageWithDeliveries } from '../../src/queries/deliveries/deliveries.ts';
import { insertWebhook } from '../../src/queries/deliveries/webhooks.ts';
import { Dispatcher } from '../../src/webhooks/dispatcher.ts';
import { WebhookClient } from '../../src/webhooks/webhook-client.ts';
import { createCertificateAuthority, createServerCertificate } from '../../tools/demo/certificates.ts';

export const keys = createKeyring(randomBytes(32));
const none = (): void => {};

export interface Receivers {
  readonly ports: readonly number[];
  readonly ca: string;
  /** Since the last report. */
  report(): Promise<{ latencies: number[]; connections: number }>;
  stop(): void;
}

export async function startReceivers(healthy: number, dead: number): Promise<Receivers> {
  const authority = await createCertificateAuthority();
  const certificate = await createServerCertificate(authority, ['localhost'], ['127.0.0.1']);
  const child: ChildProcess = fork(join(import.meta.dirname, 'receivers.ts'));
  child.send({ ...certificate, healthy, dead });
  const [{ ports }] = (await once(child, 'message')) as [{ ports: number[] }];
  return {
    ports,
    ca: authority.ca,
    report: async () => {
      child.send('report');
      const [report] = (await once(child, 'message')) as [{ latencies: number[]; connections: number }];
      return report;
    },
    stop: () => void child.kill(),
  };
}

export function newExchange(ca: string): WebhookClient {
  return new WebhookClient({
    lookup: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
    allowedNetworks: ['127.0.0.0/8'],
    extraCa: ca,
  });
}

export interface Running {
  readonly dispatcher: Dispatcher;
  /** Resolves when this many have been delivered. */
  delivered(count: number): Promise<void>;
}

export function newDispatcher({ db }: OpenDatabase, client: WebhookClient): Running {
  let done = 0;
  let wanted = Infinity;
  let reached = Promise.withResolvers<undefined>();
  const dispatcher = new Dispatcher({
    db,
    client,
    keyring: keys,
    now: () => new Date(),
    random: Math.random,
    metrics: {
      attemptEnded: none,
      messageReceived: none,
      deliveriesCancelled: none,
      resultsSuperseded: none,
      leasesReleased: none,
      deliveriesFinished: (state, count) => {
        if (state === 'delivered') done += count;
        if (done >= wanted) reached.resolve(undefined);
      },
    },
    onError: (error) => console.error(error),
  });
  return {
    dispatcher,
    delivered: async (count) => {
      wanted = done + count;
      reached = Promise.withResolvers();
      await reached.promise;
      wanted = Infinity;
    },
  };
}

/** Organizations with one webhook each. */
export async function addWebhooks({ db }: OpenDatabase, ports: readonly number[]): Promise<string[]> {
  const orgIds: string[] = [];
  for (const port of ports) {
    const [orgId, id, at] = [randomUUID(), randomUUID(), new Date()];
    await db
      .insertInto('organizations')
      .values({ id: orgId, name: 'Bench', kind: 'partner', created_at: at })
      .execute();
    const webhook = {
      org_id: orgId,
      id,
      url: `https://localhost:${port}/`,
      topics: ['device.information' as const],
      secret: encrypt(keys, generateSigningSecret(), webhookSecretContext(id)),
    };
    await insertWebhook(db, webhook, at);
    orgIds.push(orgId);
  }
  return orgIds;
}

/** A body of the usual size that carries the instant of its event. */
export function bodyNow(): Buffer {
  const sentAt = performance.timeOrigin + performance.now();
  return Buffer.from(`{"sent_at":${sentAt},"filler":"${'x'.repeat(300)}"}`);
}

export async function addEvent({ db }: OpenDatabase, orgId: string): Promise<void> {
  const now = new Date();
  const message = {
    org_id: orgId,
    id: randomUUID(),
    message_type: 'device.information',
    occurred_at: now,
    payload: bodyNow(),
  };
  await db.transaction().execute((tx) => insertMessageWithDeliveries(tx, message, now));
}

/** Many pending deliveries at once, `count` over the organizations in turn. */
export async function addBacklog(
  { pool }: OpenDatabase,
  orgIds: readonly string[],
  count: number,
): Promise<void> {
  await pool.query(
    `with made as materialized (
       select ($1::uuid[])[1 + n % $2::int] as org_id, uuidv7(n * interval '1 ms' - $3::int * interval '1 ms') as id,
         now() - ($3::int - n) * interval '1 ms' as at
       from generate_series(1, $3::int) n
     ), written as (
       insert into messages (org_id, id, message_type, occurred_at, payload, created_at)
       select org_id, id, 'device.information', at, $4, at from made
     )
     insert into deliveries (org_id, message_id, webhook_id, due_at, created_at)
     select org_id, made.id, w.id, at, at from made join webhooks w using (org_id)`,
    [orgIds, orgIds.length, count, bodyNow()],
  );
  await pool.query('analyze deliveries');
}
