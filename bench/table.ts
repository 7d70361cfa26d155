// The rows as they are printed: one form for all groups.
import type { FigureName, MeasuredRow, Row, Unit } from './row.ts';
import type { Change } from './comparison.ts';

const NAME_WIDTH = 50;
const ROW_COLUMNS = [
  ['measured', 12],
  ['peer', 11],
  ['limit', 11],
  ['to peer', 12],
  ['to limit', 12],
] as const;
const CHANGE_COLUMNS = [
  ['now', 12],
  ['then', 12],
  ['change', 9],
  ['noise', 8],
] as const;
const GOAL_NAMES: Readonly<Record<FigureName, string>> = {
  measured: '',
  toPeer: 'peer ',
  toLimit: 'limit ',
};

/** The head of the table of rows. */
export const ROW_HEAD = line('', ROW_COLUMNS, [...ROW_COLUMNS.map(([name]) => name), 'goal and verdict']);

/** A row with its peer, limit, quotients, goals and verdict. */
export function formatRow({ name, unit, better, goals, peer, limit, figures, verdict }: MeasuredRow): string {
  const quotient = (figure: (typeof figures)[FigureName]): string =>
    figure === undefined ? '' : `${figure.median.toFixed(2)} ${formatNoise(figure.noise)}`;
  const { measured, toPeer, toLimit } = figures;
  return line(name, ROW_COLUMNS, [
    measured === undefined ? '' : formatValue(measured.median, unit),
    peer === null ? '' : formatValue(peer, unit),
    limit === null ? '' : formatValue(limit, unit),
    quotient(toPeer),
    quotient(toLimit),
    verdict === null
      ? '-'
      : `${formatGoals({ better, goals, unit })}: ${verdict.isMet ? 'met' : 'missed'}${verdict.isClose ? ', close' : ''}`,
  ]);
}

/** What is wanted of a row, such as `peer >= 1.8, limit >= 0.5`. */
export function formatGoals({ better, goals, unit }: Pick<Row, 'better' | 'goals' | 'unit'>): string {
  const sign = better === 'more' ? '>=' : '<=';
  return Object.entries(goals)
    .map(([name, goal]) => {
      const figure = name as FigureName;
      return `${GOAL_NAMES[figure]}${sign} ${figure === 'measured' ? formatValue(goal, unit) : goal}`;
    })
    .join(', ');
}

/** The head of the table of a comparison. */
export const CHANGE_HEAD = line('', CHANGE_COLUMNS, [...CHANGE_COLUMNS.map(([name]) => name), 'verdict']);

/** A row of both versions, with what became of it. */
export function formatChange(change: Change): string {
  const { row, then, movement } = change;
  const now = row.figures.measured?.median ?? Number.NaN;
  return line(row.name, CHANGE_COLUMNS, [
    formatValue(now, row.unit),
    then === null ? '-' : formatValue(then, row.unit),
    movement === null ? '-' : formatShare(movement.change),
    movement === null ? '-' : formatNoise(Number.isFinite(movement.noise) ? movement.noise : null),
    change.verdict,
  ]);
}

/** `1,234/s`, `36.4 ms`, `171 MB`: three digits or all before the point. */
export function formatValue(value: number, unit: Unit): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  const number = value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return unit === '/s' || unit === '' ? `${number}${unit}` : `${number} ${unit}`;
}

function formatNoise(noise: number | null): string {
  return noise === null ? '±?' : `±${(noise * 100).toFixed(0)}%`;
}

function formatShare(share: number): string {
  return `${share < 0 ? '-' : '+'}${Math.abs(share * 100).toFixed(1)}%`;
}

/** Figures stand to the right of their columns, and what follows them is text. */
function line(
  name: string,
  columns: readonly (readonly [string, number])[],
  cells: readonly string[],
): string {
  const figures = columns.map(([, width], i) => (cells[i] ?? '').padStart(width));
  return [name.padEnd(NAME_WIDTH), ...figures, ` ${cells[columns.length] ?? ''}`].join(' ').trimEnd();
}
