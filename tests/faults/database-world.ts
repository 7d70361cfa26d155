// `partner serve` on a PostgreSQL of its own behind a proxy, and a client that asks it all the time.
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { Agent, fetch } from 'undici';
import { startEmbeddedDatabase } from '../../src/postgres/start.ts';
import type { EmbeddedDatabase } from '../../src/postgres/start.ts';
import { startService } from '../support/service.ts';
import type { ServiceProcess } from '../support/service.ts';
import { startSwallowingProxy } from '../support/swallowing-proxy.ts';
import type { SwallowingProxy } from '../support/swallowing-proxy.ts';

/** A request of the client and what became of it; times in milliseconds of performance.now(). */
export interface Sent {
  readonly at: number;
  readonly ms: number;
  /** 0 when it was not answered within ten seconds, or its connection broke. */
  readonly status: number;
  readonly code: string | undefined;
  /** The email of the user that it creates. */
  readonly email: string | undefined;
}

const INTERVAL_MS = 20;
const PATIENCE_MS = 10_000;
/** While the database hangs more requests wait than the connections that the service grants an address (128). */
const ADDRESSES = ['127.0.0.1', '127.0.0.2', '127.0.0.3'];

export class DatabaseWorld {
  readonly admin: pg.Client;
  readonly proxy: SwallowingProxy;
  readonly #embedded: EmbeddedDatabase;
  readonly #service: ServiceProcess;
  readonly #folder: string;
  readonly #users: string;
  readonly #authorization: string;
  readonly #clients = ADDRESSES.map((localAddress) => new Agent({ localAddress }));

  private constructor(parts: {
    admin: pg.Client;
    proxy: SwallowingProxy;
    embedded: EmbeddedDatabase;
    service: ServiceProcess;
    folder: string;
    users: string;
    token: string;
  }) {
    this.admin = parts.admin;
    this.proxy = parts.proxy;
    this.#embedded = parts.embedded;
    this.#service = parts.service;
    this.#folder = parts.folder;
    this.#users = parts.users;
    this.#authorization = `Bearer ${parts.token}`;
  }

  static async open(): Promise<DatabaseWorld> {
    const folder = mkdtempSync(join(tmpdir(), 'partner-database-faults-'));
    const embedded = await startEmbeddedDatabase({
      dataDir: join(folder, 'data'),
      log: { info: () => {}, warn: () => {}, error: () => {} },
      onFatal: (error) => {
        throw error;
      },
    });
    const superuser = new pg.Client(embedded.connection);
    await superuser.connect();
    await superuser.query('create role service login');
    await superuser.query('create database service owner service');
    await superuser.end();
    const admin = new pg.Client({ ...embedded.connection, database: 'service' });
    await admin.connect();
    const proxy = await startSwallowingProxy(embedded.connection);
    const [orgId, secret] = [randomUUID(), randomBytes(24).toString('hex')];
    const service = await startService({
      env: {
        DATABASE_URL: `postgresql://service@127.0.0.1:${proxy.port}/service`,
        ENCRYPTION_KEY: randomBytes(32).toString('base64'),
        BOOTSTRAP_ORG_ID: orgId,
        BOOTSTRAP_CLIENT_ID: 'faults',
        BOOTSTRAP_CLIENT_SECRET: secret,
        LOG_LEVEL: 'error',
      },
    });
    const answer = await fetch(`${service.baseUrl}/oauth2/token/`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: 'faults',
        client_secret: secret,
      }),
    });
    const { access_token: token } = (await answer.json()) as { access_token: string };
    const users = `${service.baseUrl}/api/partners/v2.0/org/${orgId}/users`;
    return new DatabaseWorld({ admin, proxy, embedded, service, folder, users, token });
  }

  /** The processes of PostgreSQL. */
  listServerProcesses(): number[] {
    const file = join(this.#folder, 'data', 'postgres', 'postmaster.pid');
    const postmaster = Number(readFileSync(file, 'utf8').split('\n')[0]);
    const parentOf = (pid: string): number => {
      try {
        return Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]);
      } catch {
        return 0;
      }
    };
    const children = readdirSync('/proc').filter(
      (name) => /^\d+$/.test(name) && parentOf(name) === postmaster,
    );
    return [postmaster, ...children.map(Number)];
  }

  /** Who owns the files of PostgreSQL. */
  fileOwner(): { uid: number; gid: number } {
    return statSync(join(this.#folder, 'data', 'postgres', 'PG_VERSION'));
  }

  /** Milliseconds until `/readyz` is 503; undefined when it is not within `patienceMs`. */
  async waitUntilNotReady(patienceMs: number): Promise<number | undefined> {
    const startedAt = performance.now();
    while (performance.now() - startedAt < patienceMs) {
      const { status } = await fetch(`${this.#service.baseUrl}/readyz`);
      if (status === 503) return performance.now() - startedAt;
      await sleep(50);
    }
    return undefined;
  }

  /** Sends fifty requests a second, by turns a GET and a POST, until the returned function is called. */
  startLoad(): { readonly sent: readonly Sent[]; stop(): Promise<void> } {
    const sent: Sent[] = [];
    const open = new Set<Promise<void>>();
    let count = 0;
    const timer = setInterval(() => {
      count += 1;
      const email = count % 2 === 0 ? undefined : `${randomUUID()}@example.com`;
      const request = this.#send(email, this.#clients[count % ADDRESSES.length])
        .then((each) => void sent.push(each))
        .finally(() => open.delete(request));
      open.add(request);
    }, INTERVAL_MS);
    return {
      sent,
      stop: async () => {
        clearInterval(timer);
        await Promise.all(open);
      },
    };
  }

  async #send(email: string | undefined, client: Agent | undefined): Promise<Sent> {
    const at = performance.now();
    const headers = { authorization: this.#authorization, 'content-type': 'application/json' };
    const common = {
      headers,
      signal: AbortSignal.timeout(PATIENCE_MS),
      ...(client && { dispatcher: client }),
    };
    const request =
      email === undefined
        ? fetch(`${this.#users}?limit=1`, common)
        : fetch(this.#users, {
            ...common,
            method: 'POST',
            body: JSON.stringify({ email, role: 'user' }),
          });
    const [status, code] = await request.then(
      async (answer) => [answer.status, ((await answer.json()) as { code?: string }).code] as const,
      () => [0, undefined] as const,
    );
    return { at, ms: performance.now() - at, status, code, email };
  }

  /** Those of the emails that the database does not have. */
  async listMissing(emails: readonly string[]): Promise<string[]> {
    const { rows } = await this.admin.query<{ email: string }>(
      'select e.email from unnest($1::text[]) e (email) where not exists (select from users u where u.email = e.email)',
      [emails],
    );
    return rows.map(({ email }) => email);
  }

  async close(): Promise<void> {
    for (const client of this.#clients) await client.destroy();
    await this.#service.remove();
    await this.proxy.close();
    await this.admin.end();
    await this.#embedded.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
