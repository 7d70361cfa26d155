/** Long tables in the media types of the document, written part by part, on whatever thread. */
import { writeParquetPart } from './parquet-table.ts';
import type { ColumnKind, NamedColumns, TableRow, ParquetState } from './parquet-table.ts';

/** The columns of rows by their names, in the order in which tables have them. */
export type Columns<Row> = { readonly [Name in keyof Row]: ColumnKind };

/** The media types in which a table is answered. */
export const TABLE_TYPES = ['application/json', 'text/csv', 'application/vnd.apache.parquet'] as const;
export type TableType = (typeof TABLE_TYPES)[number];

export const CONTENT_TYPES: Readonly<Record<TableType, string>> = {
  'application/json': 'application/json; charset=utf-8',
  'text/csv': 'text/csv; charset=utf-8; header=present',
  'application/vnd.apache.parquet': 'application/vnd.apache.parquet',
};

type Value = string | number | null;
type RowOf<Each> = { readonly [Name in keyof Each]: Value };

export interface Table<Each extends RowOf<Each>> {
  readonly type: TableType;
  readonly columns: Columns<Each>;
  /** What the answer tells beside the rows; JSON alone has it. */
  readonly metadata: object;
}

/** What the next part of a table needs of those before it; it can be copied to another thread. */
export interface TableState {
  readonly hasRows: boolean;
  readonly parquet?: ParquetState;
}

export interface TablePart {
  readonly bytes: Uint8Array;
  readonly state: TableState;
}

/** The next rows of a table, of which there may be none: the first part with its head, the last one with its end. */
export function writeTablePart<Each extends RowOf<Each>>(
  { type, columns, metadata }: Table<Each>,
  rows: readonly Each[],
  before: TableState | undefined,
  isLast: boolean,
): TablePart {
  const named = Object.entries<ColumnKind>(columns);
  const hasRows = before?.hasRows === true || rows.length > 0;
  if (type === 'application/vnd.apache.parquet') {
    const { bytes, state } = writeParquetPart(named, rows, before?.parquet, isLast);
    return { bytes, state: { hasRows, parquet: state } };
  }
  const text =
    type === 'text/csv' ? writeCsv(named, rows, before) : writeJson(metadata, rows, before, isLast);
  return { bytes: new TextEncoder().encode(text), state: { hasRows } };
}

function writeJson(
  metadata: object,
  rows: readonly object[],
  before: TableState | undefined,
  isLast: boolean,
): string {
  const head = before === undefined ? `{"metadata":${JSON.stringify(metadata)},"data":[` : '';
  const comma = before?.hasRows === true && rows.length > 0 ? ',' : '';
  return head + comma + rows.map((row) => JSON.stringify(row)).join(',') + (isLast ? ']}' : '');
}

/** By RFC 4180: lines end with CRLF. No value has a comma, a quote or a line break in it. */
function writeCsv(columns: NamedColumns, rows: readonly TableRow[], before: TableState | undefined): string {
  const names = columns.map(([name]) => name);
  const head = before === undefined ? `${names.join(',')}\r\n` : '';
  return head + rows.map((row) => `${names.map((name) => row[name] ?? '').join(',')}\r\n`).join('');
}
