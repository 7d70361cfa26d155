// What every fault happens to: a PostgreSQL with fsync on, real worker processes, a real TLS receiver.
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Server, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Keyring } from '../../src/domain/security/encryption.ts';
import { encodeEnvelope } from '../../src/domain/notifications/envelope.ts';
import { createKeyring, encrypt, webhookSecretContext } from '../../src/domain/security/encryption.ts';
import { generateSigningSecret } from '../../src/domain/notifications/signature.ts';
import { openDatabase, type OpenDatabase } from '../../src/queries/connection/database.ts';
import { insertMessageWithDeliveries, notifyDispatchers } from '../../src/queries/deliveries/deliveries.ts';
import { insertWebhook } from '../../src/queries/deliveries/webhooks.ts';
import { createCertificateAuthority, type Authority } from '../../tools/demo/certificates.ts';
import { startReceiver, type Receiver, type ReceiverOptions } from '../support/receiver.ts';
import { startService, type ServiceProcess } from '../support/service.ts';
import { startEmbeddedServer, type FaultServer } from './server.ts';

export interface Worker {
  readonly process: ServiceProcess;
  /** As it stands at its leases. */
  readonly workerId: number;
}

export interface DeliveryState {
  readonly messageId: string;
  readonly url: string;
  readonly state: string;
  readonly attempts: number;
  readonly errors: readonly string[];
  readonly workerId: number | null;
  readonly isLeased: boolean;
}

export class FaultEnvironment {
  readonly authority: Authority;
  readonly keys: Keyring;
  readonly database: OpenDatabase;
  readonly server: FaultServer;
  readonly #folder: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #workers = new Set<ServiceProcess>();
  readonly #receivers: { close(): Promise<void> }[] = [];

  private constructor(
    authority: Authority,
    key: Buffer,
    server: FaultServer,
    database: OpenDatabase,
    folder: string,
    env: Readonly<Record<string, string>>,
  ) {
    this.authority = authority;
    this.keys = createKeyring(key);
    this.server = server;
    this.database = database;
    this.#folder = folder;
    this.#env = env;
  }

  /** Takes the server over: `close` stops it. */
  static async open(given?: FaultServer): Promise<FaultEnvironment> {
    const server = given ?? (await startEmbeddedServer());
    const folder = mkdtempSync(join(tmpdir(), 'partner-faults-'));
    const authority = await createCertificateAuthority();
    writeFileSync(join(folder, 'authority.pem'), authority.ca);
    const key = randomBytes(32);
    const opened = openDatabase({ connection: server.url, max: 4, applicationName: 'faults' });
    return new FaultEnvironment(authority, key, server, opened, folder, {
      DATABASE_URL: server.url,
      ENCRYPTION_KEY: key.toString('base64'),
      WEBHOOK_CA_FILE: join(folder, 'authority.pem'),
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
      LOG_LEVEL: 'error',
    });
  }

