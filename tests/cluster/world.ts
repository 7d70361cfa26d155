// Two API and two worker processes on a cluster, a partner with a fleet and a webhook, and its endpoint.
import { randomBytes, randomUUID } from 'node:crypto';
import type pg from 'pg';
import { until } from '../faults/environment.ts';
import { fixedCredentials, PartnerApi } from '../process/partner.ts';
import type { FixedCredentials } from '../process/partner.ts';
import { startTrustedReceiver } from '../support/receiver.ts';
import { startService } from '../support/service.ts';
import type { ServiceProcess } from '../support/service.ts';
import { recordArrivals } from './arrivals.ts';
import type { Arrival } from './arrivals.ts';
import { EVENTS_OF_A_DEVICE, Load } from './load.ts';
import type { LoadDevice, LoadTarget } from './load.ts';

/** With a vehicle each. */
const DEVICES_OF_A_HOUSEHOLD = 4;
/** Of each fleet, with a webhook of its own: the deliveries that a webhook may have in flight are some 50 a second. */
const MOST_HOUSEHOLDS = 900;
const FLEET_MS = 60_000;
const ASK_MS = 30_000;

/** Those of these emails that no user has. */
export async function listMissingUsers(client: pg.Pool, emails: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ email: string }>(
    'select email from users where email = any($1::text[])',
    [emails],
  );
  const found = new Set(rows.map(({ email }) => email));
  return emails.filter((email) => !found.has(email));
}

/** Servers that serve one database together. */
export interface ServedCluster {
  /** Resolves when the database of the service is made. */
  start(): Promise<void>;
  readonly databaseUrl: string;
  openClient(): pg.Pool;
  /** Resolves when nothing is missing. */
  waitUntilWhole(): Promise<void>;
  /** The ends of the logs. */
  describe(): string;
  close(): Promise<void>;
}

export interface WantedLoad extends Pick<LoadTarget, 'writesPerSecond' | 'usersOneIn'> {
  /** How long there are devices to which something can happen. */
  readonly seconds: number;
}

export class ClusterWorld<Servers extends ServedCluster> {
  readonly cluster: Servers;
  readonly #wanted: WantedLoad;
  readonly #closers: (() => Promise<unknown>)[] = [];
  #closed: Promise<void> | undefined;
  #client: pg.Pool | undefined;
  #env: Readonly<Record<string, string>> = {};
  readonly #credentials: FixedCredentials = fixedCredentials();
  #services: readonly ServiceProcess[] = [];

  /** Takes the cluster over: `close` closes it. */
  constructor(cluster: Servers, wanted: WantedLoad) {
    this.cluster = cluster;
    this.#wanted = wanted;
    this.#closers.push(() => cluster.close());
  }

  /** Starts everything; resolves when the load has begun. */
  async start(): Promise<{ readonly load: Load; readonly arrivals: readonly Arrival[] }> {
    await this.cluster.start();
    const client = this.cluster.openClient();
    this.#client = client;
    this.#closers.push(() => client.end());
    const receiver = await startTrustedReceiver();
    this.#closers.push(() => receiver.close());
    const arrivals = recordArrivals(receiver);
    this.#env = {
      ...receiver.env,
      ...this.#credentials.env,
      DATABASE_URL: this.cluster.databaseUrl,
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      HOST: '127.0.0.1',
      SIMULATOR_FAULTS: 'off',
      LOG_LEVEL: 'error',
    };
    for (const role of ['api', 'api', 'worker', 'worker']) await this.#startService(role);
    const baseUrls = this.#services.slice(0, 2).map(({ baseUrl }) => baseUrl);
    const api = await PartnerApi.open({ baseUrl: baseUrls[0] ?? '' }, this.#credentials);
    const { writesPerSecond, usersOneIn, seconds } = this.#wanted;
    const events = seconds * writesPerSecond * (1 - 1 / usersOneIn);
    const devices = await startFleets(api, client, receiver.url(), events);
    const load = new Load({
      baseUrls,
      orgId: api.orgId,
      devices,
      token: api.token,
      writesPerSecond,
      usersOneIn,
    });
    this.#closers.push(() => load.stop());
    return { load, arrivals };
  }

