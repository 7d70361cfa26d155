// Faults of the database under a steady load, and the table of what they did.
import { execFileSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseWorld } from './database-world.ts';
import type { Sent } from './database-world.ts';
import { printRows } from './report.ts';

interface DatabaseFault {
  readonly name: string;
  /** Requests need not fail: reads go on, or a connection is left. */
  readonly isPartial?: boolean;
  /** Resolves to what ends the fault; to undefined where the machine does not permit it. */
  begin(world: DatabaseWorld): Promise<(() => Promise<void>) | undefined>;
}

interface DatabaseReport {
  readonly fault: string;
  readonly requests: number;
  readonly refused: number;
  readonly codes: string;
  readonly slowestMs: number;
  readonly late: number;
  readonly lost: number;
  readonly notReadyMs: number | undefined;
  readonly recoveredMs: number;
  readonly isPartial: boolean;
}

const HOLD_MS = 8_000;
const ANSWER_MS = 5_000;
const READY_MS = 2_000;
const RECOVERY_MS = 2_000;
/** Successes in a row, one second of the load, after which the service has recovered. */
const STREAK = 50;

const swallow = (name: string, what: 'everything' | 'answers', isCut: boolean): DatabaseFault => ({
  name,
  begin: ({ proxy }) => {
    proxy.swallow(what);
    if (isCut) proxy.cut();
    return Promise.resolve(() => {
      proxy.pass();
      return Promise.resolve();
    });
  },
});

const pause: DatabaseFault = {
  name: 'all processes of PostgreSQL stopped (SIGSTOP)',
  begin: (world) => {
    const processes = world.listServerProcesses();
    for (const pid of processes) process.kill(pid, 'SIGSTOP');
    return Promise.resolve(() => {
      for (const pid of processes) process.kill(pid, 'SIGCONT');
      return Promise.resolve();
    });
  },
};

const tooManyConnections: DatabaseFault = {
  name: 'too many connections (53300): one is left',
  isPartial: true,
  begin: async ({ admin }) => {
    await admin.query('alter role service connection limit 1');
    await admin.query("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'service'");
    return async () => {
      await admin.query('alter role service connection limit -1');
    };
  },
};

const readOnly: DatabaseFault = {
  name: 'a failover that refuses writes (25006)',
  isPartial: true,
  begin: async ({ admin }) => {
    await admin.query('alter system set default_transaction_read_only = on');
    await admin.query('select pg_reload_conf()');
    return async () => {
      await admin.query('alter system reset default_transaction_read_only');
      await admin.query('select pg_reload_conf()');
    };
  },
};

/** The users are moved to a file system of 32 MB, which another table fills. Needs the rights to mount one. */
const fullDisk: DatabaseFault = {
  name: 'a full disk (53100)',
  isPartial: true,
  begin: async (world) => {
    const folder = mkdtempSync(join(tmpdir(), 'partner-full-disk-'));
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=32m,mode=0755', 'tmpfs', folder], {
        stdio: 'ignore',
      });
    } catch {
      rmSync(folder, { recursive: true });
      return undefined;
    }
    const { admin } = world;
    const { uid, gid } = world.fileOwner();
    chownSync(folder, uid, gid);
    await admin.query(`create tablespace small location '${folder}'`);
    await admin.query('alter table users set tablespace small');
    await admin.query('create table filler (bytes text) tablespace small');
    await admin.query('alter table filler alter bytes set storage plain');
    const fill = () =>
      admin.query("insert into filler select repeat('x', 8000) from generate_series(1, 100)");
    while (
      await fill().then(
        () => true,
        () => false,
      )
    );
    return async () => {
      await admin.query('drop table filler');
      await admin.query('alter table users set tablespace pg_default');
      await admin.query('drop tablespace small');
      execFileSync('umount', [folder]);
      rmSync(folder, { recursive: true });
    };
  },
};

