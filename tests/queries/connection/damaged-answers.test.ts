// Bytes that are no messages of PostgreSQL: a broken proxy, or whoever has put himself between.
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../../src/queries/connection/database.ts';
import { classifyDatabaseError } from '../../../src/queries/connection/database-errors.ts';
import { applyMigrations } from '../../../src/queries/connection/migrations.ts';
import { openReconnectingSession } from '../../../src/queries/connection/session.ts';
import { testDatabase } from '../../support/database.ts';
import type { TestDatabase } from '../../support/database.ts';
import { startSwallowingProxy, throughProxy } from '../../support/swallowing-proxy.ts';
import type { SwallowingProxy } from '../../support/swallowing-proxy.ts';

let at: TestDatabase;
let proxy: SwallowingProxy;
beforeAll(async () => {
  at = await testDatabase();
  proxy = await startSwallowingProxy(at.connection);
});
afterEach(() => proxy.pass());
afterAll(async () => {
  await proxy.close();
  await at.close();
});

describe.each([
  ['a row of five columns without a byte of them', Buffer.from('44000000060005', 'hex')],
  ['a way to prove oneself that nobody knows', Buffer.from('520000000800000063', 'hex')],
])('%s', (_name, answer) => {
  test('ends the connection, and its statement fails as one that may be tried again', async () => {
    const database = openDatabase({ connection: throughProxy(at.connection, proxy) });
    const ask = () => sql<{ one: number }>`select 1 as one`.execute(database.db);
    try {
      await ask();
      proxy.damage(answer);
      const error = await ask().catch((failure: unknown) => failure);
      expect(error).toMatchObject({ message: expect.stringContaining('Connection terminated') as string });
      expect(classifyDatabaseError(error)).toBe('retry_later');
      proxy.pass();
      expect((await ask()).rows).toEqual([{ one: 1 }]);
    } finally {
      await database.close();
    }
  });

  test('ends a session, which opens another one', async () => {
    const errors: unknown[] = [];
    let prepared = 0;
    const session = await openReconnectingSession(
      throughProxy(at.connection, proxy),
      () => Promise.resolve((prepared += 1)),
      (error) => errors.push(error),
      500,
    );
    try {
      proxy.damage(answer);
      await expect.poll(() => errors.length).toBeGreaterThan(0);
      expect(errors[0]).toMatchObject({ message: expect.stringContaining('cannot be read') as string });
      proxy.pass();
      await expect.poll(() => prepared).toBe(2);
    } finally {
      await session.end();
    }
  });

  test('ends a migration', async () => {
    proxy.damage(answer);
    await expect(applyMigrations(throughProxy(at.connection, proxy), 'migrations')).rejects.toThrow(
      'Connection terminated',
    );
  });
});
