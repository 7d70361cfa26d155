import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PURGED_TABLES } from '../../../src/queries/fleets/fleet-removal.ts';
import { startApi } from '../../support/api.ts';
import type { Api } from '../../support/api.ts';

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

/** Tables with an org_id that a purge does not empty, and why that is right. */
const LEFT_BY_PURGE: Readonly<Record<string, string>> = {
  fleets: 'of the partner; the purged fleet is deleted by its id',
  partner_quotas: 'of the partner',
  user_counts: 'of the partner; a purge takes off what it deletes',
  pending_delivery_counts: 'of the partner; what a purge cancels is counted off',
  fleet_requests: 'of the partner; a late repeat must create nothing',
  idempotency_keys: 'of the partner; each goes after a day',
  usernames: 'goes with the organization',
  client_ids: 'goes with the organization',
  organization_locks: 'goes with the organization',
  in_flight_slots: 'leases of deliveries, which run out; workers update the rows in place',
};

/** Tables with an org_id that are neither purged, nor deleted by cascade with a purged one, nor left for a reason. */
async function forgottenTables(): Promise<string[]> {
  const { rows } = await sql<{ table_name: string; is_cascaded: boolean }>`
    select c.table_name, exists (
      select from pg_constraint f
      where f.contype = 'f' and f.confdeltype = 'c' and f.conrelid = c.table_name::regclass
        and f.confrelid::regclass::text = any(${[...PURGED_TABLES]}::text[])) as is_cascaded
    from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public' and c.column_name = 'org_id' and t.table_type = 'BASE TABLE'
  `.execute(api.db);
  const names = new Set<string>([...PURGED_TABLES, ...Object.keys(LEFT_BY_PURGE)]);
  return rows
    .filter(({ table_name, is_cascaded }) => !is_cascaded && !names.has(table_name))
    .map(({ table_name }) => table_name);
}

test('a purge empties every table of an organization, or leaves it for a reason', async () => {
  expect(await forgottenTables()).toEqual([]);
  await sql`create table forgotten_by_purge (org_id uuid not null)`.execute(api.db);
  expect(await forgottenTables()).toEqual(['forgotten_by_purge']);
});
