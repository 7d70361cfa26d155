// What a run of the bench leaves as a file.
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { dirname } from 'node:path';
import type { Change } from './comparison.ts';
import type { MeasuredRow } from './row.ts';

/** The number of the form: it grows when a reader of the former one would be misled. */
const FORM = 1;

export interface Results {
  readonly form: typeof FORM;
  readonly startedAt: string;
  readonly endedAt: string;
  /** What was measured; `isChanged` when files differed from the commit. */
  readonly version: { readonly commit: string; readonly isChanged: boolean };
  readonly machine: Machine;
  readonly rows: readonly MeasuredRow[];
  /** Groups that could not be measured. */
  readonly failures: readonly Failure[];
  /** Of a comparison: the other commit, and what became of each row since. */
  readonly comparedWith?: string;
  readonly changes?: readonly StoredChange[];
}

export interface Failure {
  readonly group: string;
  readonly reason: string;
}

interface Machine {
  readonly node: string;
  readonly platform: string;
  readonly processor: string;
  readonly cores: number;
  /** The mean number of processes that wanted a core in the minute before. */
  readonly loadAtStart: number;
}

type StoredChange = Omit<Change, 'row'> & { readonly group: string; readonly name: string };

/** This machine, and how busy it is now. */
export function describeMachine(): Machine {
  return {
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    processor: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    loadAtStart: loadavg()[0] ?? 0,
  };
}

/** The results of a run as they are stored. */
export function toResults(
  run: Pick<Results, 'version' | 'machine' | 'rows' | 'failures'> & {
    readonly startedAt: Date;
    readonly endedAt: Date;
    readonly comparison?: { readonly commit: string; readonly changes: readonly Change[] } | undefined;
  },
): Results {
  const { startedAt, endedAt, comparison, version, machine, rows, failures } = run;
  const times = { startedAt: startedAt.toISOString(), endedAt: endedAt.toISOString() };
  const results = { form: FORM, ...times, version, machine, rows, failures } as const;
  if (comparison === undefined) return results;
  const changes = comparison.changes.map(({ row, ...change }) => ({
    group: row.group,
    name: row.name,
    ...change,
  }));
  return { ...results, comparedWith: comparison.commit, changes };
}

/** Where results are kept unless told otherwise, below `bench/results`: by instant and commit. */
export function nameResults(startedAt: Date, commit: string): string {
  return `${startedAt.toISOString().slice(0, 19).replaceAll(':', '-')}-${commit.slice(0, 7)}.json`;
}

/** Writes the results as JSON, and the folders above them. */
export function writeResults(path: string, results: Results): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(results, null, 2)}\n`);
}
