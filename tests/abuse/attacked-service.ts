// A service with two partners, as the attacks of `make bench ARGS=abuse` aim at it, small enough for a test.
import { Tally } from '../../bench/abuse/attack.ts';
import type { Aim, Target } from '../../bench/abuse/attack.ts';
import { findAttack } from '../../bench/abuse/attacks/all.ts';
import { TAKE_LONGEST_HOLD, WATCH_HOLDS } from '../../bench/abuse/holds.ts';
import { prepareAttacker, prepareVictim, startBlackHole } from '../../bench/abuse/partners.ts';
import type { Possessions, VictimPartner } from '../../bench/abuse/partners.ts';
import { fixedCredentials } from '../process/partner.ts';
import { Inspector, INSPECTOR_ENV } from '../support/inspector.ts';
import { lockWaits } from '../support/lock-waits.ts';
import { startServiceOnSharedServer } from '../support/service.ts';
import type { TestDatabase } from '../support/database.ts';

type Pool = TestDatabase['pool'];

/** What a finished attack has cost the service, in processor time, which other programs of the machine do not change. */
export interface Cost {
  /** Answers by status, errors of connections by code. */
  readonly counts: Readonly<Record<string, number>>;
  /** Milliseconds of all threads. */
  readonly processorMs: number;
}

/** An attack that goes on until it is ended. */
export interface Running {
  readonly counts: () => Readonly<Record<string, number>>;
  end(): Promise<void>;
}

export interface AttackedService {
  readonly target: Target;
  readonly victim: VictimPartner;
  readonly inspector: Inspector;
  /** Lets an attack send so many requests, and waits until all are answered. */
  attack(name: string, requests: number, atOnce?: number): Promise<Cost>;
  /** Starts an attack of so many connections from an address, which sends no more than one request on each unless told otherwise. */
  begin(name: string, atOnce: number, requests?: number, from?: string): Running;
  /** Connections of the service to its database that are not free. */
  readonly countBusyConnections: () => Promise<number>;
  /** Connections for requests whose statements wait for a lock. */
  readonly countBlockedConnections: () => Promise<number>;
  /** Requests that have come so far. */
  readonly countReceived: () => Promise<number>;
  /** Statements under way that count what is left to deliver. */
  readonly countQueueQuestions: () => Promise<number>;
  /** Takes locks by a statement, of which $1 is the attacker; the function that it resolves to lets them go. */
  lock(statement: string): Promise<() => Promise<void>>;
  /** Milliseconds of processor time of the threads that give way to the main thread (nice(2)), without V8's own. */
  readonly threadMsThatGiveWay: () => Promise<number>;
  /** By how much each thread of V8's own, which collect garbage and compile for the loop and the compute threads, gives way (nice(2)). */
  readonly nicenessOfV8Threads: () => Promise<number[]>;
  /** The longest hold of the event loop since the last call, in milliseconds of its thread. */
  readonly takeHoldMs: () => Promise<number>;
  /** A request of the other partner; resolves to its status. */
  ask(method: 'GET' | 'POST'): Promise<number>;
  remove(): Promise<void>;
}

/**
 * As Linux tells: of each thread its user and system time in hundredths of a second, and its niceness.
 */
const THREAD_MS_THAT_GIVE_WAY = `(() => {
  const { readdirSync, readFileSync } = process.getBuiltinModule('node:fs');
  const { getPriority } = process.getBuiltinModule('node:os');
  let givingWayMs = 0;
  for (const thread of readdirSync('/proc/self/task')) {
    const [name, rest] = readFileSync('/proc/self/task/' + thread + '/stat', 'utf8').split(') ');
    const fields = rest.split(' ');
    if (!name.endsWith('(V8Worker') && Number(fields[16]) >= Math.min(19, getPriority() + 10)) givingWayMs += 10 * (Number(fields[11]) + Number(fields[12]));
  }
  return givingWayMs;
})()`;

const COUNT_RECEIVED = `globalThis.received = 0;
process.getBuiltinModule('node:diagnostics_channel').subscribe('http.server.request.start', () => { received += 1; })`;

const NICENESS_OF_V8_THREADS = `(() => {
  const { readdirSync, readFileSync } = process.getBuiltinModule('node:fs');
  const { getPriority } = process.getBuiltinModule('node:os');
  const stats = readdirSync('/proc/self/task').map((thread) => readFileSync('/proc/self/task/' + thread + '/stat', 'utf8').split(') '));
  return stats
    .filter(([name]) => name.endsWith('(V8Worker'))
    .map(([, rest]) => Number(rest.split(' ')[16]) - getPriority());
})()`;

/** What the loop may be held by an attack. */
export const MAX_HOLD_MS = 50;

/**
 * The longest hold during the first wait in which it stays below that, or the least of all: what an attack holds it holds in each;
 * what else the machine does it does not.
 */
