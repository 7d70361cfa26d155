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
import type { Failure } from './results.ts';
import { concludeRow } from './row.ts';
import type { MeasuredRow, Samples } from './row.ts';
import { CHANGE_HEAD, formatChange, formatRow, ROW_HEAD } from './table.ts';
import { takeTurns } from './turns.ts';
import { openGroup, ROOT } from './version.ts';

/** Measures what is asked for, prints the rows and keeps the results. Resolves to the exit code. */
export async function run(options: Options): Promise<number> {
  const startedAt = new Date();
  const [version, machine] = [describeTree(), describeMachine()];
  if (!canPin) console.log('Without two cores and taskset nothing is pinned: rates of requests mean little.');
  if (machine.loadAtStart > machine.cores / 2)
    console.log(
      `The machine is busy (load ${machine.loadAtStart.toFixed(1)}): take the figures for nothing.`,
    );
  let other: OtherVersion | undefined;
  try {
    other = options.compare === undefined ? undefined : checkOutVersion(options.compare);
  } catch (error) {
    console.error(toFirstLine(error));
    return 2;
  }
  process.once('exit', () => other?.remove());
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const rows: MeasuredRow[] = [];
  const changes: Change[] = [];
  const failures: Failure[] = [];
  for (const group of options.groups) {
    const rounds = options.rounds ?? group.rounds;
    try {
      if (other === undefined) rows.push(...(await measureGroup(group, rounds)));
      else changes.push(...(await compareGroup(group, rounds, other)));
    } catch (error) {
      console.error(error);
      failures.push({ group: group.name, reason: toFirstLine(error) });
    }
  }
  const path = options.json ?? join(ROOT, 'bench/results', nameResults(startedAt, version.commit));
  const comparison = other === undefined ? undefined : { commit: other.commit, changes };
  const all = other === undefined ? rows : changes.map(({ row }) => row);
  const endedAt = new Date();
  writeResults(path, toResults({ startedAt, endedAt, version, machine, rows: all, failures, comparison }));
  return conclude(rows, changes, failures, `${formatMinutes(startedAt, endedAt)}. All figures: ${path}`);
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
    const found = await takeTurns(rounds, now, past, tellFirstLine);
    const changes = group.rows.map((row) => compareRow(group.name, row, found.now, found.then));
    for (const change of changes) console.log(formatChange(change));
    return changes;
  } finally {
    await now.close();
  }
}

function tellFirstLine(error: unknown): undefined {
  console.log(`That commit cannot be asked for these rows: ${toFirstLine(error)}`);
}

function toFirstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';
}

function formatMinutes(from: Date, to: Date): string {
  return `${((to.getTime() - from.getTime()) / 60_000).toFixed(1)} minutes`;
}

/** Says the result in a sentence; the exit code. */
function conclude(
  rows: readonly MeasuredRow[],
  changes: readonly Change[],
  failures: readonly Failure[],
  where: string,
): number {
  const withGoal = rows.filter(({ verdict }) => verdict !== null);
  const missed = withGoal.filter(({ verdict }) => verdict?.isMet === false);
  const worse = changes.filter(({ verdict }) => verdict === 'worse');
  const better = changes.filter(({ verdict }) => verdict === 'better');
  const summary =
    changes.length === 0
      ? `${withGoal.length - missed.length} of ${withGoal.length} rows with a goal reach it.`
      : `${better.length} of ${changes.length} rows got better and ${worse.length} worse by more than noise.`;
  console.log(`\n${summary} ${where}`);
  for (const { group, reason } of failures) console.log(`${group} could not be measured: ${reason}`);
  return missed.length + worse.length + failures.length > 0 ? 1 : 0;
}
