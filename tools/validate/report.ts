/** The report of the validation: what `make validate` prints and writes, and `/docs/simulator` shows. */
import type { ExplainedRow } from './known-misses.ts';
import { explainRows } from './known-misses.ts';
import { PARTS } from './parts.ts';
import type { PartName } from './parts.ts';
import type { PartResult } from './part-worker.ts';
import type { ColumnComparison } from './people-homes.ts';
import type { DrawnPicture } from './picture.ts';
import type { Row } from './row.ts';

/** A part with what was measured of it. */
interface Section {
  readonly name: string;
  readonly heading: string;
  readonly rows: readonly ExplainedRow[];
  readonly pictures: readonly DrawnPicture[];
  readonly columns: readonly ColumnComparison[];
}

/** `generated/validation/report.json`. */
export interface Report {
  /** Of the code and the data that it was made by. */
  readonly fingerprint: string;
  readonly sections: readonly Section[];
}

/** How many columns are named as the worst. */
const WORST = 3;

export function createReport(fingerprint: string, results: ReadonlyMap<PartName, PartResult>): Report {
  const names = (Object.keys(PARTS) as PartName[]).filter((name) => results.has(name));
  return {
    fingerprint,
    sections: names.map((name) => {
      const { rows = [], pictures = [], columns = [] } = results.get(name) ?? {};
      return {
        name,
        heading: PARTS[name].heading,
        rows: explainRows(rows),
        pictures: pictures.map(({ shown }) => shown),
        columns: columns.map(roundColumn),
      };
    }),
  };
}

const toDigits = (value: number): number => Number(value.toPrecision(3));
const roundColumn = ({ column, measured, simulated, distance }: ColumnComparison): ColumnComparison => ({
  column,
  measured: measured.map(toDigits),
  simulated: simulated.map(toDigits),
  distance: Number(distance.toFixed(2)),
});

/** Rows under a line of headings, columns as wide as their widest cell. */
function formatTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((name, column) =>
    Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]): string =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join(' | ')
      .trimEnd();
  return [line(header), widths.map((width) => '-'.repeat(width)).join('-|-'), ...rows.map(line)].join('\n');
}

/** Rows as a table, with the number of those met below it. */
export function formatRows(rows: readonly Row[]): string {
  const cells = rows.map(({ id, figure, truth, measured, accept, verdict }) => [
    id,
    figure,
    truth,
    measured,
    accept,
    verdict === 'missed' ? 'MISSED' : verdict,
  ]);
  const asked = rows.filter(({ verdict }) => verdict !== 'shown');
  const met = asked.filter(({ verdict }) => verdict === 'met').length;
  const table = formatTable(['Id', 'Figure', 'Truth', 'Simulated', 'Accepted', 'Verdict'], cells);
  return `${table}\n\n${met} of ${asked.length} met.`;
}

/** Columns of measured homes beside simulated ones as a table, and which are the worst. */
export function formatColumns(columns: readonly ColumnComparison[]): string {
  const quartiles = (values: readonly number[]): string => values.join(', ');
  const cells = columns.map(({ column, measured, simulated, distance }) => [
    column,
    quartiles(measured),
    quartiles(simulated),
    String(distance),
  ]);
  const worst = columns.slice(0, WORST).map(({ column }) => column);
  return `${formatTable(['Column of load.csv', 'Measured', 'Simulated', 'Distance'], cells)}\n\nFarthest: ${worst.join(', ')}.`;
}
