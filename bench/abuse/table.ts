// How results are rated and printed.
import type { Attack } from './attack.ts';
import type { Latency, Run } from './measure.ts';

/** What an attack may do to the other partner. */
export const GOALS = { ratio: 1.5, aboveMs: 20, holdMs: 50, memoryMb: 64, burstMs: 500 } as const;

const COLUMNS = [
  ['attack', 18],
  ['limits', 9],
  ['from', 7],
  ['p50', 8],
  ['p99', 9],
  ['control', 14],
  ['hold', 8],
  ['memory', 12],
  ['failed', 7],
  ['missed', 22],
] as const;

export interface Row {
  readonly attack: Attack;
  readonly limits: string;
  readonly from: string;
  readonly run: Run;
  readonly control: Latency;
}

export function printHead(): void {
  console.log(line(COLUMNS.map(([name]) => name)) + 'what the attacker got');
}

export function printRow(row: Row): void {
  const { attack, run, control } = row;
  const cells = [
    attack.name,
    row.limits,
    row.from,
    ms(run.p50),
    attack.isBurst === true ? `${run.slowUntilMs(bound(control)).toFixed(0)} slow` : ms(run.p99),
    `${ms(control.p50)}/${ms(control.p99)}`,
    ms(run.holdMs),
    `${run.peakMb.toFixed(0)}/${run.keptMb.toFixed(0)}`,
    String(countFailures(run)),
    missedGoals(row).join(' ') || '-',
  ];
  console.log(line(cells) + describeAttacker(run));
}

/** The names of the goals that the row does not reach. */
export function missedGoals({ attack, run, control }: Row): string[] {
  const isSlow =
    attack.isBurst === true ? run.slowUntilMs(bound(control)) > GOALS.burstMs : run.p99 > bound(control);
  return [
    ...(isSlow ? ['p99'] : []),
    ...(run.holdMs > GOALS.holdMs ? ['hold'] : []),
    ...(run.peakMb > GOALS.memoryMb ? ['memory'] : []),
    ...(countFailures(run) > 0 ? ['failed'] : []),
  ];
}

/** Half as much again as beside the control, or 20 ms more. */
function bound(control: Latency): number {
  return Math.max(control.p99 * GOALS.ratio, control.p99 + GOALS.aboveMs);
}

function countFailures({ failures }: Run): number {
  return Object.values(failures).reduce((a, b) => a + b, 0);
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
