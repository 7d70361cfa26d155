import { afterAll, beforeAll, expect, test } from 'vitest';
import { findOlderFormatEnd } from '../../../src/queries/connection/older-format.ts';
import { testDatabase } from '../../support/database.ts';
import type { TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

test('on a new database nothing of an older format is expected', async () => {
  expect(await findOlderFormatEnd(database.db)).toBeUndefined();
});

test('on a database of the version before it is for two weeks after the migration', async () => {
  await database.pool.query(
    `update schema_migrations set applied_at = case when name < '0022' then '2026-01-01Z'::timestamptz else '2026-11-24Z' end`,
  );
  expect(await findOlderFormatEnd(database.db)).toEqual(new Date('2026-12-08T00:00:00.000Z'));
});
