// What is older than the newest ones is found by walking over all of these: once in a round, and not with each batch.
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { readSettings } from '../../src/config/settings.ts';
import { removeExpiredData } from '../../src/maintenance/sweeper.ts';
import { openDatabase } from '../../src/queries/connection/database.ts';
import { addOrganization, START } from '../oauth/fixture.ts';
import { testDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

const [MADE, KEPT] = [20, 3];
const SECONDS_AGO = sql`${START}::timestamptz - number * interval '1 second' from generate_series(1, ${MADE}::int) number`;

/** The texts of all statements of a round with batches of two rows. */
async function sweep(): Promise<string[]> {
  const query = vi.spyOn(pg.Client.prototype as { query: (...given: unknown[]) => unknown }, 'query');
  const opened = openDatabase({ connection: database.connection });
  try {
    await removeExpiredData(
      {
        db: opened.db,
        clock: () => START,
        days: readSettings({}).retentionDays,
        rateLimitWindowMs: 60_000,
        batch: 2,
        maxSignupRequests: KEPT,
        keptDeleted: { users: KEPT, webhooks: KEPT },
      },
      () => false,
    );
    return query.mock.calls.map(([given]) =>
      typeof given === 'string' ? given : (given as pg.QueryConfig).text,
    );
  } finally {
    query.mockRestore();
    await opened.close();
  }
}

test('a round walks over the newest of each organization once, however many batches it removes', async () => {
  const { db } = database;
  const orgIds = [await addOrganization(db), await addOrganization(db)];
  for (const orgId of orgIds) {
    await sql`insert into users (org_id, id, email, role, created_at, updated_at, deleted_at)
      select ${orgId}, gen_random_uuid(), number || '@example.com', 'user', ${START}, ${START}, ${SECONDS_AGO}`.execute(
      db,
    );
    await sql`insert into webhooks (org_id, id, url, topics, encrypted_secret, secret_key_id, created_at, updated_at, deleted_at)
      select ${orgId}, gen_random_uuid(), 'https://a.example/', '{}', '', '', ${START}, ${START}, ${SECONDS_AGO}`.execute(
      db,
    );
  }
  await sql`insert into signup_requests (id, email, url, invite_token, created_at)
    select gen_random_uuid(), 'a@example.com', 'https://a.example/', gen_random_uuid(), ${SECONDS_AGO}`.execute(
    db,
  );
  const statements = await sweep();
  for (const table of ['users', 'webhooks', 'signup_requests'] as const) {
    const { rows } = await sql<{ left: number; oldest: Date }>`
      select count(*) as left, min(${sql.ref(table === 'signup_requests' ? 'created_at' : 'deleted_at')}) as oldest
      from ${sql.table(table)} group by ${table === 'signup_requests' ? sql`url` : sql`org_id`}`.execute(db);
    const kept = { left: KEPT, oldest: new Date(START.getTime() - KEPT * 1_000) };
    expect(rows).toEqual(table === 'signup_requests' ? [kept] : [kept, kept]);
  }
  const batches = statements.filter((text) => /delete from "?(users|webhooks|signup_requests)\b/.test(text));
  expect(batches.length).toBeGreaterThan(20);
  const walks = statements.filter((text) => /\boffset\b/.test(text));
  expect(walks.map((text) => /from "?(\w+)/.exec(text)?.[1]).sort()).toEqual([
    'signup_requests',
    ...Array<string>(2).fill('users'),
    ...Array<string>(2).fill('webhooks'),
  ]);
});