export const DATABASE_FAULTS: readonly DatabaseFault[] = [
  swallow('a proxy that swallows every byte, connections kept', 'everything', false),
  swallow('a proxy that swallows every byte of new connections', 'everything', true),
  swallow('a proxy that swallows the answers: what was sent takes effect', 'answers', false),
  pause,
  tooManyConnections,
  readOnly,
  fullDisk,
];

async function runFault(world: DatabaseWorld, fault: DatabaseFault): Promise<DatabaseReport | undefined> {
  const load = world.startLoad();
  await sleep(1_000);
  const from = performance.now();
  const end = await fault.begin(world);
  if (end === undefined) {
    await load.stop();
    return undefined;
  }
  const notReady = world.waitUntilNotReady(HOLD_MS);
  await sleep(HOLD_MS);
  const notReadyMs = await notReady;
  await end();
  const endedAt = performance.now();
  const recoveredMs = await waitForRecovery(load.sent, endedAt);
  await load.stop();
  const during = load.sent.filter(({ at }) => at >= from);
  const created = load.sent.filter(({ status }) => status === 201).flatMap(({ email }) => email ?? []);
  const refused = during.filter(({ status }) => status >= 300 || status === 0);
  return {
    fault: fault.name,
    requests: during.length,
    refused: refused.length,
    codes: [...new Set(refused.map(({ status, code }) => code ?? String(status)))].toSorted().join(' '),
    slowestMs: Math.max(...during.map(({ ms }) => ms)),
    late: during.filter(({ ms, status }) => ms > ANSWER_MS || status === 0).length,
    lost: (await world.listMissing(created)).length,
    notReadyMs,
    recoveredMs,
    isPartial: fault.isPartial === true,
  };
}

/** Milliseconds from the end of the fault to the first request from which on a second long all succeed. */
async function waitForRecovery(sent: readonly Sent[], endedAt: number): Promise<number> {
  const giveUpAt = performance.now() + 30_000;
  while (performance.now() < giveUpAt) {
    const after = sent.filter(({ at }) => at >= endedAt).toSorted((a, b) => a.at - b.at);
    const streak = after.slice(after.findLastIndex(({ status }) => status === 0 || status >= 300) + 1);
    if (streak.length >= STREAK) return (streak[0]?.at ?? Infinity) - endedAt;
    await sleep(50);
  }
  return Infinity;
}

function isGood({ late, lost, recoveredMs, notReadyMs, isPartial }: DatabaseReport): boolean {
  const turned = isPartial || (notReadyMs ?? Infinity) <= READY_MS;
  return late === 0 && lost === 0 && recoveredMs < RECOVERY_MS && turned;
}

/** Every fault of the database in turn; prints their table. Resolves to whether all was within its bounds. */
export async function runDatabaseFaults(): Promise<boolean> {
  const world = await DatabaseWorld.open();
  const seconds = (ms: number | undefined): string =>
    ms === undefined ? '-' : `${(ms / 1000).toFixed(2)} s`;
  const rows = [
    [
      'fault of the database',
      'requests',
      'refused',
      'slowest',
      'later than 5 s',
      'lost',
      '/readyz 503 after',
      'recovered after',
      'codes',
      '',
    ],
  ];
  let isAllGood = true;
  try {
    for (const fault of DATABASE_FAULTS) {
      const report = await runFault(world, fault);
      if (report === undefined) {
        rows.push([fault.name, '-', '-', '-', '-', '-', '-', '-', '-', 'not possible on this machine']);
        continue;
      }
      isAllGood &&= isGood(report);
      const { requests, refused, slowestMs, late, lost, notReadyMs, recoveredMs, codes } = report;
      const counts = [requests, refused].map(String);
      rows.push([
        fault.name,
        ...counts,
        seconds(slowestMs),
        String(late),
        String(lost),
        seconds(notReadyMs),
        seconds(recoveredMs),
        codes,
        isGood(report) ? 'ok' : 'WRONG',
      ]);
    }
  } finally {
    printRows(rows);
    await world.close();
  }
  return isAllGood;
}