  /** One by one, so that each is known by its worker id. */
  async startWorker(): Promise<Worker> {
    const before = new Set(await this.#workerIds());
    const service = await startService({ env: this.#env, args: ['--role', 'worker'] });
    this.#workers.add(service);
    const [workerId = 0] = (await this.#workerIds()).filter((each) => !before.has(each));
    return { process: service, workerId };
  }

  /** A worker that is ready and does nothing until it is resumed: what it takes to start is no part of a fault. */
  async startPausedWorker(): Promise<Worker> {
    const worker = await this.startWorker();
    process.kill(worker.process.pid, 'SIGSTOP');
    return worker;
  }

  resume(worker: Worker): void {
    process.kill(worker.process.pid, 'SIGCONT');
  }

  async kill(worker: Worker): Promise<void> {
    this.#workers.delete(worker.process);
    await worker.process.stop('SIGKILL');
    await worker.process.remove();
  }

  async receiver(options: ReceiverOptions = {}): Promise<Receiver> {
    const receiver = await startReceiver({ authority: this.authority, ...options });
    this.#receivers.push(receiver);
    return receiver;
  }

  alsoClose(server: Server): void {
    const sockets = new Set<Socket>();
    server.on('connection', (socket) => sockets.add(socket));
    this.#receivers.push({
      close: async () => {
        for (const socket of sockets) socket.destroy();
        await new Promise((resolve) => server.close(resolve));
      },
    });
  }

  /** An organization with one webhook for each address. */
  async organization(urls: readonly string[]): Promise<string> {
    const { db } = this.database;
    const orgId = randomUUID();
    const at = new Date();
    await db
      .insertInto('organizations')
      .values({ id: orgId, name: 'Partner', kind: 'partner', created_at: at })
      .execute();
    for (const url of urls) {
      const id = randomUUID();
      const secret = encrypt(this.keys, generateSigningSecret(), webhookSecretContext(id));
      await insertWebhook(db, { org_id: orgId, id, url, topics: ['device.information'], secret }, at);
    }
    return orgId;
  }

  /** Writes messages as events do, ten in a transaction, and wakes the workers. */
  async messages(orgId: string, count: number): Promise<void> {
    const { db } = this.database;
    for (let done = 0; done < count; done += 10) {
      await db.transaction().execute(async (tx) => {
        for (let each = done; each < Math.min(count, done + 10); each += 1) {
          const [id, now] = [randomUUID(), new Date()];
          const data = {
            device_id: randomUUID(),
            device_type: 'heat_pump',
            owner_id: randomUUID(),
            notice: 'device_offline',
          } as const;
          const payload = encodeEnvelope(id, { type: 'device.information', data }, now);
          const message = {
            org_id: orgId,
            id,
            message_type: 'device.information',
            occurred_at: now,
            payload,
          };
          await insertMessageWithDeliveries(tx, message, now);
        }
      });
    }
    await notifyDispatchers(db);
  }

  /** All deliveries; waits for the database if it is away, for two minutes. */
  async deliveries(orgId: string): Promise<DeliveryState[]> {
    const ask = () =>
      this.database.pool.query<DeliveryState>(
        `select d.message_id as "messageId", w.url, d.state, d.attempts, s.worker_id as "workerId", s.slot is not null as "isLeased",
             array(select coalesce(a.error_class, 'none') from delivery_attempts a
                   where a.org_id = d.org_id and a.message_id = d.message_id and a.webhook_id = d.webhook_id
                   order by attempt) as errors
           from deliveries d join webhooks w on w.org_id = d.org_id and w.id = d.webhook_id
           left join in_flight_slots s on s.org_id = d.org_id and s.message_id = d.message_id and s.webhook_id = d.webhook_id
           where d.org_id = $1 order by d.created_at, d.message_id`,
        [orgId],
      );
    const answer = await until(
      'the database tells the deliveries',
      () => ask().catch((error: unknown) => ({ rows: undefined, error: String(error) })),
      ({ rows }) => rows !== undefined,
    );
    return answer.rows ?? [];
  }

  async close(): Promise<void> {
    for (const each of this.#workers) process.kill(each.pid, 'SIGCONT');
    await Promise.all([...this.#workers].map((each) => each.remove()));
    for (const each of this.#receivers) await each.close();
    await this.database.close();
    await this.server.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #workerIds(): Promise<number[]> {
    const { rows } = await this.database.pool.query<{ worker_id: number }>(
      "select objid::bigint as worker_id from pg_locks where locktype = 'advisory' and objsubid = 2",
    );
    return rows.map(({ worker_id }) => worker_id);
  }
}

/** Asks again every 10 ms; gives up with a description of what it saw last. */
export async function until<T>(
  what: string,
  ask: () => T | Promise<T>,
  isSo: (answer: T) => boolean,
  patienceMs = 120_000,
): Promise<T> {
  const startedAt = performance.now();
  for (;;) {
    const answer = await ask();
    if (isSo(answer)) return answer;
    if (performance.now() - startedAt > patienceMs)
      throw new Error(
        `After ${patienceMs} ms still not: ${what}. ${JSON.stringify({ answer }).slice(0, 400)}`,
      );
    await sleep(10);
  }
}
