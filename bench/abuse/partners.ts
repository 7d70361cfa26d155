// The two partners: one that attacks, with everything that attacks refer to, and one that goes on working meanwhile.
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { createOrganization } from '../../src/accounts/bootstrap.ts';
import { createSession } from '../../src/accounts/sessions.ts';
import { newClientId, newClientSecret, sha256Digest } from '../../src/domain/security/credentials.ts';
import type { GrantType } from '../../src/domain/security/grant-types.ts';
import type { AccountKey } from '../../src/queries/accounts/accounts.ts';
import { insertApplication } from '../../src/queries/accounts/applications.ts';
import { PartnerApi, requestToken, until } from '../../tests/process/partner.ts';
import type { FixedCredentials } from '../../tests/process/partner.ts';
import { askOften } from '../../tests/support/asked-often.ts';
import type { TestDatabase } from '../../tests/support/database.ts';
import type { ServiceProcess } from '../../tests/support/service.ts';
import type { Fleet, Target } from './attack.ts';
import type { VictimJob } from './victim.ts';

const APPLICATIONS = 10;
/** The most that a fleet is created or expanded with. */
const HOUSEHOLDS_AT_ONCE = 1_000;

/** Enough that one of them has every device. */
const HOUSEHOLDS_WITH_HISTORY = 10;
/** So many that one job does not take all of them. */
const HOUSEHOLDS_TO_SUM = 300;
/** The longest series that can be asked for, and a day that has not ended. */
const HISTORY_DAYS = 32;

/** What the attacker has. */
export interface Possessions {
  readonly users: number;
  readonly notices: number;
  /** Messages that its webhook has received. */
  readonly deliveries: number;
  /** Of one fleet. */
  readonly households: number;
  /** The port of a webhook's endpoint that never answers. */
  readonly blackHolePort: number;
}

export type Attacker = Omit<Target, 'port' | 'victimClientId'>;
export type VictimPartner = Omit<VictimJob, 'port' | 'readPath' | 'perSecond' | 'requests'> & {
  /** A small fleet with a month of history. */
  readonly fleet?: Fleet;
};

/** The first partner of the service, of which a user is needed, and for some attacks a fleet. */
export async function prepareVictim(
  service: ServiceProcess,
  fixed: FixedCredentials,
  { hasFleet = false }: { readonly hasFleet?: boolean } = {},
): Promise<VictimPartner> {
  const { orgId, clientId, clientSecret } = fixed;
  const api = await PartnerApi.open(service, fixed);
  const user = { email: 'victim@example.com', role: 'user', country: 'AT' };
  const { body } = await api.call<{ id: string }>('POST', '/users', user);
  const partner = { orgId, clientId, clientSecret, token: api.token, userId: body.id };
  return hasFleet
    ? { ...partner, fleet: await growFleet(api, HOUSEHOLDS_WITH_HISTORY, HISTORY_DAYS) }
    : partner;
}

/** A second partner with ten applications, users, notices, a fleet that runs and a webhook. Needs limits that are off. */
export async function prepareAttacker(
  { db, pool }: Pick<TestDatabase, 'db' | 'pool'>,
  service: ServiceProcess,
  { users, notices, deliveries, households, blackHolePort }: Possessions,
): Promise<Attacker> {
  const attacker = await createOrganization(
    db,
    { name: 'Attacker', adminEmail: 'a@example.com' },
    new Date(),
  );
  const { orgId, clientId } = attacker;
  const clientSecret = attacker.clientSecret.reveal();
  const addApplication = async (
    grantType: GrantType,
  ): Promise<{ clientId: string; clientSecret: string }> => {
    const made = { clientId: newClientId(), clientSecret: newClientSecret() };
    const secretHash = sha256Digest(made.clientSecret);
    const owner = { orgId, ownerUserId: attacker.adminUserId, name: 'Further' };
    await insertApplication(db, { ...owner, clientId: made.clientId, secretHash, grantType }, new Date());
    return made;
  };
  const applicationTokens: string[] = [];
  for (let i = 0; i < APPLICATIONS; i++) {
    const { body } = await requestToken(service.baseUrl, await addApplication('client-credentials'));
    applicationTokens.push(body.access_token);
  }
  const password = await addApplication('password');
  const api = await PartnerApi.open(service, { orgId, clientId, clientSecret });
  const webhook = await api.call<{ id: string }>('POST', '/notifications/webhooks', {
    url: `https://127.0.0.1:${blackHolePort}/`,
    topics: ['device.information'],
  });
  await insertRows(pool, { orgId, webhookId: webhook.body.id }, { users, notices, deliveries });
  const fleetAskedOften = await growFleet(api, HOUSEHOLDS_WITH_HISTORY, HISTORY_DAYS);
  const pump = { orgId: fleetAskedOften.simulationOrgId, deviceId: fleetAskedOften.heatPumpId };
  await askOften(db, pump, new Date());
  return {
    orgId,
    clientId,
    clientSecret,
    token: api.token,
    person: await signIn(db, { orgId, userId: attacker.adminUserId }),
    passwordClientId: password.clientId,
    passwordClientSecret: password.clientSecret,
    applicationTokens,
    fleet: await growFleet(api, households),
    fleetWithHistory: await growFleet(api, HOUSEHOLDS_TO_SUM, HISTORY_DAYS),
    fleetAskedOften,
    webhookId: webhook.body.id,
  };
}

