// A service with an organization that has something on every page, and people of each role who are signed in.
import { randomUUID } from 'node:crypto';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { createSession } from '../../src/accounts/sessions.ts';
import { DAY_MS, HOUR_MS } from '../../src/domain/api/durations.ts';
import { newClientId, newClientSecret, sha256Digest } from '../../src/domain/security/credentials.ts';
import type { Role } from '../../src/domain/users/roles.ts';
import { addSecret, recordSecretUses } from '../../src/queries/accounts/application-secrets.ts';
import { insertApplication } from '../../src/queries/accounts/applications.ts';
import type { Db } from '../../src/queries/connection/database.ts';
import { fixedCredentials, PartnerApi, until } from '../process/partner.ts';
import { hashCheaply } from '../support/password-hashes.ts';
import { startServiceOnSharedServer } from '../support/service.ts';
import { insertNamedUser } from '../support/usernames.ts';
import { launchChromium } from './chromium.ts';

export const ownPassword = 'quite a long one of my own';

export interface PortalWorld {
  readonly baseUrl: string;
  readonly browser: Browser;
  readonly orgId: string;
  readonly fleet: { readonly jobId: string; readonly simulationOrgId: string };
  /** When the first prices had come in; some were replaced later. */
  readonly firstPrices: string;
  /** The paths of a home of the fleet, and of one device of each type. */
  readonly home: {
    readonly path: string;
    readonly devices: Readonly<Partial<Record<(typeof DEVICE_SEGMENTS)[number], string>>>;
  };
  /** Ids of a user and of an application of the organization. */
  readonly userId: string;
  readonly applicationId: string;
  /** An application with two secrets that work. */
  readonly rotatedId: string;
  /** Webhooks: of the organization, which is disabled, and of the simulation. */
  readonly webhooks: { readonly own: string; readonly simulation: string };
  /** An action of the simulation, and the message that told of it. */
  readonly told: { readonly itemId: string; readonly messageId: string };
  /** Calls the API as the organization's application does. */
  readonly api: PartnerApi;
  /** The database of the service. */
  readonly db: Db;
  /** A browser in which somebody of this role is signed in; without a role nobody is. */
  open(role: Role | undefined, options?: BrowserContextOptions): Promise<BrowserContext>;
  /** Ends every access token of the organization's people in the portal. */
  endTokens(): Promise<void>;
  close(): Promise<void>;
}

/** The types of devices, as paths name them. */
export const DEVICE_SEGMENTS = ['electric-vehicles', 'heat-pumps', 'inverters', 'wallboxes'] as const;

const FLEETS = '/device-simulator/fleets';

/** Starts it; the fleet runs, a webhook is disabled and an action is open. */
export async function startPortalWorld(): Promise<PortalWorld> {
  const fixed = fixedCredentials();
  const env = { ...fixed.env, RATE_LIMITS: 'off', SIMULATOR_FAULTS: 'off' };
  const service = await startServiceOnSharedServer({ env });
  const browser = await launchChromium();
  const { db } = service.database;
  const people = new Map<Role, string>();
  for (const role of ['admin', 'staff', 'user'] as const) people.set(role, await addPerson(role));
  const api = await PartnerApi.open(service, fixed);
  const { fleet, firstPrices, webhooks, told } = await fillWithLife(api);
  const { id: applicationId } = await db
    .selectFrom('applications')
    .select('id')
    .where('org_id', '=', fixed.orgId)
    .executeTakeFirstOrThrow();

  const rotatedId = await addRotatedApplication(db, {
    orgId: fixed.orgId,
    userId: people.get('admin') ?? '',
  });

  async function addPerson(role: Role): Promise<string> {
    const [id, now] = [randomUUID(), new Date()];
    const email = `${role}@sun-and-sons.example`;
    const name = {
      first_name: role === 'user' ? 'Anna' : 'Kim',
      last_name: role === 'user' ? 'Huber' : 'Lee',
    };
    await insertNamedUser(db, {
      org_id: fixed.orgId,
      id,
      email,
      role,
      ...name,
      username: email,
      password_hash: hashCheaply(ownPassword),
      created_at: now,
      updated_at: now,
    });
    return id;
  }

  return {
    baseUrl: service.baseUrl,
    browser,
    orgId: fixed.orgId,
    api,
    db,
    fleet,
    firstPrices,
    home: await findHome(api, fleet),
    userId: people.get('user') ?? '',
    applicationId,
    rotatedId,
    webhooks,
    told,
    open: async (role, options = {}) => {
      const context = await browser.newContext({ baseURL: service.baseUrl, ...options });
      if (role === undefined) return context;
      const person = { orgId: fixed.orgId, userId: people.get(role) ?? '' };
      const value = await createSession(db, person, new Date());
      await context.addCookies([{ name: 'partner_session', value, url: service.baseUrl }]);
      return context;
    },
    endTokens: async () => {
      await db.deleteFrom('access_tokens').where('grant_type', '=', 'session').execute();
    },
    close: async () => {
      await browser.close();
      await service.remove();
    },
  };
}

