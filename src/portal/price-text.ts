import { setImmediate } from 'node:timers/promises';

/** Prices as people have them, as the API takes them; what is no number stays text, and is refused by the API's rules. */
export interface PriceText {
  readonly entries: readonly TextEntry[];
  /** The line of each entry, from 1 on. */
  readonly lines: readonly number[];
  /** Whether a first line of names leaves out the time or the price. */
  readonly lacksColumns: boolean;
}

interface TextEntry {
  readonly timestamp?: string;
  readonly price?: number | string;
  readonly best_bid?: readonly (number | string)[];
  readonly best_ask?: readonly (number | string)[];
}

type Separator = '\t' | ';' | ',';
type Column = 'timestamp' | 'price' | 'best_bid' | 'best_ask';

/** Lines that are read at once, in some 5 ms. */
const LINES_AT_ONCE = 1_000;

/** Where each column stands unless a line of names says otherwise. */
const USUAL_COLUMNS: readonly Column[] = ['timestamp', 'price', 'best_bid', 'best_ask'];

/**
 * Reads lines of a time and a price, with lists of bids and asks behind them: separated by tabs, semicolons or commas, as spreadsheets
 * write them and as the page of prices does. A first line of names says where the columns are; others are left out, as are empty
 * lines. A decimal comma is read where commas separate nothing. Others have their turn between parts of the text.
 */
export async function readPriceText(text: string): Promise<PriceText> {
  const rows = text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\r|\n/)
    .map((line, index) => ({ line, number: index + 1 }))
    .filter(({ line }) => line.trim() !== '');
  const separator = findSeparator(rows[0]?.line ?? '');
  const heading = splitCells(rows[0]?.line ?? '0', separator);
  const hasHeading = !/^\d/.test(heading[0] ?? '');
  const columns = hasHeading ? heading.map((cell) => cell.toLowerCase()) : USUAL_COLUMNS;
  const data = hasHeading ? rows.slice(1) : rows;
  const entries: TextEntry[] = [];
  for (let at = 0; at < data.length; at += LINES_AT_ONCE) {
    const part = data.slice(at, at + LINES_AT_ONCE);
    entries.push(...part.map(({ line }) => toEntry(splitCells(line, separator), columns, separator)));
    await setImmediate();
  }
  return {
    entries,
    lines: data.map(({ number }) => number),
    lacksColumns: !columns.includes('timestamp') || !columns.includes('price'),
  };
}

function findSeparator(line: string): Separator {
  return (['\t', ';'] as const).find((separator) => line.includes(separator)) ?? ',';
}

function splitCells(line: string, separator: Separator): readonly string[] {
  return line.split(separator).map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));
}

function toEntry(cells: readonly string[], columns: readonly string[], separator: Separator): TextEntry {
  const cellOf = (column: Column): string => cells[columns.indexOf(column)] ?? '';
  const toValue = (cell: string): number | string =>
    toNumber(separator === ',' ? cell : cell.replace(',', '.'));
  const listOf = (column: Column): readonly (number | string)[] =>
    cellOf(column)
      .split(' ')
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
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : text;
}

/** `2026-11-24 18:00` and `24.11.2026 18:00` as ISO 8601 has them; all else as it is. */
function toTimestamp(cell: string): string {
  return cell
    .replace(/^(\d{2})\.(\d{2})\.(\d{4})(?=[ T])/, '$3-$2-$1')
    .replace(/^(\d{4}-\d{2}-\d{2}) (?=\d)/, '$1T')
    .replace(/ (?=[+-]\d{2}:?\d{2}$|Z$)/, '');
}
