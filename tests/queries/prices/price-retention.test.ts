import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deleteSupersededPricesBefore } from '../../../src/queries/prices/price-retention.ts';
import { startApi, type Api } from '../../support/api.ts';

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const upload = (hours: readonly string[], price: number) =>
  api.call('uploadDayAheadPrices', {
    body: {
      metadata: { timezone_override: 'UTC' },
      data: hours.map((timestamp) => ({ timestamp, price, best_bid: [], best_ask: [] })),
    },
  });

async function stored(): Promise<unknown[]> {
  const { rows } = await sql`
    select starts_at, price from day_ahead_prices order by starts_at, received_at`.execute(api.db);
  return rows.map((row) => Object.values(row as object));
}

test('revisions that were replaced go with the time of their quarter; the last one stays', async () => {
  const [old, young] = ['2026-06-16T10:00:00.000Z', '2026-06-17T10:00:00.000Z'];
  for (const price of [1, 2, 3]) {
    expect((await upload([old, young], price)).status).toBe(200);
    api.clock.advance(60_000);
  }
  const before = new Date(young);
  expect(await deleteSupersededPricesBefore(api.db, before, 1)).toBe(1);
  expect(await deleteSupersededPricesBefore(api.db, before, 10)).toBe(1);
  expect(await deleteSupersededPricesBefore(api.db, before, 10)).toBe(0);
  expect(await stored()).toEqual([
    [new Date(old), 3],
    [before, 1],
    [before, 2],
    [before, 3],
  ]);
  expect((await upload([old, young], 4)).status).toBe(200);
  expect(await deleteSupersededPricesBefore(api.db, new Date('2027-01-01'), 10)).toBe(4);
  expect(await stored()).toEqual([
    [new Date(old), 4],
    [before, 4],
  ]);
});
