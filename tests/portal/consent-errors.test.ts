import { randomBytes, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import express from 'express';
import request from 'supertest';
import { HOUR_MS } from '../../src/domain/api/durations.ts';
import { deriveLinkKey } from '../../src/domain/security/signed-links.ts';
import { isDatabaseUnavailable } from '../../src/queries/connection/database.ts';
import { createConsentRequests } from '../../src/conditions/consent-requests.ts';
import { createConsentPage } from '../../src/portal/consent.ts';
import { testDatabase } from '../support/database.ts';

test('while the database is away the consent page says so as a page, and logs it', async () => {
  const database = await testDatabase();
  await database.close();
  const logged: string[] = [];
  const note = (message: string): void => {
    logged.push(message);
  };
  const app = express().use(
    createConsentPage({
      consentRequests: createConsentRequests(database.db),
      clock: () => new Date(0),
      linkKey: deriveLinkKey(randomBytes(32)),
      isUnavailable: isDatabaseUnavailable,
      log: { info: note, warn: note, error: note },
      slowDown: () => Promise.resolve(),
    }),
  );
  const secret = `${HOUR_MS.toString(36)}.${'a'.repeat(43)}`;
  const page = await request(app).get(
    `/portal/consent/${randomUUID()}?org=${randomUUID()}&secret=${secret}&return=x`,
  );
  expect(page.status).toBe(503);
  expect(page.type).toBe('text/html');
  expect(page.text).toContain('Not available just now');
  expect(page.headers['content-security-policy']).toContain("default-src 'none'");
  expect(logged).toEqual(['Portal page failed.']);
});
