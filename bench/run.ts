// A whole run: group by group, round by round, one version or two by turns.
import { join } from 'node:path';
import { compareRow } from './comparison.ts';
import type { Change } from './comparison.ts';
import type { Group } from './group.ts';
import type { Options } from './options.ts';
import { checkOutVersion, describeTree } from './other-version.ts';
import type { OtherVersion } from './other-version.ts';
import { canPin } from './processes.ts';
import { describeMachine, nameResults, toResults, writeResults } from './results.ts';
import { concludeRow } from './row.ts';
import type { MeasuredRow, Samples } from './row.ts';
import { CHANGE_HEAD, formatChange, formatRow, ROW_HEAD } from './table.ts';
import { openGroup, ROOT } from './version.ts';
import type { OpenGroup } from './version.ts';

/** Measures what is asked for, prints the rows and keeps the results. Resolves to the exit code. */
export async function run(options: Options): Promise<number> {
  const startedAt = new Date();
  const [version, machine] = [describeTree(), describeMachine()];
  if (!canPin) console.log('Without two cores and taskset nothing is pinned: rates of requests mean little.');
  if (machine.loadAtStart > machine.cores / 2)
    console.log(
      `The machine is busy (load ${machine.loadAtStart.toFixed(1)}): take the figures for nothing.`,
    );
  const other = options.compare === undefined ? undefined : checkOutVersion(options.compare);
  const rows: MeasuredRow[] = [];
  const changes: Change[] = [];
  try {
    for (const group of options.groups) {
      const rounds = options.rounds ?? group.rounds;
      if (other === undefined) rows.push(...(await measureGroup(group, rounds)));
      else changes.push(...(await compareGroup(group, rounds, other)));
    }
  } finally {
    other?.remove();
  }
  const path = options.json ?? join(ROOT, 'bench/results', nameResults(startedAt, version.commit));
  const comparison = other === undefined ? undefined : { commit: other.commit, changes };
  const all = other === undefined ? rows : changes.map(({ row }) => row);
  writeResults(path, toResults({ startedAt, endedAt: new Date(), version, machine, rows: all, comparison }));
  return conclude(rows, changes, startedAt, path);
}

async function measureGroup(group: Group, rounds: number): Promise<MeasuredRow[]> {
  console.log(`\n${group.name}: ${group.about}\n${ROW_HEAD}`);
  const opened = await openGroup(ROOT, group, { isCompared: false });
  const found: Samples[] = [];
  try {
    for (let round = 0; round < rounds; round += 1) found.push(await opened.round());
  } finally {
    await opened.close();
  }
  const rows = group.rows.map((row) => concludeRow(group.name, row, found));
  for (const row of rows) console.log(formatRow(row));
  return rows;
}

async function compareGroup(group: Group, rounds: number, other: OtherVersion): Promise<Change[]> {
  console.log(`\n${group.name}: now and ${other.commit.slice(0, 7)} by turns\n${CHANGE_HEAD}`);
  const now = await openGroup(ROOT, group, { isCompared: true });
  try {
    const past = await openGroup(other.tree, group, { isCompared: true }).catch(tellFirstLine);
    const found = await takeTurns(rounds, now, past);
    const changes = group.rows.map((row) => compareRow(group.name, row, found.now, found.then));
    for (const change of changes) console.log(formatChange(change));
    return changes;
  } finally {
    await now.close();
  }
}

/** Each version is the first of a round in turn. The other one drops out when it fails. */
async function takeTurns(
  rounds: number,
  now: OpenGroup,
  past: OpenGroup | undefined,
): Promise<{ readonly now: readonly Samples[]; readonly then: readonly Samples[] | undefined }> {
  const found: Samples[] = [];
  let then: Samples[] | undefined = past === undefined ? undefined : [];
  const askPast = async (): Promise<void> => {
    const samples = then === undefined ? undefined : await past?.round().catch(tellFirstLine);
    if (samples === undefined) then = undefined;
    else then?.push(samples);
  };
  try {
    for (let round = 0; round < rounds; round += 1) {
      if (round % 2 === 1) await askPast();
      found.push(await now.round());
      if (round % 2 === 0) await askPast();
    }
  } finally {
    await past?.close();
  }
  return { now: found, then };
}

function tellFirstLine(error: unknown): undefined {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n', 1);
  console.log(`That commit cannot be asked for these rows: ${line}`);
}

function conclude(
  rows: readonly MeasuredRow[],
  changes: readonly Change[],
  startedAt: Date,
  path: string,
): number {
  const withGoal = rows.filter(({ verdict }) => verdict !== null);
  const missed = withGoal.filter(({ verdict }) => verdict?.isMet === false);
  const worse = changes.filter(({ verdict }) => verdict === 'worse');
  const better = changes.filter(({ verdict }) => verdict === 'better');
  const summary =
    changes.length === 0
      ? `${withGoal.length - missed.length} of ${withGoal.length} rows with a goal reach it.`
      : `${better.length} of ${changes.length} rows got better and ${worse.length} worse by more than noise.`;
  const minutes = ((Date.now() - startedAt.getTime()) / 60_000).toFixed(1);
  console.log(`\n${summary} ${minutes} minutes. All figures: ${path}`);
  return missed.length + worse.length > 0 ? 1 : 0;
}
