import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../../src/domain/api/durations.ts';
import { insertOrganization } from '../../../src/queries/accounts/organizations.ts';
import { readPriceRevisions } from '../../../src/queries/prices/price-revisions.ts';
import { testDatabase } from '../../support/database.ts';
import type { TestDatabase } from '../../support/database.ts';
import { countStatements } from '../../support/statement-count.ts';

const FROM = new Date('2028-01-01T00:00:00.000Z');
const QUARTERS = 6_000;
const RANGE = { from: FROM, to: new Date(FROM.getTime() + 366 * DAY_MS) };
const LATE_MS = 50 * HOUR_MS;
const LATER_MS = 60 * HOUR_MS;
const goOn = (): Promise<void> => Promise.resolve();
let at: TestDatabase;
beforeAll(async () => {
  at = await testDatabase();
});
afterAll(() => at.close());

/** An organization with four revisions of each quarter that came too late, and of the last quarter one that did not. */
async function storeLateRevisions(): Promise<string> {
  const id = randomUUID();
  await insertOrganization(at.db, { id, name: id, kind: 'partner', parentOrgId: null, createdAt: FROM });
  await sql`
    insert into day_ahead_prices (org_id, starts_at, received_at, price, best_bid, best_ask)
    select ${id}, starts_at, starts_at + (${LATER_MS}::float8 + revision) * interval '1 millisecond', revision, '{}', '{}'
    from generate_series(0, 3) revision, generate_series(0, ${QUARTERS - 1}::int) quarter,
      lateral (select ${FROM}::timestamptz + quarter * interval '15 minutes' as starts_at) of_quarter
  `.execute(at.db);
  await sql`
    insert into day_ahead_prices (org_id, starts_at, received_at, price, best_bid, best_ask)
    select org_id, max(starts_at), max(starts_at), 42, '{}', '{}' from day_ahead_prices where org_id = ${id} group by org_id
  `.execute(at.db);
  return id;
}

test('no statement looks through more than 10,000 revisions, also where none of them counts', async () => {
  const orgId = await storeLateRevisions();
  const statements = countStatements(at.pool);
  const inTime = await readPriceRevisions(at.db, orgId, RANGE, goOn, LATE_MS);
  const last = FROM.getTime() + (QUARTERS - 1) * 900_000;
  expect([...inTime.numbers]).toEqual([last, last, 42]);
  // 24,001 rows.
  expect(statements.started()).toBe(3);
  const all = await readPriceRevisions(at.db, orgId, RANGE, goOn);
  expect([all.numbers.length, statements.started()]).toEqual([(4 * QUARTERS + 1) * 3, 6]);
  const late = await readPriceRevisions(at.db, orgId, RANGE, goOn, LATER_MS + 1);
  expect(late.numbers.length).toBe((2 * QUARTERS + 1) * 3);
});

test('a page that ends with a whole number of revisions, and an organization without any, are read to their ends', async () => {
  expect([...(await readPriceRevisions(at.db, randomUUID(), RANGE, goOn)).numbers]).toEqual([]);
  const orgId = await storeLateRevisions();
  // 10,000 rows: of 2,500 quarters.
  const to = new Date(FROM.getTime() + 2_500 * 900_000);
  expect((await readPriceRevisions(at.db, orgId, { from: FROM, to }, goOn)).numbers.length).toBe(10_000 * 3);
  expect((await readPriceRevisions(at.db, orgId, { from: FROM, to }, goOn, LATE_MS)).numbers.length).toBe(0);
});
