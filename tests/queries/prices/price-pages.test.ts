import { randomUUID } from 'node:crypto';
import { RawNode, sql } from 'kysely';
import type { KyselyPlugin } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY_MS } from '../../../src/domain/api/durations.ts';
import { insertOrganization } from '../../../src/queries/accounts/organizations.ts';
import { listPricePage } from '../../../src/queries/prices/price-pages.ts';
import type { PricePage } from '../../../src/queries/prices/price-pages.ts';
import { testDatabase } from '../../support/database.ts';
import type { TestDatabase } from '../../support/database.ts';

const FROM = new Date('2028-01-01T00:00:00.000Z');
const YEAR = { from: FROM, to: new Date(FROM.getTime() + 366 * DAY_MS) };
let at: TestDatabase;
beforeAll(async () => {
  at = await testDatabase();
});
afterAll(() => at.close());

/** An organization with two revisions of each price from the beginning of the year, each with so many bids and asks. */
async function storePrices(count: number, bids: number): Promise<string> {
  const id = randomUUID();
  const kind = 'partner';
  await insertOrganization(at.db, { id, name: id, kind, parentOrgId: null, createdAt: FROM });
  await sql`
    insert into day_ahead_prices (org_id, starts_at, received_at, price, best_bid, best_ask, superseded)
    select ${id}, ${FROM}::timestamptz + price * interval '15 minutes',
      ${FROM}::timestamptz + revision * interval '1 millisecond', price * revision, bids, bids, revision = 0
    from generate_series(0, ${count - 1}::int) as price, generate_series(0, 1) as revision,
      (select array_agg(bid / 7.0) as bids from generate_series(1, ${bids}::int) as bid) as given
  `.execute(at.db);
  return id;
}

async function listPages(orgId: string): Promise<PricePage[]> {
  const pages: PricePage[] = [];
  for (let from: Date | undefined = YEAR.from; from !== undefined;) {
    const page: PricePage = await listPricePage(at.db, { orgId, parentId: null }, { from, to: YEAR.to });
    pages.push(page);
    from = page.next;
  }
  return pages;
}

test.each([
  [2_000, 1, 250],
  [1_100, 40, 125],
  [500, 400, 13],
])('%i prices with %i bids and asks are read %i at a time', async (count, bids, largest) => {
  const pages = await listPages(await storePrices(count, bids));
  expect(Math.max(...pages.map(({ prices }) => prices.length))).toBe(largest);
  const prices = pages.flatMap((page) => page.prices.map(({ price }) => price));
  expect(prices).toEqual(Array.from({ length: count }, (_, index) => index));
  // One more where the last page is full, and another may come.
  expect(pages.length - Math.ceil(count / largest)).toBeLessThanOrEqual(1);
});

test('a page reads as many rows as it may have prices, by the primary key', async () => {
  const orgId = await storePrices(10_000, 1);
  await sql`analyze day_ahead_prices`.execute(at.db);
  const plans: string[] = [];
  const explain: KyselyPlugin = {
    transformQuery: ({ node }) => RawNode.create(['explain (analyze, timing off, costs off) ', ''], [node]),
    transformResult: ({ result }) => {
      plans.push(result.rows.map((row) => row['QUERY PLAN']).join('\n'));
      return Promise.resolve({ ...result, rows: [] });
    },
  };
  const db = at.db.withPlugin(explain);
  const owners = { orgId, parentId: null };
  await listPricePage(db, owners, YEAR);
  await listPricePage(db, owners, { ...YEAR, from: new Date('2028-02-01T00:00:00.000Z') });
  for (const plan of plans) {
    expect(plan).toMatch(/Index Scan using day_ahead_prices_pkey/);
    const read = Array.from(plan.matchAll(/actual rows=(\d+)/g), ([, rows]) => Number(rows));
    // Two revisions of each, and what is read on to know that the last one is the latest.
    expect(Math.max(...read)).toBeLessThan(1_000);
  }
});
