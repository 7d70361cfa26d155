// The short form of `make faults ARGS=restarts`.
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { fixedCredentials } from '../process/partner.ts';
import { testDatabase } from '../support/database.ts';
import { startService } from '../support/service.ts';
import { isGoodRestart, restartUnderLoad, summarize } from './restarts.ts';

test('stops and starts under load lose no request that was taken up, and leave none without an answer', async () => {
  const database = await testDatabase();
  const credentials = fixedCredentials();
  const shared = { DATABASE_URL: database.url, ENCRYPTION_KEY: randomBytes(32).toString('base64') };
  const env = { ...credentials.env, ...shared, HOST: '127.0.0.1' };
  const report = await restartUnderLoad({
    restarts: 2,
    requestsEach: 50,
    clients: 4,
    credentials,
    start: (port) => startService({ env: { ...env, PORT: String(port) } }),
  });
  expect(isGoodRestart(report) ? [] : report).toEqual([]);
  expect(report.answered).toBeGreaterThanOrEqual(100);
  await database.close();
});

// The control: the count finds what is lost, hung or wrong.
test('the count of what became of the requests finds each of them', () => {
  const log = '{"message":"request","request_id":"taken"}';
  const known = { restarts: 1, longestStopMs: 1 };
  const verdict = (id: string, outcome: 'ended' | 'hung' | 200, isWrong = false): boolean =>
    isGoodRestart(summarize([{ id, outcome, isWrong }], [log], known));
  expect(verdict('taken', 200)).toBe(true);
  expect(verdict('other', 'ended')).toBe(true);
  expect(verdict('taken', 'ended')).toBe(false);
  expect(verdict('other', 'hung')).toBe(false);
  expect(verdict('other', 200, true)).toBe(false);
});
