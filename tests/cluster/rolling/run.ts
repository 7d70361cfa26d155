// Processes that are restarted one after the other behind HAProxy, while partners call without a pause.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedDatabase } from '../../../src/postgres/start.ts';
import { findFreePort } from '../../faults/restarts.ts';
import { fixedCredentials, PartnerApi } from '../../process/partner.ts';
import { startTrustedReceiver } from '../../support/receiver.ts';
import { PARTNER_COMMAND, startService } from '../../support/service.ts';
import type { ServiceProcess } from '../../support/service.ts';
import { recordArrivals, waitForArrivals } from '../arrivals.ts';
import { addWebhook, listMissingUsers, startFleet } from '../world.ts';
import { ApiProxy } from './proxy.ts';
import { summarizeRolling } from './report.ts';
import type { RollingReport } from './report.ts';
import { Traffic } from './traffic.ts';

/** Requests at least, in whole rounds of restarts. */
const REQUESTS = 50_000;
/** With four devices each, of which each can tell three notices. */
const HOUSEHOLDS = 900;
const ARRIVAL_MS = 60_000;

interface Member {
  readonly role: 'api' | 'worker';
  readonly port: number;
  service: ServiceProcess;
}

type Closers = (() => unknown)[];

/**
 * Runs the scenario on a PostgreSQL of its own; whoever calls closes, the latest first, what is in `closers`. All processes are at first
 * those of the command `from`, and of this tree when they have been restarted.
 */
export async function runRolling(closers: Closers, from = PARTNER_COMMAND): Promise<RollingReport> {
  const database = await openDatabase(closers);
  const receiver = await startTrustedReceiver();
  closers.push(() => receiver.close());
  const arrivals = recordArrivals(receiver);
  const credentials = fixedCredentials();
  const env = {
    ...receiver.env,
    ...credentials.env,
    DATABASE_URL: database.url,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    HOST: '127.0.0.1',
    TRUSTED_PROXIES: '127.0.0.0/8',
    // As by default with a database of its own.
    STOP_DELAY_SECONDS: '3',
    ...{ RATE_LIMITS: 'off', QUOTAS: 'off', SIMULATOR_FAULTS: 'off', LOG_LEVEL: 'warn' },
  };
  const start = (role: string, port: number, command = PARTNER_COMMAND): Promise<ServiceProcess> =>
    startService({ env: { ...env, PORT: String(port) }, args: ['--role', role], command });
  const members: Member[] = [];
  for (const role of ['api', 'api', 'worker', 'worker'] as const) {
    const port = await findFreePort();
    const member = { role, port, service: await start(role, port, from) };
    members.push(member);
    closers.push(() => member.service.remove());
  }
  const [first = 0, second = 0] = members.map(({ port }) => port);
  const proxy = await ApiProxy.start([`127.0.0.1:${first}`, `127.0.0.1:${second}`]);
  closers.push(() => proxy.close());
  await proxy.waitUntilWhole();
  const api = await PartnerApi.open(proxy, credentials);
  const fleet = await startFleet(api, HOUSEHOLDS);
  await addWebhook(api.at({ orgId: fleet.simulationOrgId }), receiver.url());
  const deviceIds = await database.listDevices(fleet.simulationOrgId);
  const { baseUrl } = proxy;
  const traffic = new Traffic({
    baseUrl,
    orgId: api.orgId,
    fleetId: fleet.jobId,
    deviceIds,
    token: api.token,
  });
  closers.push(() => traffic.stop());
  await standStill(members, proxy, traffic);
  const done = await restartInRounds(members, proxy, traffic, start);
  await traffic.stop();
  await waitForArrivals(arrivals, traffic.events, ARRIVAL_MS);
  const missing = await database.listMissing(traffic.emails);
  for (const failure of traffic.failures.slice(0, 10)) console.error(JSON.stringify(failure));
  return summarizeRolling({ ...done, ...pick(traffic), arrivals, missing });
}

const pick = ({ answered, slowestMs, failures, events }: Traffic) => ({
  answered,
  slowestMs,
  failures,
  events,
});

/** No API process answers anything for some seconds, not even checks: what is sent to the proxy then waits until one does. */
async function standStill(members: readonly Member[], proxy: ApiProxy, traffic: Traffic): Promise<void> {
  const ids = members.filter(({ role }) => role === 'api').map(({ service }) => service.pid);
  for (const id of ids) process.kill(id, 'SIGSTOP');
  let late: Promise<void> | undefined;
  try {
    await proxy.waitUntilAllAreDown();
    late = traffic.read();
  } finally {
    for (const id of ids) process.kill(id, 'SIGCONT');
  }
  await late;
  await proxy.waitUntilWhole();
}

async function restartInRounds(
  members: readonly Member[],
  proxy: ApiProxy,
  traffic: Traffic,
  start: (role: string, port: number) => Promise<ServiceProcess>,
): Promise<{ restarts: number; longestStopMs: number }> {
  let [restarts, longestStopMs] = [0, 0];
  while (traffic.answered < REQUESTS) {
    for (const member of members) {
      const startedAt = performance.now();
      const { code } = await member.service.stop();
      if (code !== 0) throw new Error(`A process ended with ${String(code)}:\n${member.service.log()}`);
      longestStopMs = Math.max(longestStopMs, performance.now() - startedAt);
      member.service = await start(member.role, member.port);
      await proxy.waitUntilWhole();
      restarts += 1;
    }
    console.error(`${restarts} restarts, ${traffic.answered} requests, ${traffic.failures.length} failed`);
  }
  return { restarts, longestStopMs };
}

interface RollingDatabase {
  readonly url: string;
  listDevices(orgId: string): Promise<string[]>;
  /** Those of the emails that no user has. */
  listMissing(emails: readonly string[]): Promise<string[]>;
}

async function openDatabase(closers: Closers): Promise<RollingDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'partner-rolling-'));
  closers.push(() => rmSync(folder, { recursive: true, force: true }));
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const onFatal = (error: Error): never => {
    throw error;
  };
  const embedded = await startEmbeddedDatabase({ dataDir: join(folder, 'data'), log, onFatal });
  closers.push(() => embedded.stop());
  const { host, port, user, database } = embedded.connection;
  const client = new pg.Pool({ ...embedded.connection, max: 1 });
  // The database may end before the pool's connection has.
  client.on('error', () => undefined);
  closers.push(() => client.end());
  return {
    url: `postgresql://${user}@/${database}?host=${encodeURIComponent(host)}&port=${port}`,
    listDevices: async (orgId) => {
      const { rows } = await client.query<{ id: string }>('select id from devices where org_id = $1', [
        orgId,
      ]);
      return rows.map(({ id }) => id);
    },
    listMissing: (emails) => listMissingUsers(client, emails),
  };
}