export async function leastHoldMs(
  { takeHoldMs }: Pick<AttackedService, 'takeHoldMs'>,
  waits: readonly (() => Promise<unknown>)[],
): Promise<number> {
  await takeHoldMs();
  let least = Infinity;
  for (const wait of waits) {
    await wait();
    least = Math.min(least, await takeHoldMs());
    if (least < MAX_HOLD_MS) break;
  }
  return least;
}

export async function startAttackedService(
  possessions: Partial<Omit<Possessions, 'blackHolePort'>> = {},
  env: Readonly<Record<string, string>> = {},
): Promise<AttackedService> {
  const fixed = fixedCredentials();
  const blackHole = await startBlackHole();
  const service = await startServiceOnSharedServer({
    env: {
      ...fixed.env,
      ...INSPECTOR_ENV,
      RATE_LIMITS: 'off',
      LOG_LEVEL: 'error',
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
      ...env,
    },
  });
  const inspector = await Inspector.open(service);
  const all = {
    users: 0,
    notices: 0,
    deliveries: 0,
    households: 10,
    ...possessions,
    blackHolePort: blackHole.port,
  };
  const attacker = await prepareAttacker(service.database, service, all);
  const victim = await prepareVictim(service, fixed);
  const target = {
    ...attacker,
    victimClientId: victim.clientId,
    port: Number(new URL(service.baseUrl).port),
  };
  const { pool } = service.database;
  await inspector.evaluate(WATCH_HOLDS);
  await inspector.evaluate(COUNT_RECEIVED);
  const removed = new AbortController();
  return {
    target,
    victim,
    inspector,
    attack: (name, requests, atOnce) => attackOnce(target, inspector, name, requests, atOnce),
    begin: (name, atOnce, requests = atOnce, from = '127.0.0.2') =>
      begin(target, name, { atOnce, requests, from, removed: removed.signal }),
    countBusyConnections: () => countConnections(pool, "application_name <> 'test' and state <> 'idle'"),
    countBlockedConnections: () => countConnections(pool, "application_name = 'partner'", lockWaits()),
    countReceived: () => inspector.evaluate<number>('received'),
    countQueueQuestions: () => countConnections(pool, "state = 'active' and query like '% as in_flight%'"),
    lock: (statement) => holdLock(pool, statement, attacker.orgId),
    threadMsThatGiveWay: () => inspector.evaluate<number>(THREAD_MS_THAT_GIVE_WAY),
    nicenessOfV8Threads: () => inspector.evaluate<number[]>(NICENESS_OF_V8_THREADS),
    takeHoldMs: () => inspector.evaluate<number>(TAKE_LONGEST_HOLD),
    ask: (method) => askAsVictim(service.baseUrl, victim, method),
    remove: async () => {
      // An attack whose test has failed would go on against nobody, and keep the process from all other tests.
      removed.abort();
      inspector.close();
      blackHole.close();
      await service.remove();
    },
  };
}

async function countConnections(pool: Pool, which: string, among = 'pg_stat_activity'): Promise<number> {
  const { rows } = await pool.query<{ connections: number }>(
    `select count(*)::int as connections from ${among} where datname = current_database() and pid <> pg_backend_pid() and ${which}`,
  );
  return rows[0]?.connections ?? 0;
}

async function holdLock(pool: Pool, statement: string, orgId: string): Promise<() => Promise<void>> {
  const client = await pool.connect();
  await client.query('begin');
  await client.query(statement, statement.includes('$1') ? [orgId] : []);
  return async () => {
    await client.query('rollback');
    client.release();
  };
}

async function attackOnce(
  target: Target,
  inspector: Inspector,
  name: string,
  requests: number,
  atOnce: number | undefined,
): Promise<Cost> {
  const tally = new Tally();
  const end = new AbortController();
  const aim = { target, from: '127.0.0.1', signal: end.signal, tally, requests };
  const before = await inspector.processorMs();
  await findAttack(name).run(atOnce === undefined ? aim : { ...aim, atOnce });
  return { counts: tally.counts(), processorMs: (await inspector.processorMs()) - before };
}

function begin(
  target: Target,
  name: string,
  { removed, ...size }: Pick<Aim, 'atOnce' | 'requests' | 'from'> & { readonly removed: AbortSignal },
): Running {
  const tally = new Tally();
  const end = new AbortController();
  const aim = { target, signal: AbortSignal.any([end.signal, removed]), tally, ...size };
  const ended = findAttack(name).run(aim);
  return {
    counts: () => tally.counts(),
    end: () => {
      end.abort();
      return ended;
    },
  };
}

async function askAsVictim(
  baseUrl: string,
  { orgId, token, userId }: VictimPartner,
  method: 'GET' | 'POST',
): Promise<number> {
  const users = `${baseUrl}/api/partners/v2.0/org/${orgId}/users`;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ email: `${crypto.randomUUID()}@example.com`, role: 'user' });
  const answer = await (method === 'GET'
    ? fetch(`${users}/${userId}`, { headers })
    : fetch(users, { method, headers, body }));
  await answer.arrayBuffer();
  return answer.status;
}
