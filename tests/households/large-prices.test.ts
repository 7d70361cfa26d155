// Prices of more than the part of a partner: put together in pieces, and not read by every call.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY_MS, QUARTER_HOUR_MS } from '../../src/domain/api/durations.ts';
import { loadHistoryPrices } from '../../src/households/history-prices.ts';
import { insertOrganization } from '../../src/queries/accounts/organizations.ts';
import { countCalls } from '../support/call-counts.ts';
import { testDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { countStatements } from '../support/statement-count.ts';

const NOW = new Date('2026-06-15T12:00:00.000Z');
const SINCE = new Date('2016-01-01T00:00:00.000Z');
const PER_PAGE = 10_000;
const PIECE = 32_768;
/** Pages of one arrival each: 40 MB. */
const PAGES_OF_40_MB = 175;

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

interface Page {
  packed: Buffer | null;
  looked_at: number;
  last: readonly [number, number] | null;
}

/** Revisions of a quarter hour for each row, as the database packs them. */
function makePage(page: number, arrivalOf: (startMs: number) => number): Page {
  const numbers = new Float64Array(PER_PAGE * 3);
  let [startMs, receivedMs] = [0, 0];
  for (let row = 0; row < PER_PAGE; row += 1) {
    startMs = SINCE.getTime() + Math.floor((page * PER_PAGE + row) / 20) * QUARTER_HOUR_MS;
    receivedMs = arrivalOf(startMs) + (row % 20);
    numbers[row * 3] = startMs;
    numbers[row * 3 + 1] = receivedMs;
    numbers[row * 3 + 2] = row;
  }
  const packed = Buffer.from(numbers.buffer).swap64();
  return { packed, looked_at: PER_PAGE, last: [startMs, receivedMs] };
}

/** Of those whose numbers do not count: making a page takes as long as reading it. */
const SAME_PAGE = makePage(0, () => SINCE.getTime());

/** A partner whose first load is answered with so many pages of 10,000 revisions, and then with what is stored. */
async function partnerOf(pages: number, arrivalOf?: (startMs: number) => number) {
  const id = randomUUID();
  await insertOrganization(database.db, {
    id,
    name: id,
    kind: 'partner',
    parentOrgId: null,
    createdAt: SINCE,
  });
  await sql`insert into price_counts (org_id, quarters, uploads) values (${id}, 1, 1)`.execute(database.db);
  let next = 0;
  const makeNext = (): Page => {
    next += 1;
    return arrivalOf === undefined ? SAME_PAGE : makePage(next, arrivalOf);
  };
  const db = database.db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: ({ result }) => {
      const isPage = result.rows[0] !== undefined && 'looked_at' in result.rows[0];
      const rows = isPage && next < pages ? [{ ...makeNext() }] : result.rows;
      return Promise.resolve({ ...result, rows });
    },
  });
  const load = () => loadHistoryPrices(db, id, SINCE, NOW);
  return { id, load };
}

/** Stores a price that begins a day after now. */
async function upload(orgId: string): Promise<void> {
  await sql`
    with counted as (update price_counts set uploads = uploads + 1 where org_id = ${orgId})
    insert into day_ahead_prices (org_id, starts_at, received_at, price, best_bid, best_ask)
    values (${orgId}, ${new Date(NOW.getTime() + DAY_MS)}, ${NOW}, 42, '{}', '{}')
  `.execute(database.db);
}

const countPauses = async (work: () => Promise<unknown>): Promise<number> =>
  (await countCalls('/households/time-slicer.ts', work)).get('yieldToEventLoop') ?? 0;

const isPrefix = (kept: Float64Array, all: Float64Array): boolean =>
  kept.length > 0 && kept.every((number, at) => number === all[at]);

test('what an upload changes of prices is put together in pieces', async () => {
  // Each has an arrival of its own: 12 MB.
  const { id, load } = await partnerOf(40, (startMs) => startMs - DAY_MS);
  const rows = 40 * PER_PAGE;
  const { own: kept } = (await load()).known;
  await upload(id);
  const pauses = await countPauses(async () => {
    const { own } = (await load()).known;
    expect(isPrefix(kept.numbers, own.numbers) && isPrefix(kept.arrivals, own.arrivals)).toBe(true);
    const [startMs, receivedMs] = [NOW.getTime() + DAY_MS, NOW.getTime()];
    expect([...own.numbers.subarray(rows * 3)]).toEqual([startMs, receivedMs, 42]);
    expect([...own.arrivals.subarray(rows)]).toEqual([receivedMs]);
  });
  // Numbers and arrivals are copied, the arrivals merged.
  expect(pauses).toBeGreaterThanOrEqual(Math.floor((rows * 5) / PIECE));
});

test('what is larger than the part of a partner is read once, and after an upload what it may have changed', async () => {
  const { id, load } = await partnerOf(80);
  const statements = countStatements(database.pool);
  const versions = await Promise.all(Array.from({ length: 5 }, async () => (await load()).version));
  expect(new Set(versions).size).toBe(1);
  // Each asks for the source, one for 80 pages and the end.
  expect(statements.started()).toBe(5 + 81);
  expect((await load()).version).toBe(versions[0]);
  expect(statements.started()).toBe(5 + 81 + 1);
  await upload(id);
  const { known, version } = await load();
  expect(known.own.numbers.length).toBe((80 * PER_PAGE + 1) * 3);
  // The upload is a statement too; one reads what it may have changed.
  expect((await load()).version).toBe(version);
  expect(statements.started()).toBe(5 + 81 + 2 + 3);
});

test('what is read first is put together in pieces', async () => {
  const { load } = await partnerOf(40);
  const pauses = await countPauses(load);
  expect(pauses).toBeGreaterThanOrEqual(Math.floor((40 * PER_PAGE * 3) / PIECE));
});

test('of what is larger than the part of a partner 72 MB are kept, and smaller ones beside them', async () => {
  const [small, first, second] = [
    await partnerOf(1),
    await partnerOf(PAGES_OF_40_MB),
    await partnerOf(PAGES_OF_40_MB),
  ];
  const statements = countStatements(database.pool);
  const statementsOf = async (load: () => Promise<unknown>): Promise<number> => {
    const before = statements.started();
    await load();
    return statements.started() - before;
  };
  await small.load();
  await first.load();
  expect(await statementsOf(first.load)).toBe(1);
  await second.load();
  expect(await statementsOf(second.load)).toBe(1);
  expect(await statementsOf(small.load)).toBe(1);
  // All that is stored of it now is read.
  expect(await statementsOf(first.load)).toBe(2);
});
