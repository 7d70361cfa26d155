// `make citus-test`: the tests of the service on a cluster of Citus (ARGS=tests/portal: those files).
// ARGS=operations: what operators do to the cluster, under 60 writes a second (WRITES=30: so many; ARGS="operations index": that one).
// ARGS=moves: shards move for five minutes. ARGS=kills: workers and nodes are killed during deliveries.
// ARGS=functions: what deploy/citus promises beside a node that is away, a moving shard and a schema that grows.
// ARGS=restore: all nodes are backed up under load, and restored beside it as they were at one instant.
// ARGS=patroni: Patroni below the nodes, whose primaries die under load (ARGS="patroni coordinator": those faults).
// ARGS=events: writers on all nodes, and readers who must miss nothing (ARGS="events 20000": so many events).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { breakInTime, breakInTurn } from '../cluster/break.ts';
import { runInTime } from '../cluster/in-time.ts';
import { howToInstall, listMissingPackages } from '../cluster/packages.ts';
import type { Running } from '../cluster/run.ts';
import { ClusterWorld } from '../cluster/world.ts';
import type { WantedLoad } from '../cluster/world.ts';
import { runChecks } from './checks.ts';
import { CitusCluster } from './cluster.ts';
import { checkEventOrder } from './event-order.ts';
import { buildCitus, findCitusPrograms, HOW_TO_GET_CITUS } from './extension.ts';
import { listUnexpected, readFanOuts } from './fan-outs.ts';
import { runKills } from './kills.ts';
import { moveForAWhile, OPERATIONS } from './operations.ts';
import type { Operation } from './operations.ts';
import { PatroniCitus } from './patroni/cluster.ts';
import { CITUS_FAULTS } from './patroni/faults.ts';
import { describePlain, leaveOutPlain } from './plain-cases.ts';
import { restoreSet } from './restore.ts';
import { ARCHIVE_SETTINGS } from './server.ts';
import { CitusServers } from './servers.ts';
import { makeTemplate } from './template.ts';

const TEMPLATE = 'partner_template';
const SHARDS = 4;
const VITEST = join(import.meta.dirname, '../../node_modules/vitest/vitest.mjs');

async function runSuite(servers: CitusServers, files: readonly string[]): Promise<boolean> {
  await makeTemplate(servers, TEMPLATE, SHARDS);
  const child = spawn(
    process.execPath,
    [VITEST, 'run', '--config', 'tests/style/vitest.config.ts', ...leaveOutPlain(), ...files],
    {
      stdio: 'inherit',
      env: {
        ...process.env,
        TEST_DATABASE_URL: servers.coordinator.urlOf('postgres'),
        TEST_DATABASE_TEMPLATE: TEMPLATE,
        TEST_DATABASE_OTHERS: servers.workers.map((server) => server.urlOf('postgres')).join(' '),
      },
    },
  );
  const [code] = (await once(child, 'exit')) as [number | null];
  console.log(describePlain());
  return reportFanOuts(servers) && code === 0;
}

/** Whether processes of the service have sent no statement over all shards that is not listed. */
function reportFanOuts(servers: CitusServers): boolean {
  const statements = readFanOuts(servers.coordinator.logFile, (application) =>
    /^partner(?! migrations)/.test(application),
  );
  const unexpected = listUnexpected(statements);
  console.log(
    `Statements over several shards: ${statements.length}, of which ${unexpected.length} are not listed.`,
  );
  for (const text of unexpected) console.log(`  ${text}`);
  return unexpected.length === 0;
}

async function startCluster(servers: CitusServers): Promise<CitusCluster> {
  const cluster = new CitusCluster(servers);
  await cluster.start();
  return cluster;
}

async function runEvents(servers: CitusServers, events: number): Promise<boolean> {
  const cluster = await startCluster(servers);
  const { written, missed, repeated, nodes } = await checkEventOrder(cluster, events);
  console.log(`${written} events on ${nodes} nodes: ${missed} missed, ${repeated} repeated.`);
  return missed === 0 && repeated === 0 && nodes > 1;
}