/** An application that may only read, with a secret beside the older one. */
async function addRotatedApplication(
  db: Db,
  { orgId, userId }: { readonly orgId: string; readonly userId: string },
): Promise<string> {
  const now = new Date();
  const given = {
    name: 'Reports',
    clientId: newClientId(),
    grantType: 'client-credentials',
    scope: 'read',
  } as const;
  const [older, newer] = [newClientSecret(), newClientSecret()].map((secret) => sha256Digest(secret));
  if (older === undefined || newer === undefined) throw new Error('There are two secrets.');
  const application = await insertApplication(
    db,
    { ...given, orgId, ownerUserId: userId, secretHash: older },
    now,
  );
  await recordSecretUses(db, [{ orgId, applicationId: application.id, secretHash: older, usedAt: now }]);
  await addSecret(db, application, { secretHash: newer, olderEndsAt: new Date(now.getTime() + DAY_MS) }, now);
  return application.id;
}

/** A fleet that runs, one that was cancelled, a webhook of each kind of organization, an open action. */
async function fillWithLife(
  api: PartnerApi,
): Promise<Pick<PortalWorld, 'fleet' | 'firstPrices' | 'webhooks' | 'told'>> {
  const created = await api.call<{ job_id: string; simulation_org_id: string }>('POST', FLEETS, {
    request_id: randomUUID(),
    name: 'Vienna pilot',
    count: 12,
    history_days: 3,
    latitude: 48.2,
    longitude: 16.4,
    ev_ownership_fraction: 1,
    groups: [{ name: 'Commuters', count: 5 }, { name: 'Retired' }],
  });
  const fleet = { jobId: created.body.job_id, simulationOrgId: created.body.simulation_org_id };
  await until(
    () => api.call<{ status: string }>('GET', `${FLEETS}/${fleet.jobId}`),
    ({ body }) => body.status === 'running',
  );
  const prices = '/trading/dayahead/prices';
  await api.call('PATCH', prices, { data: listPrices(new Date()) });
  const firstPrices = new Date().toISOString();
  await api.call('PATCH', prices, { data: listLaterPrices(new Date()) });
  const webhooks = '/notifications/webhooks';
  const url = 'https://hooks.sun-and-sons.example/devices';
  const simulation = await api
    .at({ orgId: fleet.simulationOrgId })
    .call<{ id: string }>('POST', webhooks, { url, topics: ['device.action_required'] });
  const own = await api.call<{ id: string }>('POST', webhooks, { url });
  await api.call('PATCH', `${webhooks}/${own.body.id}`, { enabled: false });
  const devices = await api.call<{ items: { device_id: string }[] }>(
    'GET',
    `${FLEETS}/${fleet.jobId}/devices`,
  );
  const device = devices.body.items[0]?.device_id ?? '';
  await api.call('POST', `${FLEETS}/${fleet.jobId}/devices/${device}/events`, { code: 'reauthenticate' });
  const inSimulation = api.at({ orgId: fleet.simulationOrgId });
  const actions = await inSimulation.call<{ items: { id: string }[] }>('GET', '/notifications/actions');
  const log = await inSimulation.call<{ items: { message_id: string }[] }>(
    'GET',
    `${webhooks}/${simulation.body.id}/deliveries`,
  );
  return {
    fleet,
    firstPrices,
    webhooks: { own: own.body.id, simulation: simulation.body.id },
    told: { itemId: actions.body.items[0]?.id ?? '', messageId: log.body.items[0]?.message_id ?? '' },
  };
}

