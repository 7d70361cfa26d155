// A first start whose port another program has: nothing may be written, or the credentials would be lost.
import { afterEach, expect, test } from 'vitest';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { emptyDatabase } from '../support/database.ts';
import { startService } from '../support/service.ts';
import { partner, printedCredentials, requestToken } from './partner.ts';

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const each of undo.splice(0).toReversed()) await each();
});

test('leaves the database as it was, and the next start prints the credentials', async () => {
  const database = await emptyDatabase();
  undo.push(() => database.close());
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const env = {
    DATABASE_URL: database.url,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    HOST: '127.0.0.1',
  };
  const refused = await partner(['serve'], { ...env, PORT: String(port) });
  expect([refused.code, refused.output]).toEqual([1, '']);
  expect(refused.log).toContain(`Port ${port} is in use (EADDRINUSE)`);
  const { rows } = await database.pool.query(`select 1 from pg_tables where schemaname = 'public'`);
  expect(rows).toEqual([]);

  await new Promise((resolve) => other.close(resolve));
  const service = await startService({
    env: { ...env, PORT: String(port) },
    args: ['--print-credentials'],
  });
  undo.push(() => service.remove());
  const printed = printedCredentials(service.output());
  if (printed === undefined) throw new Error('The second start printed no credentials.');
  expect((await requestToken(service.baseUrl, printed)).status).toBe(200);
});
