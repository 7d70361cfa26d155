import { afterEach, expect, test } from 'vitest';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Pool } from 'pg';
import { MIGRATION_LOCK_KEY } from '../../src/queries/connection/migrations.ts';
import { emptyDatabase } from '../support/database.ts';
import { startServiceOnSharedServer } from '../support/service.ts';
import { encryptionKey, fixedCredentials, PartnerApi, spawnServe, until } from './partner.ts';

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const each of undo.splice(0)) await each();
});

/** When a stop cuts off what is still open: DRAIN_MS of src/http/http-server.ts. */
const CUT_OFF_MS = 7_000;
/** When it ends all the same, whatever hangs: STOP_MS of src/cli/serve.ts. */
const STOP_MS = 9_500;
const fixed = fixedCredentials();

interface Half {
  readonly request: ClientRequest;
  readonly answer: Promise<IncomingMessage>;
  readonly finish: () => void;
}

/** A POST of which the service has the head and half of the body. */
async function halfSent(api: PartnerApi, email: string): Promise<Half> {
  const body = JSON.stringify({ email, role: 'user' });
  const sent = request(`${api.baseUrl}/api/partners/v2.0/org/${api.orgId}/users`, {
    method: 'POST',
    agent: new Agent({ keepAlive: true }),
    headers: {
      authorization: `Bearer ${api.token}`,
      'content-type': 'application/json',
      'content-length': body.length,
      // The service says by it that it reads the request now.
      expect: '100-continue',
    },
  });
  const answer = once(sent, 'response').then(([response]) => response as IncomingMessage);
  sent.flushHeaders();
  await once(sent, 'continue');
  sent.write(body.slice(0, 20));
  return { request: sent, answer, finish: () => sent.end(body.slice(20)) };
}

/** The status of a request on a connection of its own, or why there was none. */
function newConnection(baseUrl: string): Promise<unknown> {
  return new Promise((resolve) => {
    request(`${baseUrl}/livez`, { agent: false }, (response) => resolve(response.resume().statusCode))
      .once('error', (error: NodeJS.ErrnoException) => resolve(error.code))
      .end();
  });
}

interface StartedProcess {
  readonly process: ChildProcess;
  readonly log: () => string;
  readonly output: () => string;
  /** Its code and signal. */
  readonly exited: Promise<unknown[]>;
}

/** A process that may not have started yet. */
function startServe(env: Readonly<Record<string, string>>): StartedProcess {
  const { child, exited, remove } = spawnServe(env);
  undo.push(remove);
  let output = '';
  let log = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  return { process: child, log: () => log, output: () => output, exited };
}

/** Resolves when no session of the database migrates. */
async function migrationsEnded(pool: Pool): Promise<void> {
  await until(
    async () =>
      (
        await pool.query<{ count: number }>(
          'select count(*)::int from pg_stat_activity where datname = current_database() and application_name = $1',
          ['partner migrations'],
        )
      ).rows[0]?.count,
    (count) => count === 0,
  );
}

async function createdEmail(response: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk as string;
  return [response.statusCode, (JSON.parse(text) as { email: string }).email];
}

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  '%s answers what is under way, takes nothing new and ends with 0 in time',
  async (signal) => {
    const service = await startServiceOnSharedServer({ env: { ...fixed.env } });
    undo.push(() => service.remove());
    const api = await PartnerApi.open(service, fixed);
    const half = await halfSent(api, 'late@example.com');

    const startedAt = performance.now();
    const ended = service.stop(signal);
    await until(service.log, (log) => log.includes('"Stopping."'));
    // As systemd and terminals do; only other signals tell that somebody is impatient.
    process.kill(service.pid, 'SIGHUP');
    // One that waited in the system to be accepted when the port closed is reset.
    expect(
      await until(
        () => newConnection(service.baseUrl),
        (outcome) => outcome !== 200 && outcome !== 'ECONNRESET',
      ),
    ).toBe('ECONNREFUSED');
    half.finish();
    const response = await half.answer;
    expect(response.headers.connection).toBe('close');
    expect(await createdEmail(response)).toEqual([201, 'late@example.com']);
    expect(await ended).toEqual({ code: 0, signal: null });
    // A connection that is kept open must not hold up the end until it is cut off.
    expect(performance.now() - startedAt).toBeLessThan(CUT_OFF_MS);
  },
);

