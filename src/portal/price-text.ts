import { setImmediate } from 'node:timers/promises';

/** Prices as people have them, as the API takes them; what is no number stays text, and is refused by the API's rules. */
export interface PriceText {
  readonly entries: readonly TextEntry[];
  /** The line of each entry. */
  readonly lines: readonly TextLine[];
  /** Whether a first line of names leaves out the time or the price. */
  readonly lacksColumns: boolean;
}

/** A line as it was written, with its number, from 1 on. */
export interface TextLine {
  readonly text: string;
  readonly number: number;
}

interface TextEntry {
  readonly timestamp?: string;
  readonly price?: number | string;
  readonly best_bid?: readonly (number | string)[];
  readonly best_ask?: readonly (number | string)[];
}

type Separator = '\t' | ';' | ',';
type Column = 'timestamp' | 'price' | 'best_bid' | 'best_ask';

/** Lines are read together up to so many characters, in some 5 ms. */
const CHARACTERS_AT_ONCE = 60_000;
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
 * lines. A decimal comma is read where commas separate nothing. Others have their turn between parts of the text.
 */
export async function readPriceText(text: string): Promise<PriceText> {
  const rows = listLines(text.replace(/^\uFEFF/, ''));
  const separator = findSeparator(rows[0]?.text ?? '');
  const heading = splitCells(rows[0]?.text ?? '0', separator);
  const hasHeading = !/^\d/.test(heading[0] ?? '');
  const columns = hasHeading ? heading.map((cell) => cell.toLowerCase()) : USUAL_COLUMNS;
  const data = hasHeading ? rows.slice(1) : rows;
  const entries: TextEntry[] = [];
  let characters = 0;
  for (const line of data) {
    entries.push(toEntry(splitCells(line.text, separator), columns, separator));
    characters += line.text.length;
    if (characters < CHARACTERS_AT_ONCE) continue;
    characters = 0;
    await setImmediate();
  }
  return {
    entries,
    lines: data,
    lacksColumns: !columns.includes('timestamp') || !columns.includes('price'),
  };
}

/** The first lines in which something stands. */
function listLines(text: string): readonly TextLine[] {
  const lines: TextLine[] = [];
  let [start, number] = [0, 1];
  while (start <= text.length && lines.length < MOST_LINES) {
    const end = findLineEnd(text, start);
    const line = end === start ? '' : text.slice(start, end);
    if (line.trim() !== '') lines.push({ text: line, number });
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
