import { ByteWriter, ParquetWriter, schemaFromColumnData } from 'hyparquet-writer';
import type { BasicType } from 'hyparquet-writer';

/** What a column holds: an instant as ISO 8601 text in UTC, whole numbers of 32 bits, numbers, or text. */
export type ColumnKind = 'instant' | 'integer' | 'number' | 'text';

const TYPES: Readonly<Record<ColumnKind, BasicType>> = {
  instant: 'TIMESTAMP',
  integer: 'INT32',
  number: 'DOUBLE',
  text: 'STRING',
};

export type NamedColumns = readonly (readonly [name: string, kind: ColumnKind])[];
export type TableRow = Readonly<Record<string, string | number | null>>;

/** What a file's end tells of the row groups before it, and how many bytes they have. */
export interface ParquetState extends Pick<ParquetWriter, 'row_groups' | 'num_rows' | 'pendingIndexes'> {
  readonly offset: number;
}

/**
 * The bytes of a part of an Apache Parquet file, compressed with Snappy: a row group, unless there are no rows, the first part with
 * what begins the file and the last one with what ends it. Every column may hold nulls.
 */
export function writeParquetPart(
  columns: NamedColumns,
  rows: readonly TableRow[],
  before: ParquetState | undefined,
  isLast: boolean,
): { readonly bytes: Uint8Array; readonly state: ParquetState } {
  const writer = new ByteWriter();
  const schema = schemaFromColumnData({
    columnData: columns.map(([name, kind]) => ({ name, data: [], type: TYPES[kind], nullable: true })),
  });
  const file = new ParquetWriter({ writer, schema });
  if (before !== undefined) {
    const { offset, ...written } = before;
    Object.assign(file, written);
    Object.assign(writer, { offset, index: 0 });
  }
  if (rows.length > 0) {
    const columnData = columns.map(([name, kind]) => ({
      name,
      data: rows.map((row) => toValue(row[name] ?? null, kind)),
    }));
    void file.write({ columnData, rowGroupSize: rows.length });
  }
  if (isLast) void file.finish();
  const { row_groups, num_rows, pendingIndexes } = file;
  return {
    bytes: writer.getBytes().slice(),
    state: { row_groups, num_rows, pendingIndexes, offset: writer.offset },
  };
}

const toValue = (value: string | number | null, kind: ColumnKind): string | number | Date | null =>
  kind === 'instant' && value !== null ? new Date(value) : value;
