// What is attacked: a PostgreSQL with a database in which two partners stand, and services on copies of it.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOrganization } from '../../src/accounts/bootstrap.ts';
import { newClientId, newClientSecret, sha256Digest } from '../../src/domain/security/credentials.ts';
import type { GrantType } from '../../src/domain/security/grant-types.ts';
import { startEmbeddedDatabase } from '../../src/postgres/start.ts';
import type { EmbeddedDatabase } from '../../src/postgres/start.ts';
import { insertApplication } from '../../src/queries/accounts/applications.ts';
import { applyMigrations } from '../../src/queries/connection/migrations.ts';
import { fixedCredentials, PartnerApi, requestToken, until } from '../../tests/process/partner.ts';
import {
  executeOnServer,
  SERVER_VARIABLE,
  testDatabase,
  withDatabase,
} from '../../tests/support/database.ts';
import type { TestDatabase, TestServer } from '../../tests/support/database.ts';
import { PARTNER_COMMAND, startService } from '../../tests/support/service.ts';
import type { ServiceProcess } from '../../tests/support/service.ts';
import type { Fleet, Target } from './attack.ts';
import type { VictimJob } from './victim.ts';

const USERS = 30_000;
const NOTICES = 30_000;
const APPLICATIONS = 10;

export interface World {
  /** A service on a database of its own, as it is after the preparation. */
  start(limits: 'off' | 'default', command?: string): Promise<Attacked>;
  remove(): Promise<void>;
}

/** A service that can be attacked. */
export interface Attacked {
  readonly target: Target;
  readonly victim: Omit<VictimJob, 'perSecond' | 'requests'>;
  /** Resident memory of the service's process in MB, now and at most since the last call. */
  memory(): { readonly now: number; readonly peak: number };
  /** The longest hold of the event loop since the last call, in milliseconds. */
  longestHold(): Promise<number>;
  remove(): Promise<void>;
}

