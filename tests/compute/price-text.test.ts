// How long and how much text is read of a form for prices, before anything is known of it.
import { expect, test } from 'vitest';
import { readPriceText } from '../../src/compute/price-text.ts';

interface Read {
  readonly entries: readonly {
    readonly best_bid?: unknown[];
    readonly best_ask?: unknown[];
    readonly price?: unknown;
  }[];
  /** The text of each line, and its number. */
  readonly lines: readonly (readonly [text: string, number: number])[];
  readonly lacksColumns: boolean;
}

function read(text: string): Read {
  const { body, count, places, lacksColumns } = readPriceText({
    text: new TextEncoder().encode(text),
    zone: 'Europe/Vienna',
  });
  const { metadata, data } = JSON.parse(new TextDecoder().decode(body)) as {
    readonly metadata: object;
    readonly data: Read['entries'];
  };
  expect([metadata, data.length, places.length]).toEqual([
    { timezone_override: 'Europe/Vienna' },
    count,
    3 * count,
  ]);
  const lines = data.map((_, entry) => {
    const [start = 0, end = 0, number = 0] = places.subarray(3 * entry);
    return [text.slice(start, end), number] as const;
  });
  return { entries: data, lines, lacksColumns };
}

/** Milliseconds of processor time. */
function costOf(text: string): number {
  const bytes = new TextEncoder().encode(text);
  const before = process.threadCpuUsage();
  readPriceText({ text: bytes, zone: 'UTC' });
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

test.each([
  ['digits that are no number', `2031-01-01 00:00,${'1'.repeat(100_000)}x`],
  ['decimals that are no number', `2031-01-01 00:00,1.${'1'.repeat(1_000_000)}x`],
  ['spaces', `2031-01-01${' '.repeat(1_000_000)}x`],
  ['quotes', `2031-01-01 00:00,${'"'.repeat(1_000_000)}`],
  ['columns', `2031-01-01 00:00${','.repeat(1_000_000)}`],
  ['bids', `2031-01-01 00:00,1,${'1 '.repeat(500_000)}`],
  ['lines', '1\n'.repeat(500_000)],
  ['empty lines', '\r\n'.repeat(500_000)],
])('a long row of %s is read in little time', (_, text) => {
  expect(costOf(text)).toBeLessThan(500);
});

test('one line more than the API takes is read, and one of names', () => {
  const lines = '2031-01-01 00:00,1\n'.repeat(20_000);
  const { entries } = read(`timestamp,price\n${lines}`);
  expect(entries.length).toBe(10_001);
  expect(read(lines).entries.length).toBeGreaterThan(10_000);
});

test('one bid more than the API takes is read of a price, and a hundred columns of a line', () => {
  const [price] = read(`2031-01-01 00:00;1;${'5  '.repeat(300)};6 7`).entries;
  expect([price?.best_bid?.length, price?.best_ask]).toEqual([101, [6, 7]]);
  const far = `timestamp${',x'.repeat(99)},price\n2031-01-01 00:00`;
  expect(read(far).lacksColumns).toBe(true);
});

test('lines have their numbers whatever ends them, empty ones too', () => {
  const { lines } = read('2031-01-01,1\r\n\r\n2031-01-02,2\r\r2031-01-03,3\n \n2031-01-04,4');
  expect(lines.map(([line, number]) => [line.slice(0, 10), number])).toEqual([
    ['2031-01-01', 1],
    ['2031-01-02', 3],
    ['2031-01-03', 5],
    ['2031-01-04', 7],
  ]);
});

test.each([
  ['1', 1],
  ['-1.', -1],
  ['+.5e2', 50],
  ['1e3', 1_000],
  ['1.2.3', '1.2.3'],
  ['.', '.'],
])('%s is read as %s', (text, price) => {
  const [entry] = read(`2031-01-01 00:00,${text}`).entries;
  expect(entry?.price).toBe(price);
});
