import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROUTES } from '../../generated/routes.ts';
import type { Route } from '../../generated/routes.ts';
import { DEFAULT_RATE_LIMITS } from '../../src/config/rate-limits.ts';
import { OPEN_BODY_LIMITS } from '../../src/http/open-bodies.ts';
import { startApi } from '../support/api.ts';
import { apis } from './operation-calls.ts';
import { checks } from './operation-checks.ts';

// One test for each operation of the document, which runs every check that applies to it and names each that fails.

beforeAll(async () => {
  const one = { quota: 1, windowSeconds: 60 };
  const rateLimits = { ...DEFAULT_RATE_LIMITS, default: one, token: one };
  apis.api = await startApi();
  apis.withoutQuota = await startApi({ rateLimits });
  apis.withoutTables = await startApi();
  apis.withoutDatabase = await startApi({ isDatabaseAway: true });
  apis.impatient = await startApi({ openBodyLimits: { ...OPEN_BODY_LIMITS, idleMs: 20 } });
  await apis.withoutQuota.call('listUsers');
  await apis.withoutQuota.call('requestSignup', { body: {} });
  for (const table of ['access_tokens', 'signup_requests', 'client_ids']) {
    await apis.withoutTables.db.schema.dropTable(table).cascade().execute();
  }
});
afterAll(() => Promise.all(Object.values(apis).map((api) => api.close())));

/** Runs every check that applies to an operation; the names of those that fail, each with what was expected. */
async function failedChecks(route: Route): Promise<string[]> {
  const failures: string[] = [];
  for (const { name, appliesTo, run } of checks) {
    if (!appliesTo.includes(route)) continue;
    try {
      await run(route.operationId, route);
    } catch (error) {
      failures.push(`${route.operationId} ${name}: ${(error as Error).message}`);
    }
  }
  return failures;
}

describe('what all operations answer alike', () => {
  test.each(ROUTES.map((route) => [route.operationId, route] as const))('%s', async (_id, route) => {
    expect(await failedChecks(route)).toEqual([]);
  });

  test('is checked by at least as many pairs of operation and check as when the checks were written', () => {
    const pairs = checks.flatMap(({ name, appliesTo }) =>
      appliesTo.map((route) => [route.operationId, name]),
    );
    expect(pairs.length).toBeGreaterThanOrEqual(760);
    expect(new Set(pairs.map(String)).size).toBe(pairs.length);
  });
});
