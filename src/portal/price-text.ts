import { setImmediate } from 'node:timers/promises';

/** Prices as people have them, as the API takes them; what is no number stays text, and is refused by the API's rules. */
export interface PriceText {
  /** The entries, a JSON array. */
  readonly json: string;
  /** How many there are. */
  readonly count: number;
  /** The line of an entry, by its place from 0 on; undefined where there is none. */
  readonly lineOf: (entry: number) => TextLine | undefined;
  /** Whether a first line of names leaves out the time or the price. */
  readonly lacksColumns: boolean;
}

/** A line as it was written, with its number, from 1 on. */
export interface TextLine {
  readonly text: string;
  readonly number: number;
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

/** Lines are read together up to so many characters, in some 2 ms. */
const CHARACTERS_AT_ONCE = 25_000;
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
 * lines. A decimal comma is read where commas separate nothing. Between parts of the text it gives way to others, and keeps no more
 * than their JSON: ten thousand objects that live until the end would be copied by each collection of garbage.
 */
export async function readPriceText(
  text: string,
  giveWay: () => Promise<void> = setImmediate,
): Promise<PriceText> {
  const plain = text.replace(/^\uFEFF/, '');
  const lines = findLines(plain);
  const first = lines.next();
  const firstLine = first.done === true ? '' : plain.slice(first.value.start, first.value.end);
  const separator = findSeparator(firstLine);
  const heading = splitCells(firstLine === '' ? '0' : firstLine, separator);
  const hasHeading = !/^\d/.test(heading[0] ?? '');
  const columns = hasHeading ? heading.map((cell) => cell.toLowerCase()) : USUAL_COLUMNS;
  const places: LinePlace[] = first.done === true || hasHeading ? [] : [first.value];
  const parts: string[] = [];
  let [read, characters] = [0, 0];
  for (;;) {
    const next = lines.next();
    if (next.done !== true) {
      places.push(next.value);
      characters += next.value.end - next.value.start;
      if (characters < CHARACTERS_AT_ONCE) continue;
    }
    if (read < places.length) {
      const entries = places
        .slice(read)
        .map(({ start, end }) => toEntry(splitCells(plain.slice(start, end), separator), columns, separator));
      parts.push(JSON.stringify(entries).slice(1, -1));
      read = places.length;
    }
    if (next.done === true) break;
    characters = 0;
    await giveWay();
  }
  return {
    json: `[${parts.join(',')}]`,
    count: places.length,
    lineOf: (entry) => {
      const place = places[entry];
      return place && { text: plain.slice(place.start, place.end), number: place.number };
    },
    lacksColumns: !columns.includes('timestamp') || !columns.includes('price'),
  };
}

/** Where a line stands in the text, and its number from 1 on. */
interface LinePlace {
  readonly start: number;
  readonly end: number;
  readonly number: number;
}

/** The first lines in which something stands. */
function* findLines(text: string): Generator<LinePlace, undefined> {
  let [start, number, found] = [0, 1, 0];
  while (start <= text.length && found < MOST_LINES) {
    const end = findLineEnd(text, start);
    if (end > start && text.slice(start, end).trim() !== '') {
      found += 1;
      yield { start, end, number };
    }
    const isOfTwo = text.charCodeAt(end) === RETURN && text.charCodeAt(end + 1) === NEW_LINE;
    start = end + (isOfTwo ? 2 : 1);
    number += 1;
  }
  return undefined;
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
