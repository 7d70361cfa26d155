import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LoggedRequest } from '../../../src/domain/requests/logged-request.ts';
import { insertOrganization } from '../../../src/queries/accounts/organizations.ts';
import {
  countRefusals,
  countUnlogged,
  deleteRequestsSentBefore,
  deleteUnloggedBefore,
  findLoggedRequest,
  insertRequests,
  listRequests,
} from '../../../src/queries/requests/request-log.ts';
import { loggedRequest } from '../../support/logged-requests.ts';
import { testDatabase } from '../../support/database.ts';
import type { TestDatabase } from '../../support/database.ts';

const NOON = new Date('2026-06-15T12:00:00.000Z');
const after = (ms: number): Date => new Date(NOON.getTime() + ms);
let at: TestDatabase;
beforeAll(async () => {
  at = await testDatabase();
});
afterAll(() => at.close());

async function addOrganization(): Promise<string> {
  const id = randomUUID();
  await insertOrganization(at.db, { id, name: id, kind: 'partner', parentOrgId: null, createdAt: NOON });
  return id;
}

const request = (orgId: string, sentMs: number, fields: Partial<LoggedRequest> = {}): LoggedRequest =>
  loggedRequest(orgId, { sentAt: after(sentMs), requestId: `request-${sentMs}`, ...fields });

const refused = { status: 404, code: 'not_found', errors: [{ pointer: '/email', code: 'required' }] };

test('pages go from the latest to the oldest, through every filter', async () => {
  const orgId = await addOrganization();
  const requests = Array.from({ length: 7 }, (_, n) =>
    request(orgId, Math.floor(n / 2), n % 3 === 0 ? refused : { operation: 'listUsers' }),
  );
  await insertRequests(at.db, requests, []);
  const first = await listRequests(at.db, orgId, {}, { limit: 4 });
  const rest = await listRequests(at.db, orgId, {}, { limit: 4, before: first.at(-1) });
  const listed = [...first, ...rest];
  expect(new Set(listed.map(({ id }) => id)).size).toBe(7);
  expect(listed.map(({ sentAt }) => sentAt.getTime())).toEqual(
    listed.map(({ sentAt }) => sentAt.getTime()).toSorted((a, b) => b - a),
  );
  const count = async (filter: Parameters<typeof listRequests>[2]) =>
    (await listRequests(at.db, orgId, filter, { limit: 10 })).length;
  expect(await count({ isRefused: true })).toBe(3);
  expect(await count({ operation: 'listUsers' })).toBe(4);
  expect(await count({ isRefused: true, operation: 'listUsers' })).toBe(0);
  expect(await count({ requestId: 'request-3' })).toBe(1);
  const [latest] = await listRequests(at.db, orgId, { isRefused: true }, { limit: 1 });
  expect(latest?.errors).toEqual(refused.errors);
  expect(await findLoggedRequest(at.db, orgId, latest ?? request(orgId, 0))).toEqual(latest);
  expect(
    await findLoggedRequest(at.db, await addOrganization(), latest ?? request(orgId, 0)),
  ).toBeUndefined();
});

test('refusals are counted by code and operation, the most frequent first', async () => {
  const orgId = await addOrganization();
  const sent = [1, 2, 3].map((ms) =>
    request(orgId, ms, { ...refused, operation: ms === 2 ? 'getFleet' : 'getUser' }),
  );
  await insertRequests(at.db, sent, []);
  expect(await countRefusals(at.db, orgId, after(0), 10)).toEqual([
    { code: 'not_found', operation: 'getUser', count: 2, lastAt: after(3) },
    { code: 'not_found', operation: 'getFleet', count: 1, lastAt: after(2) },
  ]);
  expect(await countRefusals(at.db, orgId, after(0), 1)).toHaveLength(1);
  expect(await countRefusals(at.db, orgId, after(4), 10)).toEqual([]);
});

test('what was not logged adds up; an organization that is gone takes nothing of others with it', async () => {
  const orgId = await addOrganization();
  const gone = randomUUID();
  const unlogged = [
    { orgId, minute: NOON, count: 2 },
    { orgId: gone, minute: NOON, count: 5 },
  ];
  await insertRequests(at.db, [request(gone, 0), request(orgId, 0)], unlogged);
  await insertRequests(at.db, [], [{ orgId, minute: NOON, count: 3 }]);
  expect(await countUnlogged(at.db, orgId, NOON)).toBe(5);
  expect(await countUnlogged(at.db, orgId, after(1))).toBe(0);
  expect(await listRequests(at.db, orgId, {}, { limit: 10 })).toHaveLength(1);
  expect(await deleteRequestsSentBefore(at.db, after(1), 1_000)).toBeGreaterThanOrEqual(1);
  expect(await deleteUnloggedBefore(at.db, after(1), 1_000)).toBeGreaterThanOrEqual(1);
  expect([
    await listRequests(at.db, orgId, {}, { limit: 10 }),
    await countUnlogged(at.db, orgId, NOON),
  ]).toEqual([[], 0]);
});