interface Price {
  readonly timestamp: string;
  readonly price: number;
  readonly best_bid?: readonly number[];
  readonly best_ask?: readonly number[];
}

/** Hourly prices of yesterday, today and tomorrow, UTC: cheap at night and at noon. Two hours of tomorrow are missing. */
function listPrices(now: Date): readonly Price[] {
  const from = Math.floor(now.getTime() / DAY_MS) * DAY_MS - DAY_MS;
  return Array.from({ length: 72 }, (_, hour) => ({
    timestamp: new Date(from + hour * HOUR_MS).toISOString(),
    price: 90 + Math.round(60 * Math.cos((4 * Math.PI * (hour - 19)) / 24)),
  })).filter((_, hour) => hour !== 51 && hour !== 52);
}

/** Quarter-hourly prices of tomorrow's evening, with bids and asks, in place of the hourly ones. */
function listLaterPrices(now: Date): readonly Price[] {
  const from = Math.floor(now.getTime() / DAY_MS) * DAY_MS + DAY_MS + 17 * HOUR_MS;
  return Array.from({ length: 12 }, (_, quarter) => {
    const price = 160 + 15 * (quarter % 4);
    return {
      timestamp: new Date(from + (quarter * HOUR_MS) / 4).toISOString(),
      price,
      best_bid: [price - 0.5, price - 0.75],
      best_ask: [price + 0.25],
    };
  });
}

/** A home with all types of devices. */
async function findHome(
  api: PartnerApi,
  { jobId, simulationOrgId }: PortalWorld['fleet'],
): Promise<PortalWorld['home']> {
  const { body } = await api.call<{ items: { device_id: string; device_type: string; user_id: string }[] }>(
    'GET',
    `${FLEETS}/${jobId}/devices`,
  );
  const userId = body.items.find(({ device_type: type }) => type === 'heat_pump')?.user_id ?? '';
  const path = `/portal/homes/${userId}/`;
  const scope = `?org=${simulationOrgId}`;
  const types = ['electric_vehicle', 'heat_pump', 'inverter', 'wallbox'];
  const devices = DEVICE_SEGMENTS.map((segment, index) => {
    const device = body.items.find(
      ({ user_id: id, device_type: type }) => id === userId && type === types[index],
    );
    return [segment, `${path}${segment}/${device?.device_id ?? ''}/${scope}`] as const;
  });
  return { path: `${path}${scope}`, devices: Object.fromEntries(devices) };
}

/**
 * A page, what the browser complained of, and what it asked other servers for. That a script is asked to come again by a service
 * that is busy (503 with Retry-After) is none: what the page does then has its own tests.
 */
export async function openWatched(
  context: BrowserContext,
  baseUrl: string,
): Promise<{ readonly page: Page; readonly complaints: string[] }> {
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    // A page that answers 404 is one of those that are looked at; what 503 answers is looked at below.
    if (message.type() === 'error' && !/status of (404|503)/.test(message.text()))
      complaints.push(`${message.text()} (${message.location().url})`);
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(baseUrl) && !request.url().startsWith('data:'))
      complaints.push(request.url());
  });
  page.on('response', (response) => {
    if (response.status() !== 503) return;
    const isOfScript = ['fetch', 'eventsource'].includes(response.request().resourceType());
    if (!isOfScript || response.headers()['retry-after'] === undefined)
      complaints.push(`status of 503 (${response.url()})`);
  });
  return { page, complaints };
}
