// What statements leave in memory when they are over.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testDatabase } from '../../support/database.ts';
import type { TestDatabase } from '../../support/database.ts';
import { measureLeft } from '../../support/garbage.ts';

let at: TestDatabase;
beforeAll(async () => {
  at = await testDatabase();
});
afterAll(() => at.close());

const LENGTH = 100_000;

test('100 statements with a row of 100,000 letters leave none of them for a full collection', async () => {
  const left = await measureLeft(
    () => process.memoryUsage().heapUsed,
    () => sql`select repeat('a', ${LENGTH}::int)`.execute(at.db),
  );
  expect(left).toBeLessThan(20 * LENGTH);
});
