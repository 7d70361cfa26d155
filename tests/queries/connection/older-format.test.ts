import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertOrganization } from '../../../src/queries/accounts/organizations.ts';
import { findOlderFormatEnd } from '../../../src/queries/connection/older-format.ts';
import { testDatabase } from '../../support/database.ts';
import type { TestDatabase } from '../../support/database.ts';

const APPLIED = '2026-11-24T00:00:00.000Z';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  await database.pool.query('update schema_migrations set applied_at = $1', [APPLIED]);
});
afterAll(() => database.close());

const found = (createdAt: string, id: string): Promise<void> => {
  const kind = { kind: 'partner', parentOrgId: null } as const;
  return insertOrganization(database.db, { id, name: 'Org', ...kind, createdAt: new Date(createdAt) });
};

test('on a database of this version nothing of an older format is expected', async () => {
  await found(APPLIED, '00000000-0000-4000-8000-000000000001');
  expect(await findOlderFormatEnd(database.db)).toBeUndefined();
});

test('on a database that the version before has used it is for two weeks after the migration', async () => {
  await found('2026-11-23T23:59:59.999Z', '00000000-0000-4000-8000-000000000002');
  expect(await findOlderFormatEnd(database.db)).toEqual(new Date('2026-12-08T00:00:00.000Z'));
});
