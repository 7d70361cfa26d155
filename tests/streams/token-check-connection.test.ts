// The connections of `serve`: its loops may hold all of theirs, and a token check of open event streams still has one.
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStorage } from '../../src/compose/database.ts';
import type { Storage } from '../../src/compose/database.ts';
import { readSettings } from '../../src/config/settings.ts';
import { sha256Digest } from '../../src/domain/security/credentials.ts';
import { createAuthenticator } from '../../src/oauth/authenticate.ts';
import { addClient, addToken, START } from '../oauth/fixture.ts';
import { until } from '../process/partner.ts';
import { testDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { RecordingLog } from '../support/secret-leaks.ts';

let database: TestDatabase;
let storage: Storage;
beforeAll(async () => {
  database = await testDatabase();
  const settings = readSettings({
    DATABASE_URL: database.url,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  });
  const onFatal = (error: Error): void => {
    throw error;
  };
  storage = await openStorage({ settings, log: new RecordingLog(), purpose: 'serve', onFatal });
});
afterAll(async () => {
  await storage.stop();
  await database.close();
});

/** Connections of the pool for loops. */
const LOOP_CONNECTIONS = 6;

test('token checks are answered while the loops hold all of their connections and more wait', async () => {
  const client = await addClient(database.db);
  const token = await addToken(database.db, client, client.ownerId);
  const digest = sha256Digest(token).toString('hex');
  const owner = { orgId: client.orgId, tokenDigest: digest };
  const { db, background, checks } = storage;
  const authenticator = createAuthenticator({ db, checks, clock: () => START });
  const released = Promise.withResolvers<undefined>();
  let held = 0;
  const loops = Array.from({ length: 4 * LOOP_CONNECTIONS }, () =>
    background.connection().execute(() => {
      held += 1;
      return released.promise;
    }),
  );
  try {
    await until(
      () => held,
      (connections) => connections === LOOP_CONNECTIONS,
    );
    for (let check = 0; check < 3; check += 1)
      expect([...(await authenticator.findActors([owner])).keys()]).toEqual([digest]);
    expect(held).toBe(LOOP_CONNECTIONS);
  } finally {
    released.resolve(undefined);
    await Promise.all(loops);
  }
});

test('the server ends the statements of a process, those of each pool in their time', async () => {
  const { db, background, checks } = storage;
  const timeoutOf = async (pool: Storage['db']): Promise<string | undefined> => {
    const { rows } = await sql<{ setting: string }>`
      select setting from pg_settings where name = 'statement_timeout'`.execute(pool);
    return rows[0]?.setting;
  };
  // Nine tenths of 4.5, 10 and 2 s: a connection whose statement the server ends stays whole.
  expect(await Promise.all([db, background, checks].map(timeoutOf))).toEqual(['4050', '9000', '1800']);
});
