// How long and how much text is read of a form for prices: it is read in the event loop, before anything is known of it.
import { expect, test } from 'vitest';
import { readPriceText } from '../../src/portal/price-text.ts';

/** The entries and the lines that a text is read as. */
async function read(text: string) {
  const { json, count, lineOf, lacksColumns } = await readPriceText(text);
  const entries = JSON.parse(json) as {
    readonly best_bid?: unknown[];
    readonly best_ask?: unknown[];
    readonly price?: unknown;
  }[];
  const lines = Array.from({ length: count }, (_, entry) => lineOf(entry));
  return { entries, lines, lacksColumns, behind: lineOf(count) };
}

/** Milliseconds of processor time. */
async function costOf(text: string): Promise<number> {
  const before = process.threadCpuUsage();
  await readPriceText(text);
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
])('a long row of %s is read in little time', async (_, text) => {
  expect(await costOf(text)).toBeLessThan(500);
});

test('one line more than the API takes is read, and one of names', async () => {
  const lines = '2031-01-01 00:00,1\n'.repeat(20_000);
  const { entries } = await read(`timestamp,price\n${lines}`);
  expect(entries.length).toBe(10_001);
  expect((await read(lines)).entries.length).toBeGreaterThan(10_000);
});

test('one bid more than the API takes is read of a price, and a hundred columns of a line', async () => {
  const [price] = (await read(`2031-01-01 00:00;1;${'5  '.repeat(300)};6 7`)).entries;
  expect([price?.best_bid?.length, price?.best_ask]).toEqual([101, [6, 7]]);
  const far = `timestamp${',x'.repeat(99)},price\n2031-01-01 00:00`;
  expect((await read(far)).lacksColumns).toBe(true);
});

test('lines have their numbers whatever ends them, empty ones too', async () => {
  const { lines, behind } = await read('2031-01-01,1\r\n\r\n2031-01-02,2\r\r2031-01-03,3\n \n2031-01-04,4');
  expect(lines.map((line) => [line?.text.slice(0, 10), line?.number])).toEqual([
    ['2031-01-01', 1],
    ['2031-01-02', 3],
    ['2031-01-03', 5],
    ['2031-01-04', 7],
  ]);
  expect(behind).toBeUndefined();
});

test('others have their turn between parts of some 25,000 characters, and nothing is left out there', async () => {
  let turns = 0;
  const text = Array.from({ length: 5_000 }, (_, n) => `2031-01-01 00:00,${n}`).join('\n');
  const { json } = await readPriceText(text, () => {
    turns += 1;
    return Promise.resolve();
  });
  expect(turns).toBe(Math.floor(text.length / 25_100));
  const entries = JSON.parse(json) as { readonly price: number }[];
  expect(entries.map(({ price }) => price)).toEqual(Array.from({ length: 5_000 }, (_, n) => n));
});

test.each([
  ['1', 1],
  ['-1.', -1],
  ['+.5e2', 50],
  ['1e3', 1_000],
  ['1.2.3', '1.2.3'],
  ['.', '.'],
])('%s is read as %s', async (text, price) => {
  const [entry] = (await read(`2031-01-01 00:00,${text}`)).entries;
  expect(entry?.price).toBe(price);
});
