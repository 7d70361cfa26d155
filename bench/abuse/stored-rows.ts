// What a run of attacks leaves as a file: written anew after each row, so that a run that is interrupted keeps what it knows.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Results } from '../results.ts';
import type { ControlLatency, Run } from './measure.ts';
import { nameAddress } from './plan.ts';
import type { Plan, PlannedRow } from './plan.ts';
import { missedGoals } from './table.ts';
import type { Row } from './table.ts';

/** The number of the form: it grows when a reader of the former one would be misled. */
const FORM = 3;

export interface StoredResults extends Pick<Results, 'startedAt' | 'endedAt' | 'version' | 'machine'> {
  readonly form: typeof FORM;
  readonly asked: Pick<Plan, 'runs' | 'untilDecided' | 'requests' | 'perSecond' | 'households' | 'unbounded'>;
  /** Rows that were to be measured; fewer are there as long as the run goes on, and when it was interrupted. */
  readonly rowsPlanned: number;
  readonly rows: readonly StoredRow[];
}

export interface StoredRow {
  readonly attack: string;
  readonly limits: string;
  readonly from: string;
  /** Of a burst: after how many milliseconds the later requests reached the goal of p99. */
  readonly slowUntilMs: number | null;
  readonly control: ControlLatency;
  readonly median: StoredRun;
  readonly runs: readonly StoredRun[];
  readonly missed: readonly string[];
}

type StoredRun = Omit<Run, 'slowUntilMs'>;

/** The row as it is kept: all of its runs, and what it was rated by. */
export function toStoredRow(row: Row): StoredRow {
  const { attack, limits, from, control, run, runs, slowUntilMs } = row;
  return {
    attack: attack.name,
    limits,
    from,
    slowUntilMs: attack.isBurst === true ? slowUntilMs : null,
    control,
    median: toStoredRun(run),
    runs: runs.map(toStoredRun),
    missed: missedGoals(row),
  };
}

/** Without the function, which depends on the control. */
function toStoredRun(run: Run): StoredRun {
  const { p50, p99, failures, holdMs, delayMs, ownDelayMs } = run;
  const { peakMb, keptMb, attacker, attackerMb, stolen } = run;
  return { p50, p99, failures, holdMs, delayMs, ownDelayMs, peakMb, keptMb, attacker, attackerMb, stolen };
}

/** Whether a row that is planned is among those that were kept. */
export function isStored(rows: readonly StoredRow[], planned: PlannedRow): boolean {
  return rows.some(
    ({ attack, limits, from }) =>
      attack === planned.attack.name && limits === planned.limits && from === nameAddress(planned),
  );
}

/** Writes the results as JSON, and the folders above them. The file is whole at any time. */
export function writeStoredResults(path: string, results: Omit<StoredResults, 'form'>): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.new`, `${JSON.stringify({ form: FORM, ...results }, null, 2)}\n`);
  renameSync(`${path}.new`, path);
}

/**
 * The rows of an earlier run.
 * @throws Error when there is no such file, or when it asked otherwise: its rows could not stand in the same table.
 */
export function readStoredRows(path: string, asked: StoredResults['asked']): readonly StoredRow[] {
  const stored = JSON.parse(readFileSync(path, 'utf8')) as Omit<StoredResults, 'form'> & { form: unknown };
  const [then, now] = [stored.asked, asked].map((each) =>
    JSON.stringify(each, Object.keys(asked).toSorted()),
  );
  if (stored.form !== FORM || then !== now)
    throw new Error(`${path} was measured otherwise: ${then ?? ''}, and now ${now ?? ''}.`);
  return stored.rows;
}
