// What is attacked: a PostgreSQL with a database in which two partners stand, and services on copies of it.
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, errors, request } from 'undici';
import { applyMigrations } from '../../src/queries/connection/migrations.ts';
import { fixedCredentials } from '../../tests/process/partner.ts';
import {
  executeOnServer,
  SERVER_VARIABLE,
  testDatabase,
  withDatabase,
} from '../../tests/support/database.ts';
import type { TestServer } from '../../tests/support/database.ts';
import { Inspector, INSPECTOR_ENV } from '../../tests/support/inspector.ts';
import { PARTNER_COMMAND, startService } from '../../tests/support/service.ts';
import { startTemporaryServer } from '../../tests/support/temporary-server.ts';
import type { TemporaryServer } from '../../tests/support/temporary-server.ts';
import { bearer, longestSeriesPath } from './attack.ts';
import type { Target } from './attack.ts';
import { TAKE_LONGEST_HOLD, WATCH_HOLDS } from './holds.ts';
import { prepareAttacker, prepareVictim, startBlackHole } from './partners.ts';
import type { Attacker, VictimPartner } from './partners.ts';
import type { VictimJob } from './victim.ts';

/** Where metrics are asked for from where they have no port of their own: quotas of addresses are the partners'. */
const OBSERVER = '127.0.0.3';
/** Below the ports that the system gives by itself, to the inspector of the service for one. */
const METRICS_PORT = 19_464;
/** A service that tells nothing for so long behind an attack is taken to have been held for as long; without its bounds it may be for minutes. */
const MAX_SILENCE_MS = 60_000;
const USERS = 30_000;
const NOTICES = 30_000;
const DELIVERIES = 30_000;
/**
 * Autovacuum would look at each database of the server once a minute, those that are only copied among them, and take a third to a half of
 * the core for up to two seconds in whatever run that falls.
 */
const SERVER_SETTINGS = { max_connections: '100', autovacuum: 'off' } as const;
/** The prepared database as autovacuum would have left it within a minute. */
const ANALYZED = 'analyzed';

export interface World {
  /** A service on a database of its own, as it is after the preparation. */
  start(how: Start): Promise<Attacked>;
  remove(): Promise<void>;
}

interface Start {
  readonly limits: 'off' | 'default';
  /** The `partner` of another source tree. */
  readonly command?: string | undefined;
  /** Whether metrics have a port of their own, as they should have where anybody reaches the main one. */
  readonly hasOwnMetrics: boolean;
  /** Whether the planner knows the tables, as after the first minutes of a service. */
  readonly hasStatistics: boolean;
}

/** A service that can be attacked. */
export interface Attacked {
  readonly target: Target;
  readonly victim: VictimPartner & Pick<VictimJob, 'port'>;
  /** Lets the threads do a job, so that they have been started before anything is measured. */
  startThreads(): Promise<void>;
  /** Resident memory of the service's process in MB, now and at most since the last call. */
  memory(): { readonly now: number; readonly peak: number };
  /** The longest hold of the event loop since the last call, and the longest delay of a timer, in milliseconds. */
  longestHold(): Promise<{ readonly holdMs: number; readonly delayMs: number }>;
  remove(): Promise<void>;
}

/** Prepares the two partners: `households` in the attacker's fleet. Takes some 10 s. */
export async function createWorld(households: number): Promise<World> {
  const blackHole = await startBlackHole();
  const server = await startTemporaryServer(SERVER_SETTINGS);
  const remove = async (): Promise<void> => {
    blackHole.close();
    await server.remove();
  };
  try {
    const start = await prepareServices(server.connection, households, blackHole.port);
    return { start, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function prepareServices(
  connection: TemporaryServer['connection'],
  households: number,
  blackHolePort: number,
): Promise<World['start']> {
  const use = (template: string): void => {
    process.env[SERVER_VARIABLE] = JSON.stringify({ connection, template, others: [] } satisfies TestServer);
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
  const possessions = { users: USERS, notices: NOTICES, deliveries: DELIVERIES, households, blackHolePort };
  const attacker = await prepareAttacker(database, service, possessions);
  const victim = await prepareVictim(service, fixed, { hasFleet: true });
  await service.remove();
  await database.pool.end();
  const prepared = database.connection.database ?? '';
  await executeOnServer(connection, `create database ${ANALYZED} template ${prepared}`);
  await executeOnServer(withDatabase(connection, ANALYZED), 'vacuum analyze');
  return (how) => {
    use(how.hasStatistics ? ANALYZED : prepared);
    return startAttacked(env, how, attacker, victim);
  };
}

async function startAttacked(
  env: Readonly<Record<string, string>>,
  { limits, command = PARTNER_COMMAND, hasOwnMetrics }: Start,
  attacker: Attacker,
  victim: VictimPartner,
): Promise<Attacked> {
  const database = await testDatabase();
  const service = await startService({
    command,
    env: {
      ...env,
      DATABASE_URL: database.url,
      ...(limits === 'off' ? { RATE_LIMITS: 'off' } : {}),
      ...(hasOwnMetrics ? { METRICS_PORT: String(METRICS_PORT) } : {}),
      ...INSPECTOR_ENV,
    },
  });
  const inspector = await Inspector.open(service);
  await inspector.evaluate(WATCH_HOLDS);
  const port = Number(new URL(service.baseUrl).port);
  const observer = new Agent({ localAddress: OBSERVER });
  return {
    target: { ...attacker, port, victimClientId: victim.clientId },
    victim: { ...victim, port },
    startThreads: async () => {
      const { fleet, token } = victim;
      if (fleet === undefined) throw new Error('The victim has no fleet.');
      const address = `http://127.0.0.1:${port}${longestSeriesPath(fleet)}`;
      const { body, statusCode } = await request(address, { dispatcher: observer, headers: bearer(token) });
      await body.dump();
      if (statusCode !== 200) throw new Error(`The first series was answered ${statusCode}.`);
    },
    memory: () => readMemory(service.pid),
    longestHold: async () => {
      const address = `http://127.0.0.1:${hasOwnMetrics ? METRICS_PORT : port}/metrics`;
      const text = await readMetrics(address, observer);
      if (text === undefined) return { holdMs: MAX_SILENCE_MS, delayMs: MAX_SILENCE_MS };
      return {
        holdMs: await inspector.evaluate<number>(TAKE_LONGEST_HOLD),
        delayMs: Number(/^nodejs_eventloop_lag_max_seconds (\S+)/m.exec(text)?.[1]) * 1000,
      };
    },
    remove: async () => {
      inspector.close();
      await observer.close();
      // Without its bounds a service may be too busy to stop by itself.
      await service.stop('SIGKILL');
      await service.remove();
      await database.close();
    },
  };
}

/** Undefined when the service tells nothing within a minute. */
async function readMetrics(address: string, dispatcher: Agent): Promise<string | undefined> {
  try {
    const { body } = await request(address, { dispatcher, headersTimeout: MAX_SILENCE_MS });
    return await body.text();
  } catch (error) {
    if (error instanceof errors.HeadersTimeoutError) return undefined;
    throw error;
  }
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
