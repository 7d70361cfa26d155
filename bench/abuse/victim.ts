// The other partner: a process that sends GET and POST by turns at a steady rate, whatever becomes of the answers, and tells
// how long each took from the instant at which it was to be sent.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';

export interface VictimJob {
  readonly port: number;
  readonly orgId: string;
  readonly userId: string;
  readonly token: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** What it reads in place of its user. */
  readonly readPath?: string | undefined;
  readonly perSecond: number;
  readonly requests: number;
}

export interface VictimReport {
  /** When the first request was to be sent, in milliseconds since 1970. */
  readonly startedAt: number;
  /** Of each request when it was to be sent, in milliseconds after the first, and how long its answer then took. */
  readonly sentMs: readonly number[];
  readonly latencyMs: readonly number[];
  /** The longest time between two turns of its loop, which are to be a millisecond apart: this process itself was late by then. */
  readonly ownDelayMs: number;
  /** What was answered with another status than wanted, or not at all. */
  readonly failures: Readonly<Record<string, number>>;
}

const TOKEN_EVERY_MS = 1_000;
/** What is not answered so long after the last request was due has failed: without its bound an attack stops a service. */
const PATIENCE_MS = 30_000;
/** Kept connections of a partner's program. */
const CONNECTIONS = 32;

let pool: { readonly port: number; readonly connections: Pool } | undefined;

process.on('message', (job: VictimJob) => {
  void run(job).then((report) => process.send?.(report));
});
process.once('disconnect', () => process.exit(0));

async function run(job: VictimJob): Promise<VictimReport> {
  if (pool?.port !== job.port) {
    await pool?.connections.destroy();
    const connections = new Pool(`http://127.0.0.1:${job.port}`, {
      connections: CONNECTIONS,
      localAddress: '127.0.0.1',
      headersTimeout: PATIENCE_MS,
    });
    pool = { port: job.port, connections };
  }
  const { connections } = pool;
  const failures: Record<string, number> = {};
  const fail = (what: string): void => void (failures[what] = (failures[what] ?? 0) + 1);
  const sentMs = new Array<number>(job.requests).fill(0);
  const latencyMs = new Array<number>(job.requests).fill(0);
  const intervalMs = 1000 / job.perSecond;
  const start = performance.now() + 5;
  // A signal takes whole milliseconds; 300 requests a second are not a whole number apart.
  const late = AbortSignal.timeout(Math.ceil(job.requests * intervalMs) + PATIENCE_MS);
  const send = async (n: number): Promise<void> => {
    const dueMs = n * intervalMs;
    await request(connections, n % 2 === 0 ? read(job) : addUser(job), late, fail);
    sentMs[n] = dueMs;
    latencyMs[n] = performance.now() - start - dueMs;
  };
  const under: Promise<void>[] = [];
  let tokenAt = start;
  let lastTurnAt = performance.now();
  let ownDelayMs = 0;
  for (let n = 0; n < job.requests;) {
    const now = performance.now();
    ownDelayMs = Math.max(ownDelayMs, now - lastTurnAt);
    lastTurnAt = now;
    while (n < job.requests && start + n * intervalMs <= now) under.push(send(n++));
    if (now >= tokenAt) {
      tokenAt += TOKEN_EVERY_MS;
      under.push(request(connections, getToken(job), late, fail));
    }
    await sleep(1);
  }
  await Promise.all(under);
  return { startedAt: performance.timeOrigin + start, sentMs, latencyMs, ownDelayMs, failures };
}

interface Wanted {
  readonly status: number;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

async function request(
  connections: Pool,
  wanted: Wanted,
  late: AbortSignal,
  fail: (what: string) => void,
): Promise<void> {
  const { status, body = null, ...line } = wanted;
  try {
    const answer = await connections.request({ ...line, body, signal: late });
    await answer.body.dump({ limit: Infinity });
    if (answer.statusCode !== status) fail(`${line.method} ${answer.statusCode}`);
  } catch (error) {
    const why = late.aborted ? 'late' : (error as { code?: string }).code;
    fail(`${line.method} ${why ?? String(error)}`);
  }
}

const users = ({ orgId }: VictimJob): string => `/api/partners/v2.0/org/${orgId}/users`;

function read(job: VictimJob): Wanted {
  const headers = { authorization: `Bearer ${job.token}` };
  return { status: 200, method: 'GET', path: job.readPath ?? `${users(job)}/${job.userId}`, headers };
}

function addUser(job: VictimJob): Wanted {
  const headers = { authorization: `Bearer ${job.token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ email: `${randomUUID()}@example.com`, role: 'user', country: 'AT' });
  return { status: 201, method: 'POST', path: users(job), headers, body };
}

/** Tokens are fetched now and then, too: whoever keeps a partner from them has stopped it. */
function getToken(job: VictimJob): Wanted {
  const headers = {
    authorization: `Basic ${btoa(`${job.clientId}:${job.clientSecret}`)}`,
    'content-type': 'application/json',
  };
  const body = '{"grant_type":"client_credentials"}';
  return { status: 200, method: 'POST', path: '/oauth2/token/', headers, body };
}
