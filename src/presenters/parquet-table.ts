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

export interface ParquetTable {
  /** The bytes of a row group, the first one with what begins the file. */
  write(rows: readonly Readonly<Record<string, string | number | null>>[]): Uint8Array;
  /** What ends the file. */
  end(): Uint8Array;
}

/** Writes an Apache Parquet file, compressed with Snappy, one row group after the other; every column may hold nulls. */
export function createParquetTable(columns: readonly (readonly [string, ColumnKind])[]): ParquetTable {
  const writer = new ByteWriter();
  const schema = schemaFromColumnData({
    columnData: columns.map(([name, kind]) => ({ name, data: [], type: TYPES[kind], nullable: true })),
  });
  const file = new ParquetWriter({ writer, schema });
  /** The writer counts on from where it was; its memory is used again. */
  const takeBytes = (): Uint8Array => {
    const bytes = writer.getBytes().slice();
    writer.index = 0;
    return bytes;
  };
  return {
    write: (rows) => {
      const columnData = columns.map(([name, kind]) => ({
        name,
        data: rows.map((row) => toValue(row[name] ?? null, kind)),
      }));
      void file.write({ columnData, rowGroupSize: rows.length });
      return takeBytes();
    },
    end: () => {
      void file.finish();
      return takeBytes();
    },
  };
}

const toValue = (value: string | number | null, kind: ColumnKind): string | number | Date | null =>
  kind === 'instant' && value !== null ? new Date(value) : value;
