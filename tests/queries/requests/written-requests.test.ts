import { afterAll, beforeAll, expect, test } from 'vitest';
import { startRequestLog } from '../../../src/compose/request-log.ts';
import { listRequests } from '../../../src/queries/requests/request-log.ts';
import { addOrganization } from '../../support/announced-messages.ts';
import { testDatabase } from '../../support/database.ts';
import type { TestDatabase } from '../../support/database.ts';
import { loggedRequest } from '../../support/logged-requests.ts';
import { RecordingLog } from '../../support/secret-leaks.ts';

let at: TestDatabase;
beforeAll(async () => {
  at = await testDatabase();
});
afterAll(() => at.close());

test('a request that cannot be written is left out, and those of all others are written', async () => {
  const [orgId, other] = [await addOrganization(at.db), await addOrganization(at.db)];
  const log = new RecordingLog();
  const clock = (): Date => new Date('2026-06-15T12:00:00.000Z');
  const written = startRequestLog({ db: at.db, log, clock, perSecond: 1_000, everyMs: 600_000 });
  // What PostgreSQL takes for no text.
  const damaged = loggedRequest(orgId, {
    status: 422,
    errors: [{ pointer: '\0', code: 'unknown_property' }],
  });
  for (let count = 0; count < 5; count += 1) {
    written.requestLog.add(orgId, false, () => loggedRequest(orgId));
    if (count === 2) written.requestLog.add(orgId, true, () => damaged);
    written.requestLog.add(other, false, () => loggedRequest(other));
  }
  await expect(written.flush()).resolves.toBeUndefined();
  for (const each of [orgId, other])
    expect(await listRequests(at.db, each, {}, { limit: 10 })).toHaveLength(5);
  expect(log.text.match(/"level":"error"/g)).toHaveLength(1);
  await written.stop();
});
