// How values of the database are read.
import pg from 'pg';

// The numbers of PostgreSQL's own types never change (pg_type.dat).
const INT8 = 20;
const NUMERIC = 1700;
const INT8_ARRAY = 1016;
const NUMERIC_ARRAY = 1231;
const DATE = 1082;
const TIMESTAMP = 1114;
const TIMESTAMPTZ = 1184;

type Parser = (value: string) => unknown;

/**
 * int8 and numeric are numbers (an int8 beyond 2^53 is an error, not a near value); timestamptz is a Date; date and
 * timestamp have no zone and stay text. All else as pg does it.
 */
export const VALUE_TYPES = { getTypeParser } satisfies pg.CustomTypesConfig;

/** The same, but a timestamptz is the text that `toISOString` of its Date has: where answers print it, no Date is made. */
export const TEXT_INSTANTS = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === TIMESTAMPTZ && format !== 'binary' ? toIsoText : getTypeParser(oid, format),
} satisfies pg.CustomTypesConfig;

/** A row whose instants are read as text. */
export type WithTextInstants<Row> = {
  [Name in keyof Row]: Row[Name] extends Date | null ? string | Extract<Row[Name], null> : Row[Name];
};

function getTypeParser(oid: number, format?: 'text' | 'binary'): Parser {
  if (format !== 'binary') {
    if (oid === INT8) return parseExactInteger;
    if (oid === NUMERIC) return Number;
    if (oid === INT8_ARRAY) return (value) => parseNumberArray(value, parseExactInteger);
    if (oid === NUMERIC_ARRAY) return (value) => parseNumberArray(value, Number);
    if (oid === DATE || oid === TIMESTAMP) return String;
  }
  // pg's types name only some numbers; the parser takes any.
  return (pg.types.getTypeParser as (oid: number, format?: string) => Parser)(oid, format);
}

function parseExactInteger(value: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number))
    throw new RangeError(`int8 ${value} is beyond what a number holds exactly.`);
  return number;
}

/** One-dimensional arrays of numbers: `{1,NULL,2}`. */
function parseNumberArray(value: string, parse: (entry: string) => number): (number | null)[] {
  const inside = value.slice(1, -1);
  return inside === '' ? [] : inside.split(',').map((entry) => (entry === 'NULL' ? null : parse(entry)));
}

/** What is missing of the milliseconds, which PostgreSQL writes without zeros at their end, by the length of the text. */
const ENDS: Readonly<Record<number, string>> = {
  ['2026-03-29 01:00:00+00'.length]: '.000Z',
  ['2026-03-29 01:00:00.1+00'.length]: '00Z',
  ['2026-03-29 01:00:00.12+00'.length]: '0Z',
  ['2026-03-29 01:00:00.123+00'.length]: 'Z',
};

/** `2026-03-29 01:00:00.12+00`, as PostgreSQL writes it in UTC, in the form of ISO 8601 with milliseconds. */
function toIsoText(value: string): string {
  const end = ENDS[value.length];
  // Years of more than four digits, finer instants and other zones.
  if (end === undefined || value[4] !== '-' || !value.endsWith('+00')) return readDate(value).toISOString();
  return `${value.slice(0, 10)}T${value.slice(11, -3)}${end}`;
}

const readDate = getTypeParser(TIMESTAMPTZ) as (value: string) => Date;
