// A service, a browser in which an admin is signed in, and an organization of many users with a fleet.
import { randomBytes, randomUUID } from 'node:crypto';
import type { BrowserContext } from 'playwright-core';
import { createSession } from '../../src/accounts/sessions.ts';
import { launchChromium } from '../../tests/browser/chromium.ts';
import { PartnerApi, until } from '../../tests/process/partner.ts';
import { addPerson, foundCompany } from '../../tests/support/api.ts';
import { addFleet } from '../../tests/support/fleet-records.ts';
import { fillOrganization } from '../../tests/support/many-rows.ts';
import { hashCheaply } from '../../tests/support/password-hashes.ts';
import { startService } from '../../tests/support/service.ts';
import { startDatabase } from '../database.ts';
import type { BenchDatabase } from '../database.ts';

const SESSION = 'partner_session';

export interface PortalWorld {
  readonly database: BenchDatabase;
  readonly baseUrl: string;
  readonly browser: BrowserContext;
  readonly orgId: string;
  /** The header of a request of the admin. */
  readonly cookie: string;
  /** Runs another fleet of so many homes with a day of past; resolves to its id. */
  runFleet(homes: number): Promise<string>;
  remove(): Promise<void>;
}

/** Starts it; the organization has so many users. */
export async function createPortalWorld(users: number): Promise<PortalWorld> {
  const database = await startDatabase();
  const { db, pool } = database;
  const now = new Date();
  const { orgId, admin } = await foundCompany(db, now, 'Partner');
  const old = await addFleet(db, orgId, now, 'stopped');
  const ids = { adminId: admin.id, fleetId: old.fleetId, simulationOrgId: old.orgId };
  await fillOrganization(pool, { orgId, ...ids, webhookId: randomUUID(), rows: users });
  await pool.query('vacuum analyze');
  const value = await signIn(database, orgId, now);
  const service = await startService({
    env: {
      DATABASE_URL: database.url,
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      RATE_LIMITS: 'off',
      LOG_LEVEL: 'error',
      QUOTAS: 'off',
    },
  });
  const chromium = await launchChromium();
  const browser = await chromium.newContext({ baseURL: service.baseUrl });
  await browser.addCookies([{ name: SESSION, value, url: service.baseUrl }]);
  const api = PartnerApi.withToken(service.baseUrl, { orgId, token: admin.token });
  return {
    database,
    baseUrl: service.baseUrl,
    browser,
    orgId,
    cookie: `${SESSION}=${value}`,
    runFleet: (homes) => runFleet(api, homes),
    remove: async () => {
      await chromium.close();
      await service.remove();
      await database.remove();
    },
  };
}

/** A session of an admin who has a password, of whom nothing else is stored. */
async function signIn({ db }: BenchDatabase, orgId: string, now: Date): Promise<string> {
  const { id: userId } = await addPerson(db, orgId, 'admin', now);
  await db
    .updateTable('users')
    .set({ username: userId, password_hash: hashCheaply(userId) })
    .where('org_id', '=', orgId)
    .where('id', '=', userId)
    .execute();
  return createSession(db, { orgId, userId }, now);
}

async function runFleet(api: PartnerApi, count: number): Promise<string> {
  const fleets = '/device-simulator/fleets';
  const place = { latitude: 48.2, longitude: 16.4 };
  const asked = { request_id: randomUUID(), count, ...place, ev_ownership_fraction: 0.5, history_days: 1 };
  const { status, body } = await api.call<{ job_id: string }>('POST', fleets, asked);
  if (status !== 200) throw new Error(`The fleet was answered ${status}: ${JSON.stringify(body)}`);
  await until(
    () => api.call<{ status: string }>('GET', `${fleets}/${body.job_id}`),
    (answer) => answer.body.status === 'running',
  );
  return body.job_id;
}
