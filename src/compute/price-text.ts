import { toJsonBytes } from '../contract/json-bytes.ts';

/** Prices as people have them, read as the body of an upload; what is no number stays text, and is refused by the API's rules. */
export interface PriceText {
  /** The body of the operation uploadDayAheadPrices. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** How many entries it has. */
  readonly count: number;
  /** Of each entry where its line begins and ends in the text, and the number of that, from 1 on. */
  readonly places: Int32Array<ArrayBuffer>;
  /** Whether a first line of names leaves out the time or the price. */
  readonly lacksColumns: boolean;
}

/** An entry of the API as far as a line has it. */
interface TextEntry {
  readonly timestamp?: string;
  readonly price?: number | string;
  readonly best_bid?: readonly (number | string)[];
  readonly best_ask?: readonly (number | string)[];
}

type Separator = '\t' | ';' | ',';
type Column = 'timestamp' | 'price' | 'best_bid' | 'best_ask';

/** One line more than the API takes, and one of names: the API refuses what has more, and the others are not looked at. */
const MOST_LINES = 10_002;
/** Columns of a line; others are left out. */
const MOST_COLUMNS = 100;
/** One bid or ask more than the API takes of a price, for the same reason. */
const MOST_LISTED = 101;

/** Where each column stands unless a line of names says otherwise. */
const USUAL_COLUMNS: readonly Column[] = ['timestamp', 'price', 'best_bid', 'best_ask'];

/**
 * Reads lines of a time and a price, with lists of bids and asks behind them: separated by tabs, semicolons or commas, as spreadsheets
 * write them and as the page of prices does. A first line of names says where the columns are; others are left out, as are empty
 * lines. A decimal comma is read where commas separate nothing. Times without an offset are those of the zone.
 */
export function readPriceText(input: {
  /** UTF-8. */
  readonly text: Uint8Array;
  readonly zone: string;
}): PriceText {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(input.text);
  const lines = listLines(text);
  const textOf = ({ start, end }: Line): string => text.slice(start, end);
  const firstLine = lines[0] === undefined ? '' : textOf(lines[0]);
  const separator = findSeparator(firstLine);
  const heading = splitCells(firstLine === '' ? '0' : firstLine, separator);
  const hasHeading = !/^\d/.test(heading[0] ?? '');
  const columns = hasHeading ? heading.map((cell) => cell.toLowerCase()) : USUAL_COLUMNS;
  const data = hasHeading ? lines.slice(1) : lines;
  return {
    body: toJsonBytes({
      metadata: { timezone_override: input.zone },
      data: data.map((line) => toEntry(splitCells(textOf(line), separator), columns, separator)),
    }),
    count: data.length,
    places: Int32Array.from(data.flatMap(({ start, end, number }) => [start, end, number])),
    lacksColumns: !columns.includes('timestamp') || !columns.includes('price'),
  };
}

/** Where a line stands in the text, and its number from 1 on. */
interface Line {
  readonly start: number;
  readonly end: number;
  readonly number: number;
}

/** The first lines in which something stands. */
function listLines(text: string): readonly Line[] {
  const lines: Line[] = [];
  let [start, number] = [0, 1];
  while (start <= text.length && lines.length < MOST_LINES) {
    const end = findLineEnd(text, start);
    if (end > start && text.slice(start, end).trim() !== '') lines.push({ start, end, number });
    const isOfTwo = text.charCodeAt(end) === RETURN && text.charCodeAt(end + 1) === NEW_LINE;
    start = end + (isOfTwo ? 2 : 1);
    number += 1;
  }
  return lines;
}

const NEW_LINE = 0x0a;
const RETURN = 0x0d;

function findLineEnd(text: string, start: number): number {
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === NEW_LINE || code === RETURN) return at;
  }
  return text.length;
}

function findSeparator(line: string): Separator {
  return (['\t', ';'] as const).find((separator) => line.includes(separator)) ?? ',';
}

function splitCells(line: string, separator: Separator): readonly string[] {
  return line.split(separator, MOST_COLUMNS).map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));
}

function toEntry(cells: readonly string[], columns: readonly string[], separator: Separator): TextEntry {
  const cellOf = (column: Column): string => cells[columns.indexOf(column)] ?? '';
  const toValue = (cell: string): number | string =>
    toNumber(separator === ',' ? cell : cell.replace(',', '.'));
  const listOf = (column: Column): readonly (number | string)[] =>
    cellOf(column)
      .split(/ +/, MOST_LISTED)
      .filter((part) => part !== '')
      .map(toValue);
  const [timestamp, price] = [toTimestamp(cellOf('timestamp')), cellOf('price')];
  const [bids, asks] = [listOf('best_bid'), listOf('best_ask')];
  return {
    ...(timestamp === '' ? {} : { timestamp }),
    ...(price === '' ? {} : { price: toValue(price) }),
    ...(bids.length === 0 ? {} : { best_bid: bids }),
    ...(asks.length === 0 ? {} : { best_ask: asks }),
  };
}

function toNumber(text: string): number | string {
  // What a digit belongs to is never open: otherwise a million of them would be tried in all ways.
  return /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : text;
}

/** `2026-11-24 18:00` and `24.11.2026 18:00` as ISO 8601 has them; all else as it is. */
function toTimestamp(cell: string): string {
  return cell
    .replace(/^(\d{2})\.(\d{2})\.(\d{4})(?=[ T])/, '$3-$2-$1')
    .replace(/^(\d{4}-\d{2}-\d{2}) (?=\d)/, '$1T')
    .replace(/ (?=[+-]\d{2}:?\d{2}$|Z$)/, '');
}
