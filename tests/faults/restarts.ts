// Partners that go on calling while the service stops and starts again.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { PartnerApi } from '../process/partner.ts';
import type { Credentials } from '../process/partner.ts';
import type { ServiceProcess } from '../support/service.ts';

export interface RestartOptions {
  readonly restarts: number;
  /** Requests that each run of the service answers before it is stopped, while its clients go on. */
  readonly requestsEach: number;
  /** Clients, each with a connection that it keeps. */
  readonly clients: number;
  readonly credentials: Credentials;
  /** Starts the service on this port; resolves when it is ready. */
  readonly start: (port: number) => Promise<ServiceProcess>;
}

/** What became of the requests; each is counted once. */
export interface RestartReport {
  restarts: number;
  /** The service answered as it does when it is ready. */
  answered: number;
  /** The service answered that it was starting. */
  starting: number;
  /** The port was closed: nothing was sent. */
  refused: number;
  /** Sent on a connection that the service had ended meanwhile, orderly or by a reset; it did not take them up. */
  ended: number;
  resets: number;
  /** Taken up, as the log of the service says, and not answered. */
  lost: number;
  /** Without an answer after ten seconds. */
  hung: number;
  /** Answered with another status than they should be. */
  wrong: number;
  longestStopMs: number;
}

const HUNG_MS = 10_000;
const PAUSE_MS = 2;

type Outcome = number | 'refused' | 'ended' | 'resets' | 'hung';

interface Attempt {
  readonly id: string;
  readonly outcome: Outcome;
  readonly isWrong: boolean;
}

/** Stops and starts the service under load; resolves when each request of every client has come to its end. */
export async function restartUnderLoad(options: RestartOptions): Promise<RestartReport> {
  const port = await findFreePort();
  const attempts: Attempt[] = [];
  const logs: string[] = [];
  let longestStopMs = 0;
  let isOver = false;
  let service = await options.start(port);
  const api = await PartnerApi.open(service, options.credentials);
  const clients = Array.from({ length: options.clients }, async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!isOver) {
      const attempt = await call(api, agent, attempts.length);
      attempts.push(attempt);
      await sleep(PAUSE_MS);
    }
    agent.destroy();
  });
  for (let count = 0; count < options.restarts; count += 1) {
    const before = answeredOf(attempts);
    while (answeredOf(attempts) < before + options.requestsEach) await sleep(PAUSE_MS);
    const startedAt = performance.now();
    await service.stop();
    longestStopMs = Math.max(longestStopMs, performance.now() - startedAt);
    logs.push(service.log());
    service = await options.start(port);
  }
  isOver = true;
  await Promise.all(clients);
  await service.stop();
  logs.push(service.log());
  return summarize(attempts, logs, { restarts: options.restarts, longestStopMs });
}

/** Neither lost nor hung nor wrong. */
export function isGoodRestart({ lost, hung, wrong }: RestartReport): boolean {
  return lost === 0 && hung === 0 && wrong === 0;
}

/** Counts the attempts; those that failed and stand in a log of the service were taken up and lost. */
export function summarize(
  attempts: readonly Attempt[],
  logs: readonly string[],
  known: Pick<RestartReport, 'restarts' | 'longestStopMs'>,
): RestartReport {
  const report: RestartReport = {
    ...known,
    ...{ answered: 0, starting: 0, refused: 0, ended: 0, resets: 0, lost: 0, hung: 0, wrong: 0 },
  };
  const taken = new Set(
    logs.flatMap((log) => [...log.matchAll(/"request_id":"([^"]+)"/g)].map(([, id]) => id)),
  );
  for (const { id, outcome, isWrong } of attempts) {
    if (isWrong) report.wrong += 1;
    else if (outcome === 'hung') report.hung += 1;
    else if (typeof outcome === 'string') report[taken.has(id) ? 'lost' : outcome] += 1;
    else report[outcome === 503 ? 'starting' : 'answered'] += 1;
  }
  return report;
}

export function printRestarts(report: RestartReport): void {
  const rows: [string, number][] = [
    ['starts and stops', report.restarts],
    ['requests answered', report.answered],
    ['answered with 503 starting', report.starting],
    ['not sent, since the port was closed', report.refused],
    ['sent on a connection that had been ended: not taken up, its end seen', report.ended],
    ['sent on a connection that had been ended: not taken up, reset', report.resets],
    ['hung', report.hung],
    ['taken up and lost', report.lost],
    ['answered wrongly', report.wrong],
    ['longest stop, ms', Math.round(report.longestStopMs)],
  ];
  for (const [name, value] of rows) console.log(`${name.padEnd(70)}${String(value).padStart(8)}`);
  console.log(isGoodRestart(report) ? 'ok' : 'WRONG');
}

function answeredOf(attempts: readonly Attempt[]): number {
  return attempts.filter(({ outcome }) => typeof outcome === 'number' && outcome < 300).length;
}

/** One request: a read, a write or a question whether the service is there, in turn. */
async function call(api: PartnerApi, agent: Agent, turn: number): Promise<Attempt> {
  const id = randomUUID();
  const users = `/api/partners/v2.0/org/${api.orgId}/users`;
  const read = { path: `${users}?limit=1`, method: 'GET', expected: 200, body: undefined };
  const write = {
    path: users,
    method: 'POST',
    expected: 201,
    body: { email: `${id}@example.com`, role: 'user' },
  };
  const { path, method, expected, body } = [read, write, { ...read, path: '/livez' }][turn % 3] ?? read;
  const headers = {
    authorization: `Bearer ${api.token}`,
    'x-request-id': id,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  const sent = request(`${api.baseUrl}${path}`, { method, agent, headers, timeout: HUNG_MS });
  const outcome = await new Promise<Outcome>((resolve) => {
    sent.once('response', (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode ?? 0));
      response.once('error', (error) => resolve(reasonOf(error)));
    });
    sent.once('timeout', () => {
      resolve('hung');
      sent.destroy();
    });
    sent.once('error', (error) => resolve(reasonOf(error)));
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
  const isWrong = typeof outcome === 'number' && outcome !== expected && outcome !== 503;
  return { id, outcome, isWrong };
}

/** Node names a connection that was ended before the answer like one that was reset; only the message differs. */
function reasonOf(error: NodeJS.ErrnoException): Outcome {
  if (error.code === 'ECONNREFUSED') return 'refused';
  return error.message === 'socket hang up' ? 'ended' : 'resets';
}

export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
