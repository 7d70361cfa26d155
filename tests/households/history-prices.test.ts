// The prices that states depend on: no more of them are read than can count, once for all who ask at the same time.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS, QUARTER_HOUR_MS } from '../../src/domain/api/durations.ts';
import { toPriceBatches } from '../../src/domain/prices/price-batches.ts';
import { loadHistoryPrices } from '../../src/households/history-prices.ts';
import type { HistoryPrices } from '../../src/households/household-steering.ts';
import { insertOrganization } from '../../src/queries/accounts/organizations.ts';
import { insertPriceRevisions } from '../../src/queries/prices/day-ahead-prices.ts';
import { readPriceRevisions } from '../../src/queries/prices/price-revisions.ts';
import { toPriceBook } from '../../src/simulation/control/price-book.ts';
import { testDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { countStatements } from '../support/statement-count.ts';

const NOW = new Date('2026-06-15T12:00:00.000Z');
const SINCE = new Date('2026-06-10T00:00:00.000Z');
const later = (ms: number, from = NOW): Date => new Date(from.getTime() + ms);
const goOn = (): Promise<void> => Promise.resolve();

let database: TestDatabase;
let partner: string;
let fleet: string;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  [partner, fleet] = [randomUUID(), randomUUID()];
  const organization = { name: 'O', createdAt: NOW };
  await insertOrganization(database.db, { ...organization, id: partner, kind: 'partner', parentOrgId: null });
  await insertOrganization(database.db, {
    ...organization,
    id: fleet,
    kind: 'simulation',
    parentOrgId: partner,
  });
});

/** Uploads prices for so many quarter hours. */
async function upload(orgId: string, from: Date, quarters: number, price: number, at: Date): Promise<void> {
  const prices = Array.from({ length: quarters }, (_, i) => ({
    startsAt: later(i * QUARTER_HOUR_MS, from),
    price: price + i / 100,
    bestBid: [],
    bestAsk: [],
  }));
  await database.db.transaction().execute(async (tx) => {
    for (const batch of toPriceBatches(prices)) await insertPriceRevisions(tx, orgId, batch, at);
  });
}

const load = (now: Date, since = SINCE): Promise<HistoryPrices> =>
  loadHistoryPrices(database.db, fleet, since, now);
const countOf = ({ known }: HistoryPrices): number => known.parent.numbers.length / 3;

test('prices that begin after the day after tomorrow are not read', async () => {
  await upload(partner, later(4 * DAY_MS), 5_000, 50, NOW);
  await upload(partner, later(-DAY_MS), 192, 70, later(-2 * DAY_MS));
  expect(countOf(await load(NOW))).toBe(192);
  // As time goes on those are read that can matter by then.
  expect(countOf(await load(later(5 * DAY_MS)))).toBeGreaterThan(192 + 96);
});

test('thirty who ask at once share one load; who asks later, none', async () => {
  await upload(partner, NOW, 96, 50, NOW);
  const statements = countStatements(database.pool);
  const versions = await Promise.all(Array.from({ length: 30 }, async () => (await load(NOW)).version));
  expect(new Set(versions).size).toBe(1);
  expect(statements.started()).toBe(31);
  await load(later(HOUR_MS));
  expect(statements.started()).toBe(32);
});

test('fleets of a partner share what is kept of its prices', async () => {
  await upload(partner, NOW, 96, 50, NOW);
  const { known } = await load(NOW);
  const other = randomUUID();
  const organization = { id: other, name: 'O', createdAt: NOW } as const;
  await insertOrganization(database.db, { ...organization, kind: 'simulation', parentOrgId: partner });
  expect((await loadHistoryPrices(database.db, other, SINCE, NOW)).known.parent).toBe(known.parent);
});

test('an upload is known to who asks next; one that cannot count leaves all as it was', async () => {
  await upload(partner, NOW, 96, 50, NOW);
  const before = await load(NOW);
  await upload(partner, later(30 * DAY_MS), 96, 50, NOW);
  expect((await load(NOW)).version).toBe(before.version);
  await upload(partner, later(HOUR_MS), 1, 99, later(60_000));
  const after = await load(later(120_000));
  expect(after.version).not.toBe(before.version);
  expect(countOf(after)).toBe(97);
  expect(toPriceBook(after.known).priceAt(later(HOUR_MS).getTime(), later(120_000).getTime())).toBe(99);
});

test('what is read anew after an upload is what reading all would give', async () => {
  for (let day = 0; day < 12; day += 1) {
    const now = later(day * DAY_MS);
    await upload(partner, later(6 * HOUR_MS, now), 96, day, now);
    if (day % 3 === 1) await upload(partner, later(8 * HOUR_MS, now), 4, 200 + day, later(HOUR_MS, now));
    const at = later(2 * HOUR_MS, now);
    const { known } = await load(at, day < 9 ? SINCE : later(-DAY_MS, SINCE));
    const span = { from: later(-5 * DAY_MS, SINCE), to: later(50 * HOUR_MS, at) };
    const all = await readPriceRevisions(database.db, partner, span, goOn, 50 * HOUR_MS);
    expect(known.parent).toEqual(all);
  }
});

test('a fleet has its own prices from their arrival on, and its parent’s beside them', async () => {
  await upload(partner, NOW, 96, 50, NOW);
  await upload(fleet, later(DAY_MS / 2), 4, 70, later(HOUR_MS));
  const book = toPriceBook((await load(later(2 * HOUR_MS))).known);
  const [start, own] = [later(DAY_MS / 2).getTime(), later(HOUR_MS).getTime()];
  expect(book.priceAt(start, own - 1)).toBeCloseTo(50.48);
  expect(book.priceAt(start, own)).toBeCloseTo(70);
  // The last of its own holds for an hour.
  const ends = start + 7 * QUARTER_HOUR_MS;
  expect(book.originAt(ends, own)).toBe('parent');
  expect(book.originAt(ends - QUARTER_HOUR_MS, own)).toBe('own');
});