async function checkFunctions(servers: CitusServers): Promise<boolean> {
  return runChecks(await startCluster(servers));
}

async function runKillSuite(servers: CitusServers): Promise<boolean> {
  return runKills(await startCluster(servers));
}

const EVENTS = 100_000;
/** Fifty events, each of them a message, and ten users a second; on a machine that others use as well WRITES=30 says fewer. */
const LOAD = { writesPerSecond: Number(process.env['WRITES'] ?? 60), usersOneIn: 6, seconds: 480 };
/** Of a set that is read while it is written. */
const LIGHT_LOAD = { writesPerSecond: 40, usersOneIn: 2, seconds: 480 };

async function runOperations(
  servers: CitusServers,
  listOperations: (running: Running<CitusCluster>) => readonly Operation[],
  wanted: WantedLoad = LOAD,
): Promise<boolean> {
  const world = new ClusterWorld(new CitusCluster(servers), wanted);
  try {
    const isGood = await breakInTurn(world, listOperations);
    return reportFanOuts(servers) && isGood;
  } finally {
    console.error(world.describe());
    await world.close();
  }
}

const MOVES_MS = 5 * 60_000;

/** What is run in place of the suite, by the first word of ARGS; the others are given to it. */
const INSTEAD: Readonly<
  Record<string, (servers: CitusServers, more: readonly string[]) => Promise<boolean>>
> = {
  operations: (servers, more) =>
    runOperations(servers, () => OPERATIONS.filter(({ name }) => name.includes(more.join(' ')))),
  moves: (servers) => runOperations(servers, () => [moveForAWhile(MOVES_MS)]),
  restore: (servers) => runOperations(servers, (running) => [restoreSet(running)], LIGHT_LOAD),
  kills: runKillSuite,
  functions: checkFunctions,
  events: (servers, [events]) => runEvents(servers, Number(events ?? EVENTS)),
};

/** Nothing of the suite outlives the run; all others kill servers, or count what they keep. */
function chooseSettings(what: string): Readonly<Record<string, string>> {
  if (what === 'restore') return ARCHIVE_SETTINGS;
  return INSTEAD[what] === undefined ? { fsync: 'off' } : {};
}

/** The suite takes half of it on a quiet machine. */
const DEADLINE_MS = 60 * 60_000;

/** Six nodes are made first, some of which are copied again after their fault. */
const FAILOVERS_MS = 12 * 60_000;

async function runFailovers(programs: string, wanted: string): Promise<boolean> {
  const missing = listMissingPackages();
  if (missing.length > 0) {
    console.error(howToInstall(missing));
    return false;
  }
  const world = new ClusterWorld(await PatroniCitus.make(programs), LIGHT_LOAD);
  return breakInTime(
    world,
    CITUS_FAULTS.filter(({ name }) => name.includes(wanted)),
    FAILOVERS_MS,
  );
}

async function run(programs: string, [what = '', ...more]: readonly string[]): Promise<boolean> {
  if (what === 'patroni') return runFailovers(programs, more.join(' '));
  const servers = await CitusServers.start(programs, chooseSettings(what));
  const instead = INSTEAD[what];
  const work = async (): Promise<boolean> => {
    try {
      if (instead !== undefined) return await instead(servers, more);
      return await runSuite(servers, what === '' ? [] : [what, ...more]);
    } catch (error) {
      console.error(servers.describe());
      throw error;
    }
  };
  return runInTime(work, () => servers.close(), DEADLINE_MS);
}

const folder = process.env['CITUS'];
if (findCitusPrograms() === undefined && folder !== undefined && folder !== '') buildCitus(folder);
const programs = findCitusPrograms();
if (programs === undefined) {
  console.error(HOW_TO_GET_CITUS);
  process.exitCode = 1;
} else {
  process.exitCode = (await run(programs, process.argv.slice(2))) ? 0 : 1;
}