/** The partner's admin, with a password of its own. */
async function signIn(db: TestDatabase['db'], key: AccountKey): Promise<Target['person']> {
  const now = new Date();
  const session = await createSession(db, key, now);
  await db
    .updateTable('users')
    .set({ password_change_required: false, initial_password_expires_at: null })
    .where('org_id', '=', key.orgId)
    .where('id', '=', key.userId)
    .execute();
  const { csrf_secret: csrfToken } = await db
    .selectFrom('portal_sessions')
    .select('csrf_secret')
    .where('org_id', '=', key.orgId)
    .where('user_id', '=', key.userId)
    .executeTakeFirstOrThrow();
  return { cookie: `partner_session=${session}`, csrfToken };
}

async function insertRows(
  pool: TestDatabase['pool'],
  { orgId, webhookId }: { readonly orgId: string; readonly webhookId: string },
  { users, notices, deliveries }: Pick<Possessions, 'users' | 'notices' | 'deliveries'>,
): Promise<void> {
  await pool.query(
    `insert into users (org_id, id, email, role, first_name, last_name, town, country, created_at, updated_at)
     select $1, gen_random_uuid(), 'user' || n || '@example.com', 'user', 'First', 'Last', 'Graz', 'AT',
       now() - n * interval '1 s', now()
     from generate_series(1, $2::int) n`,
    [orgId, users],
  );
  await pool.query(
    `insert into notification_items (org_id, id, kind, message, occurred_at)
     select $1, gen_random_uuid(), 'information', 'Notice ' || n, now() - n * interval '1 s'
     from generate_series(1, $2::int) n`,
    [orgId, notices],
  );
  await pool.query(
    `with sent as (
       insert into messages (org_id, id, message_type, occurred_at, payload, created_at, announced_at)
       select $1, gen_random_uuid(), 'device.information', at, '{}', at, at
       from (select now() - n * interval '1 s' from generate_series(1, $3::int) n) as instants (at)
       returning org_id, id, created_at
     )
     insert into deliveries (org_id, message_id, webhook_id, state, attempts, due_at, created_at, finished_at)
     select org_id, id, $2, 'delivered', 1, created_at, created_at, created_at from sent`,
    [orgId, webhookId, deliveries],
  );
}

async function growFleet(api: PartnerApi, households: number, historyDays = 0): Promise<Fleet> {
  const path = '/device-simulator/fleets';
  const made = await api.call<{ job_id: string; simulation_org_id: string }>('POST', path, {
    request_id: crypto.randomUUID(),
    count: Math.min(HOUSEHOLDS_AT_ONCE, households),
    latitude: 48.2,
    longitude: 16.4,
    history_days: historyDays,
  });
  const { job_id: jobId, simulation_org_id: simulationOrgId } = made.body;
  const running = (): Promise<unknown> =>
    until(
      () => api.call<{ status: string }>('GET', `${path}/${jobId}`),
      ({ body }) => body.status === 'running',
    );
  await running();
  for (let count = HOUSEHOLDS_AT_ONCE; count < households; count += HOUSEHOLDS_AT_ONCE) {
    const request = { request_id: crypto.randomUUID(), count: HOUSEHOLDS_AT_ONCE };
    await api.call('POST', `${path}/${jobId}/expand`, request);
    await running();
  }
  type Device = { readonly device_id: string; readonly device_type: string; readonly user_id: string };
  const { status, body } = await api.call<{ items: readonly Device[] }>('GET', `${path}/${jobId}/devices`);
  if (status !== 200) throw new Error(`The fleet's devices were answered ${JSON.stringify(body)}.`);
  const homes = [...Map.groupBy(body.items, ({ user_id }) => user_id)].flatMap(([userId, devices]) => {
    const find = (type: string): string | undefined =>
      devices.find(({ device_type }) => device_type === type)?.device_id;
    const [heatPumpId, inverterId] = [find('heat_pump'), find('inverter')];
    if (heatPumpId === undefined || inverterId === undefined) return [];
    const [electricVehicleId, wallboxId] = [find('electric_vehicle'), find('wallbox')];
    return [{ jobId, simulationOrgId, userId, heatPumpId, inverterId, electricVehicleId, wallboxId }];
  });
  const found = homes.find(({ electricVehicleId, wallboxId }) => electricVehicleId && wallboxId);
  if (homes[0] === undefined) throw new Error('No household has both a heat pump and an inverter.');
  return found ?? homes[0];
}

/** Takes connections and never says anything, not even of TLS. */
export async function startBlackHole(): Promise<{ readonly port: number; close(): void }> {
  const sockets = new Set<{ destroy(): void }>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