test('before the port closes /readyz is 503 for the delay, and everybody is still served', async () => {
  const service = await startServiceOnSharedServer({ env: { ...fixed.env, STOP_DELAY_SECONDS: '2' } });
  undo.push(() => service.remove());
  const api = await PartnerApi.open(service, fixed);
  const startedAt = performance.now();
  const ended = service.stop();
  await until(service.log, (log) => log.includes('"Stopping."'));
  const ready = await fetch(`${service.baseUrl}/readyz`);
  expect([ready.status, await ready.json()]).toEqual([
    503,
    { status: 'not ready', reason: 'the service is stopping' },
  ]);
  const { status, headers } = await api.call('GET', '/users');
  expect([status, headers.get('connection')]).toEqual([200, 'close']);
  expect(await newConnection(service.baseUrl)).toBe(200);
  expect(await ended).toEqual({ code: 0, signal: null });
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(2_000);
  expect(await newConnection(service.baseUrl)).toBe('ECONNREFUSED');
});

test('SIGTERM to a process that waits for the migrations of another one ends it at once, with nothing done', async () => {
  const database = await emptyDatabase();
  undo.push(() => database.close());
  const other = await database.pool.connect();
  await other.query('select pg_advisory_lock($1)', [MIGRATION_LOCK_KEY]);
  const child = startServe({ DATABASE_URL: database.url, ENCRYPTION_KEY: encryptionKey() });
  await until(child.log, (log) => log.includes('another process migrates the database'));
  const startedAt = performance.now();
  child.process.kill('SIGTERM');
  expect(await child.exited).toEqual([0, null]);
  expect(performance.now() - startedAt).toBeLessThan(2_000);
  await migrationsEnded(database.pool);
  const { rows } = await other.query("select from pg_tables where schemaname = 'public'");
  expect(rows).toEqual([]);
  other.release();
});

test('SIGTERM in the middle of a migration leaves nothing of it, and no session that holds others up', async () => {
  const database = await emptyDatabase();
  undo.push(() => database.close());
  const other = await database.pool.connect();
  // The first migration makes a table of this name: its creation waits for the end of this transaction.
  await other.query('begin; create table organizations (n int)');
  const child = startServe({ DATABASE_URL: database.url, ENCRYPTION_KEY: encryptionKey() });
  await until(
    async () =>
      (
        await database.pool.query(
          "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
        )
      ).rowCount,
    (count) => count === 1,
  );
  child.process.kill('SIGTERM');
  expect(await child.exited).toEqual([0, null]);
  await migrationsEnded(database.pool);
  await other.query('rollback');
  const { rows } = await other.query("select tablename from pg_tables where schemaname = 'public'");
  expect(rows).toEqual([{ tablename: 'schema_migrations' }]);
  other.release();
});

test('a client that never finishes its request does not keep the service from ending', async () => {
  const service = await startServiceOnSharedServer({ env: { ...fixed.env } });
  undo.push(() => service.remove());
  const half = await halfSent(await PartnerApi.open(service, fixed), 'never@example.com');
  const broken = expect(half.answer).rejects.toThrow('socket hang up');
  const startedAt = performance.now();
  expect(await service.stop()).toEqual({ code: 0, signal: null });
  expect(performance.now() - startedAt).toBeLessThan(10_000);
  await broken;
});

test('Ctrl-C, which reaches the whole process group, drains before the database stops', async () => {
  const child = startServe(fixed.env);
  const baseUrl = await until(
    () => /listening on (\S+)\n/.exec(child.output())?.[1] ?? '',
    (found) => found !== '',
  );
  const half = await halfSent(await PartnerApi.open({ baseUrl }, fixed), 'group@example.com');

  process.kill(-(child.process.pid ?? 0), 'SIGINT');
  await until(child.log, (log) => log.includes('"Stopping."'));
  half.finish();
  expect(await createdEmail(await half.answer)).toEqual([201, 'group@example.com']);
  expect(await child.exited).toEqual([0, null]);
  const log = child.log();
  expect(log.slice(log.indexOf('"Stopping."'))).not.toMatch(/"level":"(warn|error)"/);
});

test('a stop that something holds up is cut off in time, and the log says by what', async () => {
  const endless = new URL('endless-timer.ts', import.meta.url).href;
  const service = await startServiceOnSharedServer({ env: { NODE_OPTIONS: `--import=${endless}` } });
  undo.push(() => service.remove());
  const startedMs = performance.now();
  const end = await service.stop();
  const tookMs = performance.now() - startedMs;
  expect(end).toEqual({ code: 1, signal: null });
  expect(tookMs).toBeGreaterThan(STOP_MS);
  expect(tookMs).toBeLessThan(STOP_MS + 5_000);
  expect(service.log()).toMatch(/"message":"The stop took too long: [^}]*"resources":[^\]]*"Timeout"/);
});