  /** Those of the emails that no user has. */
  async listMissing(emails: readonly string[]): Promise<readonly string[]> {
    return until(
      'the database tells which users it has',
      () => this.#client && listMissingUsers(this.#client, emails).catch(() => undefined),
      (missing) => missing !== undefined,
      ASK_MS,
    ).then((missing) => missing ?? []);
  }

  /** The errors that the processes have logged, each with how often. */
  describe(): string {
    const counts = new Map<string, number>();
    for (const line of this.#services.flatMap((service) => service.log().split('\n'))) {
      const text = /"message":"([^"]*)"/.exec(line)?.[1];
      const error = /"error":\{[^}]*?"message":"([^"]*)"/.exec(line)?.[1];
      if (text !== undefined)
        counts.set(`${text} ${error ?? ''}`, (counts.get(`${text} ${error ?? ''}`) ?? 0) + 1);
    }
    return [...counts].map(([text, count]) => `${count} × ${text}`).join('\n');
  }

  /** In the opposite order of the start; also of one that has failed in the middle. */
  close(): Promise<void> {
    return (this.#closed ??= this.#closeAll());
  }

  async #closeAll(): Promise<void> {
    for (const close of this.#closers.toReversed()) {
      try {
        await close();
      } catch (error) {
        console.error(error);
        process.exitCode = 1;
      }
    }
  }

  /** A further API process, on a copy of the database; the partner there. */
  async serveCopy(databaseUrl: string): Promise<PartnerApi> {
    return PartnerApi.open(await this.#startService('api', { DATABASE_URL: databaseUrl }), this.#credentials);
  }

  async #startService(role: string, change: Readonly<Record<string, string>> = {}): Promise<ServiceProcess> {
    const service = await startService({ env: { ...this.#env, ...change }, args: ['--role', role] });
    this.#services = [...this.#services, service];
    this.#closers.push(() => service.remove());
    return service;
  }
}

/** Fleets of one size with as many devices as so many events need; by turns one of each. */
async function startFleets(
  api: PartnerApi,
  client: pg.Pool,
  webhookUrl: string,
  events: number,
): Promise<LoadDevice[]> {
  const households = Math.ceil(events / EVENTS_OF_A_DEVICE / DEVICES_OF_A_HOUSEHOLD);
  const count = Math.ceil(households / MOST_HOUSEHOLDS);
  const orgIds: string[] = [];
  for (let number = 0; number < count; number += 1) {
    const { simulationOrgId } = await startFleet(api, Math.ceil(households / count));
    await addWebhook(api.at({ orgId: simulationOrgId }), webhookUrl);
    orgIds.push(simulationOrgId);
  }
  const { rows } = await client.query<LoadDevice>(
    `select d.id, f.id as "fleetId" from devices d join fleets f on f.simulation_org_id = d.org_id
     where d.org_id = any($1::uuid[]) order by row_number() over (partition by d.org_id order by d.id), d.org_id`,
    [orgIds],
  );
  return rows;
}

/** Resolves when it runs. */
export async function startFleet(
  api: PartnerApi,
  households: number,
): Promise<{ jobId: string; simulationOrgId: string }> {
  const fleets = '/device-simulator/fleets';
  const created = await api.call<{ job_id: string; simulation_org_id: string }>('POST', fleets, {
    request_id: randomUUID(),
    count: households,
    latitude: 48.2,
    longitude: 16.4,
    ev_ownership_fraction: 1,
  });
  const { job_id: jobId, simulation_org_id: simulationOrgId } = created.body;
  await until(
    'the fleet runs',
    () => api.call<{ status: string }>('GET', `${fleets}/${jobId}`),
    ({ body }) => body.status === 'running',
    FLEET_MS,
  );
  return { jobId, simulationOrgId };
}

/** For what devices tell their partner. */
export async function addWebhook(api: PartnerApi, url: string): Promise<void> {
  const made = await api.call('POST', '/notifications/webhooks', { url, topics: ['device.information'] });
  if (made.status !== 201) throw new Error(`The webhook was answered ${JSON.stringify(made)}.`);
}
