// How results are rated and printed.
import type { Attack } from './attack.ts';
import type { ControlLatency, Latency, Run } from './measure.ts';

/** What an attack may do to the other partner. */
export const GOALS = { ratio: 1.5, aboveMs: 20, holdMs: 50, memoryMb: 64, burstMs: 500 } as const;

const COLUMNS = [
  ['attack', 18],
  ['limits', 9],
  ['from', 7],
  ['p50', 8],
  ['p99', 9],
  ['control', 14],
  ['hold', 7],
  ['delay', 11],
  ['own', 6],
  ['memory', 12],
  ['failed', 7],
  ['stolen', 7],
  ['missed', 22],
] as const;

export interface Row extends Conclusion {
  readonly attack: Attack;
  readonly limits: string;
  readonly from: string;
  readonly runs: readonly Run[];
  readonly control: ControlLatency;
}

/** What the runs of a row come to. */
interface Conclusion {
  /** The run in the middle by p99, a burst by how long it was felt, with the worst of what must never be. */
  readonly run: Run;
  /** Of a burst: after how many milliseconds the later requests reached the goal of p99. */
  readonly slowUntilMs: number;
  readonly isSlow: boolean;
  /** Where runs were left out: whether the true median lies at most or at least there. */
  readonly sign: '' | '≤' | '≥';
}

/** Whether more than half of all runs that are planned say the same of the p99: the median then says it too. */
export function isDecided(runs: readonly Run[], planned: number, attack: Attack, control: Latency): boolean {
  const slow = runs.filter((run) => isTooSlow(run, attack, control)).length;
  return Math.max(slow, runs.length - slow) > planned / 2;
}

/**
 * The run in the middle. Where runs were left out as the others had decided, the nearest one that the true middle cannot be
 * worse than, or better than when the goal is missed.
 */
export function concludeRuns(
  runs: readonly Run[],
  planned: number,
  attack: Attack,
  control: Latency,
): Conclusion {
  const rated = (run: Run): number => (attack.isBurst ? run.slowUntilMs(bound(control)) : run.p99);
  const sorted = runs.toSorted((a, b) => rated(a) - rated(b));
  const slow = runs.filter((run) => isTooSlow(run, attack, control)).length;
  const isMissed = slow > runs.length / 2;
  const half = Math.floor(planned / 2);
  const middle = sorted[isMissed ? Math.max(0, runs.length - 1 - half) : half] ?? sorted.at(-1);
  if (middle === undefined) throw new Error('There is no run.');
  const most = (value: (run: Run) => number): number => Math.max(...runs.map(value));
  const run = {
    ...middle,
    failures: sum(runs.map(({ failures }) => failures)),
    holdMs: most(({ holdMs }) => holdMs),
    delayMs: most(({ delayMs }) => delayMs),
    peakMb: most(({ peakMb }) => peakMb),
    keptMb: most(({ keptMb }) => keptMb),
    stolen: most(({ stolen }) => stolen),
  };
  return {
    run,
    slowUntilMs: middle.slowUntilMs(bound(control)),
    isSlow: isTooSlow(middle, attack, control),
    sign: runs.length === planned ? '' : isMissed ? '≥' : '≤',
  };
}

export function printHead(): void {
  console.log(line(COLUMNS.map(([name]) => name)) + 'what the attacker got');
}

export function printRow(row: Row): void {
  const { attack, run, control, sign } = row;
  const cells = [
    attack.name,
    row.limits,
    row.from,
    ms(run.p50),
    attack.isBurst === true ? `${sign}${row.slowUntilMs.toFixed(0)} slow` : sign + ms(run.p99),
    `${ms(control.p50)}/${ms(control.p99)}`,
    ms(run.holdMs),
    `${ms(run.delayMs)}/${ms(control.delayMs)}`,
    ms(run.ownDelayMs),
    `${run.peakMb.toFixed(0)}/${run.keptMb.toFixed(0)}`,
    String(countFailures(run)),
    `${(100 * run.stolen).toFixed(0)} %`,
    missedGoals(row).join(' ') || '-',
  ];
  console.log(line(cells) + describeAttacker(run));
}

/** The names of the goals that the row does not reach. */
export function missedGoals({ isSlow, run }: Pick<Row, 'isSlow' | 'run'>): string[] {
  return [
    ...(isSlow ? ['p99'] : []),
    ...(run.holdMs > GOALS.holdMs ? ['hold'] : []),
    ...(run.peakMb > GOALS.memoryMb ? ['memory'] : []),
    ...(countFailures(run) > 0 ? ['failed'] : []),
  ];
}

function isTooSlow(run: Run, attack: Attack, control: Latency): boolean {
  return attack.isBurst === true ? run.slowUntilMs(bound(control)) > GOALS.burstMs : run.p99 > bound(control);
}

/** Half as much again as beside the control, or 20 ms more. */
function bound(control: Latency): number {
  return Math.max(control.p99 * GOALS.ratio, control.p99 + GOALS.aboveMs);
}

function countFailures({ failures }: Run): number {
  return Object.values(failures).reduce((a, b) => a + b, 0);
}

function sum(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const total: Record<string, number> = {};
  for (const [name, count] of all.flatMap((each) => Object.entries(each)))
    total[name] = (total[name] ?? 0) + count;
  return total;
}

function describeAttacker({ attacker, attackerMb, failures }: Run): string {
  const got = Object.entries(attacker).map(([outcome, count]) => `${outcome}:${count}`);
  const failed = Object.entries(failures).map(([what, count]) => `victim ${what}:${count}`);
  return [...got, `${attackerMb.toFixed(0)} MB`, ...failed].join(' ');
}

function line(cells: readonly string[]): string {
  return cells.map((cell, i) => cell.padEnd(COLUMNS[i]?.[1] ?? 0)).join(' ');
}

function ms(value: number): string {
  return value.toFixed(value < 100 ? 1 : 0);
}
