/** Long tables in the media types of the document: rows come in groups, and each group is written as it comes. */
import { createParquetTable } from './parquet-table.ts';
import type { ColumnKind, ParquetTable } from './parquet-table.ts';

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
type Row = Readonly<Record<string, Value>>;
type RowOf<Each> = { readonly [Name in keyof Each]: Value };

export interface Table<Each extends RowOf<Each>> {
  readonly columns: Columns<Each>;
  /** What the answer tells beside the rows; JSON alone has it. */
  readonly metadata: object;
  /** In order; a group may be empty. */
  readonly groups: AsyncIterable<readonly Each[]>;
}

/** The parts of a table in a media type, at least one. */
export async function* toTableParts<Each extends RowOf<Each>>(
  type: TableType,
  { columns, metadata, groups }: Table<Each>,
): AsyncGenerator<string | Uint8Array> {
  const writer = WRITERS[type](Object.entries<ColumnKind>(columns), metadata);
  for await (const group of groups) {
    if (group.length > 0) yield writer.write(group);
  }
  yield writer.end();
}

type Writer = Pick<ParquetTable, 'write' | 'end'> | { write(group: readonly Row[]): string; end(): string };

const WRITERS: Readonly<
  Record<TableType, (columns: readonly (readonly [string, ColumnKind])[], metadata: object) => Writer>
> = {
  'application/json': (_, metadata) => {
    const head = `{"metadata":${JSON.stringify(metadata)},"data":[`;
    let before = head;
    return {
      write: (group) => {
        const text = before + group.map((row) => JSON.stringify(row)).join(',');
        before = ',';
        return text;
      },
      end: () => (before === head ? `${head}]}` : ']}'),
    };
  },
  'text/csv': (columns) => {
    // RFC 4180: lines end with CRLF. No value has a comma, a quote or a line break in it.
    const names = columns.map(([name]) => name);
    let head = `${names.join(',')}\r\n`;
    return {
      write: (group) => {
        const lines = group.map((row) => `${names.map((name) => row[name] ?? '').join(',')}\r\n`);
        const text = head + lines.join('');
        head = '';
        return text;
      },
      end: () => head,
    };
  },
  'application/vnd.apache.parquet': (columns) => createParquetTable(columns),
};
