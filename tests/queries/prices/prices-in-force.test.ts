// The list of a simulation organization is what its price book says, whatever hourly and quarter-hourly uploads were mixed.
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HOUR_MS, QUARTER_HOUR_MS } from '../../../src/domain/api/durations.ts';
import { toPriceBatches } from '../../../src/domain/prices/price-batches.ts';
import { insertOrganization } from '../../../src/queries/accounts/organizations.ts';
import { insertPriceRevisions } from '../../../src/queries/prices/day-ahead-prices.ts';
import { listPricePage } from '../../../src/queries/prices/price-pages.ts';
import type { ListedPrice } from '../../../src/queries/prices/price-pages.ts';
import { loadKnownPrices } from '../../../src/households/price-book.ts';
import { toPriceBook } from '../../../src/simulation/control/price-book.ts';
import { testDatabase } from '../../support/database.ts';
import type { TestDatabase } from '../../support/database.ts';

const START = Date.parse('2026-06-15T00:00:00.000Z');
const RANGE = { from: new Date(START), to: new Date(START + 40 * HOUR_MS) };
const LATER = START + 1_000_000;

let at: TestDatabase;
beforeAll(async () => {
  at = await testDatabase();
});
afterAll(() => at.close());

async function addOrganization(parentOrgId: string | null): Promise<string> {
  const id = randomUUID();
  const kind = parentOrgId === null ? 'partner' : 'simulation';
  await insertOrganization(at.db, { id, name: id, kind, parentOrgId, createdAt: RANGE.from });
  return id;
}

async function upload(orgId: string, quarters: readonly number[], receivedAt: Date): Promise<void> {
  const prices = quarters.map((quarter, i) => ({
    startsAt: new Date(START + quarter * QUARTER_HOUR_MS),
    price: i,
    bestBid: [],
    bestAsk: [],
  }));
  await at.db.transaction().execute(async (tx) => {
    for (const batch of toPriceBatches(prices)) await insertPriceRevisions(tx, orgId, batch, receivedAt);
  });
}

async function listAll(orgId: string, parentId: string): Promise<ListedPrice[]> {
  const all: ListedPrice[] = [];
  for (let from: Date | undefined = RANGE.from; from !== undefined;) {
    const page = await listPricePage(at.db, { orgId, parentId }, { ...RANGE, from });
    all.push(...page.prices);
    from = page.next;
  }
  return all;
}

const quarters = fc.uniqueArray(fc.nat(60), { maxLength: 25 });

test('each quarter hour has the listed price that holds in it', async () => {
  await fc.assert(
    fc.asyncProperty(quarters, quarters, quarters, async (own, more, ofParent) => {
      const parentId = await addOrganization(null);
      const orgId = await addOrganization(parentId);
      await upload(orgId, own, new Date(START));
      await upload(orgId, more, new Date(START + 1_000));
      await upload(parentId, ofParent, new Date(START));
      const listed = await listAll(orgId, parentId);
      const book = toPriceBook(await loadKnownPrices(at.db, orgId, RANGE));
      for (let quarter = 0; quarter < 70; quarter++) {
        const ms = START + quarter * QUARTER_HOUR_MS;
        const holding = listed.filter(
          ({ validFrom, validUntil }) => validFrom.getTime() <= ms && ms < validUntil.getTime(),
        );
        const price = book.priceAt(ms, LATER);
        expect(holding.map((entry) => [entry.price, entry.origin])).toEqual(
          price === null ? [] : [[price, book.originAt(ms, LATER)]],
        );
      }
      expect(listed.every(({ validFrom, validUntil }) => validFrom < validUntil)).toBe(true);
    }),
    { numRuns: 25 },
  );
});

test('a price of the parent is listed for the part of its hour that own ones leave, on whichever page', async () => {
  const parentId = await addOrganization(null);
  const orgId = await addOrganization(parentId);
  const hours = Array.from({ length: 300 }, (_, hour) => hour * 4);
  await upload(parentId, hours, new Date(START));
  await upload(orgId, [2, 250 * 4 + 2], new Date(START));
  const page = await listPricePage(
    at.db,
    { orgId, parentId },
    { ...RANGE, to: new Date(START + 400 * HOUR_MS) },
  );
  const part = ({ startsAt, validFrom, validUntil, origin }: ListedPrice) => [
    origin,
    ...[startsAt, validFrom, validUntil].map((instant) => (instant.getTime() - START) / QUARTER_HOUR_MS),
  ];
  expect(page.prices.slice(0, 3).map(part)).toEqual([
    ['parent', 0, 0, 2],
    ['own', 2, 2, 6],
    ['parent', 4, 6, 8],
  ]);
  const next = await listPricePage(
    at.db,
    { orgId, parentId },
    { from: new Date(START + 1_003 * QUARTER_HOUR_MS), to: new Date(START + 400 * HOUR_MS) },
  );
  expect(next.prices.slice(0, 1).map(part)).toEqual([['parent', 1_004, 1_006, 1_008]]);
});
