// Starts that fail late: nothing of what was started before may keep the process.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { encryptionKey, partner, run } from './partner.ts';

const PROGRAM = new URL('failing-start.ts', import.meta.url).pathname;

let database: TestDatabase;
let env: Record<string, string>;
beforeAll(async () => {
  database = await testDatabase();
  env = { DATABASE_URL: database.url, ENCRYPTION_KEY: encryptionKey(), PORT: '0' };
});
afterAll(() => database.close());

test.each([
  ['routes', /no further origins/],
  ['streams', /ECONNREFUSED/],
  ['workers', /ECONNREFUSED/],
])('%s that fail leave nothing that keeps the process', async (what, reason) => {
  const { code, output, log } = await run(process.execPath, [PROGRAM, what], env);
  expect([code, log]).toEqual([0, '']);
  expect(output).toMatch(reason);
});

test('serve ends with 1 and the reason, whatever keeps the process', async () => {
  const endless = new URL('endless-timer.ts', import.meta.url).href;
  const NODE_OPTIONS = `--import=${endless}`;
  const noServer = 'postgresql://partner@127.0.0.1:1/partner';
  const { code, log } = await partner(['serve'], { ...env, DATABASE_URL: noServer, NODE_OPTIONS });
  expect([code, log]).toEqual([1, expect.stringContaining('ECONNREFUSED')]);
});