/** Prepares the two partners: `households` in the attacker's fleet. Takes some 10 s. */
export async function createWorld(households: number): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'partner-abuse-'));
  const blackHole = await startBlackHole();
  const embedded = await startEmbeddedDatabase({
    dataDir: folder,
    log: { info: () => undefined, warn: () => undefined, error: console.error },
    settings: { max_connections: '100' },
    onFatal: (error) => {
      throw error;
    },
  });
  const remove = async (): Promise<void> => {
    blackHole.close();
    await embedded.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const start = await prepareServices(embedded.connection, households, blackHole.port);
    return { start, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function prepareServices(
  connection: EmbeddedDatabase['connection'],
  households: number,
  blackHolePort: number,
): Promise<World['start']> {
  const use = (template: string): void => {
    process.env[SERVER_VARIABLE] = JSON.stringify({ connection, template } satisfies TestServer);
  };
  await executeOnServer(connection, 'create database migrated');
  await applyMigrations(withDatabase(connection, 'migrated'), join(import.meta.dirname, '../../migrations'));
  use('migrated');
  const database = await testDatabase();
  const fixed = fixedCredentials();
  const env = {
    ...fixed.env,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    LOG_LEVEL: 'error',
  };
  const service = await startService({ env: { ...env, DATABASE_URL: database.url, RATE_LIMITS: 'off' } });
  const prepared = await prepare(database, service, households, blackHolePort);
  const victim = await prepareVictim(service, fixed);
  await service.remove();
  await database.pool.end();
  use(database.connection.database ?? '');
  return (limits, command = PARTNER_COMMAND) => startAttacked(env, limits, command, prepared, victim);
}

type Prepared = Omit<Target, 'port' | 'victimClientId'>;
type Victim = Omit<VictimJob, 'port' | 'perSecond' | 'requests'>;

async function startAttacked(
  env: Readonly<Record<string, string>>,
  limits: 'off' | 'default',
  command: string,
  prepared: Prepared,
  victim: Victim,
): Promise<Attacked> {
  const database = await testDatabase();
  const service = await startService({
    command,
    env: { ...env, DATABASE_URL: database.url, ...(limits === 'off' ? { RATE_LIMITS: 'off' } : {}) },
  });
  const port = Number(new URL(service.baseUrl).port);
  return {
    target: { ...prepared, port, victimClientId: victim.clientId },
    victim: { ...victim, port },
    memory: () => readMemory(service.pid),
    longestHold: async () => {
      const text = await (await fetch(`${service.baseUrl}/metrics`)).text();
      return Number(/^nodejs_eventloop_lag_max_seconds (\S+)/m.exec(text)?.[1]) * 1000;
    },
    remove: async () => {
      await service.remove();
      await database.close();
    },
  };
}

async function prepareVictim(
  service: ServiceProcess,
  fixed: ReturnType<typeof fixedCredentials>,
): Promise<Victim> {
  const { orgId, clientId, clientSecret } = fixed;
  const api = await PartnerApi.open(service, fixed);
  const user = { email: 'victim@example.com', role: 'user', country: 'AT' };
  const { body } = await api.call<{ id: string }>('POST', '/users', user);
  return { orgId, clientId, clientSecret, token: api.token, userId: body.id };
}

async function prepare(
  { db, pool }: TestDatabase,
  service: ServiceProcess,
  households: number,
  blackHolePort: number,
): Promise<Prepared> {
  const attacker = await createOrganization(
    db,
    { name: 'Attacker', adminEmail: 'a@example.com' },
    new Date(),
  );
  const { orgId, clientId } = attacker;
  const clientSecret = attacker.clientSecret.reveal();
  const addApplication = async (
    grantType: GrantType,
  ): Promise<{ clientId: string; clientSecret: string }> => {
    const made = { clientId: newClientId(), clientSecret: newClientSecret() };
    const secretHash = sha256Digest(made.clientSecret);
    const owner = { orgId, ownerUserId: attacker.adminUserId, name: 'Further' };
    await insertApplication(db, { ...owner, clientId: made.clientId, secretHash, grantType }, new Date());
    return made;
  };
  const applicationTokens: string[] = [];
  for (let i = 0; i < APPLICATIONS; i++) {
    const { body } = await requestToken(service.baseUrl, await addApplication('client-credentials'));
    applicationTokens.push(body.access_token);
  }
  const password = await addApplication('password');
  const api = await PartnerApi.open(service, { orgId, clientId, clientSecret });
  const webhook = await api.call<{ id: string }>('POST', '/notifications/webhooks', {
    url: `https://127.0.0.1:${blackHolePort}/`,
    topics: ['device.information'],
  });
  await pool.query(
    `insert into users (org_id, id, email, role, first_name, last_name, town, country, created_at, updated_at)
     select $1, gen_random_uuid(), 'user' || n || '@example.com', 'user', 'First', 'Last', 'Graz', 'AT',
       now() - n * interval '1 s', now()
     from generate_series(1, $2::int) n`,
    [orgId, USERS],
  );
  await pool.query(
    `insert into notification_items (org_id, id, kind, message, occurred_at)
     select $1, gen_random_uuid(), 'information', 'Notice ' || n, now() - n * interval '1 s'
     from generate_series(1, $2::int) n`,
    [orgId, NOTICES],
  );
  return {
    orgId,
    clientId,
    clientSecret,
    token: api.token,
    passwordClientId: password.clientId,
    passwordClientSecret: password.clientSecret,
    applicationTokens,
    fleet: await growFleet(api, households),
    webhookId: webhook.body.id,
  };
}

async function growFleet(api: PartnerApi, households: number): Promise<Fleet> {
  const path = '/device-simulator/fleets';
  const made = await api.call<{ job_id: string; simulation_org_id: string }>('POST', path, {
    request_id: crypto.randomUUID(),
    count: 1_000,
    latitude: 48.2,
    longitude: 16.4,
  });
  const { job_id: jobId, simulation_org_id: simulationOrgId } = made.body;
  const running = (): Promise<unknown> =>
    until(
      () => api.call<{ status: string }>('GET', `${path}/${jobId}`),
      ({ body }) => body.status === 'running',
    );
  await running();
  for (let count = 1_000; count < households; count += 1_000) {
    await api.call('POST', `${path}/${jobId}/expand`, { request_id: crypto.randomUUID(), count: 1_000 });
    await running();
  }
  type Device = { readonly device_id: string; readonly device_type: string; readonly user_id: string };
  const { status, body } = await api.call<{ items: readonly Device[] }>('GET', `${path}/${jobId}/devices`);
  if (status !== 200) throw new Error(`The fleet's devices were answered ${JSON.stringify(body)}.`);
  const byUser = [...Map.groupBy(body.items, ({ user_id }) => user_id)];
  for (const [userId, devices] of byUser) {
    const find = (type: string): string | undefined =>
      devices.find(({ device_type }) => device_type === type)?.device_id;
    const [heatPumpId, inverterId] = [find('heat_pump'), find('inverter')];
    if (heatPumpId !== undefined && inverterId !== undefined)
      return { jobId, simulationOrgId, userId, heatPumpId, inverterId };
  }
  throw new Error('No household has both a heat pump and an inverter.');
}

/** Takes connections and never says anything, not even of TLS. */
async function startBlackHole(): Promise<{ readonly port: number; close(): void }> {
  const sockets = new Set<{ destroy(): void }>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function readMemory(pid: number): { now: number; peak: number } {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  const megabytes = (name: string): number =>
    (Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1]) * 1024) / 1e6;
  const memory = { now: megabytes('VmRSS'), peak: megabytes('VmHWM') };
  // 5 sets the peak back to what is resident now (proc_pid_clear_refs(5)).
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
  return memory;
}
