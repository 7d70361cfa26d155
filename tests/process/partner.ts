// What the process tests share: commands run to their end, and a partner's few lines of HTTP.
import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { INHERITED_ENV, PARTNER_COMMAND } from '../support/service.ts';
import type { ServiceProcess } from '../support/service.ts';

export interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly log: string;
}

/** Runs a program to its end; only what `inheritedEnv` names is inherited. */
export async function run(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const child = spawn(command, args, {
    env: { ...INHERITED_ENV, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let log = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output, log };
}

export function partner(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  return run(PARTNER_COMMAND, args, env);
}

export interface SpawnedServe {
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  /** Its code and signal. */
  readonly exited: Promise<unknown[]>;
  /** Kills it if it still runs, and removes its data. */
  readonly remove: () => Promise<void>;
}

/** `partner serve` on a free port, which may not have started yet; in a group of processes of its own. */
export function spawnServe(env: Readonly<Record<string, string>>): SpawnedServe {
  const dataDir = mkdtempSync(`${tmpdir()}/partner-process-`);
  const child = spawn(PARTNER_COMMAND, ['serve'], {
    detached: true,
    env: { ...INHERITED_ENV, PORT: '0', DATA_DIR: dataDir, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  const remove = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
    rmSync(dataDir, { recursive: true });
  };
  return { child, exited, remove };
}

export interface Credentials {
  readonly orgId: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface FixedCredentials extends Credentials {
  readonly email: string;
  readonly password: string;
  /** The BOOTSTRAP settings that make a service start with them. */
  readonly env: Readonly<Record<string, string>>;
}

export function fixedCredentials(): FixedCredentials {
  const fixed = {
    orgId: randomUUID(),
    clientId: `client-${randomBytes(4).toString('hex')}`,
    clientSecret: randomBytes(32).toString('hex'),
    email: 'first.admin@example.com',
    password: `initial-${randomBytes(8).toString('hex')}`,
  };
  const env = {
    BOOTSTRAP_ORG_ID: fixed.orgId,
    BOOTSTRAP_ADMIN_EMAIL: fixed.email,
    BOOTSTRAP_ADMIN_PASSWORD: fixed.password,
    BOOTSTRAP_CLIENT_ID: fixed.clientId,
    BOOTSTRAP_CLIENT_SECRET: fixed.clientSecret,
  };
  return { ...fixed, env };
}

/** ENCRYPTION_KEY for processes that share a given database. */
export function encryptionKey(): string {
  return randomBytes(32).toString('base64');
}

/** What `partner serve` printed at its first start; undefined where it printed no credentials. */
export function printedCredentials(
  output: string,
): (Credentials & { login: string; password: string; curl: string }) | undefined {
  const value = (label: string): string => new RegExp(`^ +${label} +(\\S+)`, 'm').exec(output)?.[1] ?? '';
  const curl = /^ +(curl [\s\S]*?\/oauth2\/token\/)$/m.exec(output)?.[1];
  if (curl === undefined) return undefined;
  return {
    orgId: value('Organization'),
    clientId: value('Client id'),
    clientSecret: value('Client secret'),
    login: value('Portal login'),
    password: value('Password'),
    curl,
  };
}

export interface Answer<Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

/** One organization's API with a token of its application. */
export class PartnerApi {
  readonly baseUrl: string;
  readonly orgId: string;
  readonly token: string;

  private constructor(baseUrl: string, orgId: string, token: string) {
    this.baseUrl = baseUrl;
    this.orgId = orgId;
    this.token = token;
  }

  static async open({ baseUrl }: Pick<ServiceProcess, 'baseUrl'>, client: Credentials): Promise<PartnerApi> {
    const answer = await requestToken(baseUrl, client);
    if (answer.status !== 200) throw new Error(`The token request was answered ${answer.status}.`);
    return new PartnerApi(baseUrl, client.orgId, answer.body.access_token);
  }

  /** With a token that is there already. */
  static withToken(baseUrl: string, partner: { readonly orgId: string; readonly token: string }): PartnerApi {
    return new PartnerApi(baseUrl, partner.orgId, partner.token);
  }

  /** The same token at another process, or in another organization that it reaches. */
  at(change: { readonly baseUrl?: string; readonly orgId?: string }): PartnerApi {
    return new PartnerApi(change.baseUrl ?? this.baseUrl, change.orgId ?? this.orgId, this.token);
  }

  /** `path` starts behind `/org/{org_id}`. */
  async call<Body = unknown>(method: string, path: string, body?: unknown): Promise<Answer<Body>> {
    const response = await fetch(`${this.baseUrl}/api/partners/v2.0/org/${this.orgId}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: (text === '' ? undefined : JSON.parse(text)) as Body,
    };
  }
}

export interface TokenAnswer {
  readonly access_token: string;
  readonly error?: string;
}

export async function requestToken(
  baseUrl: string,
  { clientId, clientSecret }: Omit<Credentials, 'orgId'>,
): Promise<Answer<TokenAnswer>> {
  const response = await fetch(`${baseUrl}/oauth2/token/`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
      'content-type': 'application/json',
    },
    body: '{"grant_type": "client_credentials"}',
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as TokenAnswer,
  };
}

export interface RunningFleet {
  readonly jobId: string;
  readonly simulationOrgId: string;
  readonly deviceId: string;
}

/** Creates a fleet of one household, waits until it runs, and tells one of its devices. */
export async function runFleet(api: PartnerApi): Promise<RunningFleet> {
  const fleets = '/device-simulator/fleets';
  const created = await api.call<{ job_id: string; simulation_org_id: string }>('POST', fleets, {
    request_id: randomUUID(),
    count: 1,
    latitude: 48.2,
    longitude: 16.4,
    ev_ownership_fraction: 1,
  });
  if (created.status !== 200) throw new Error(`The fleet was answered ${JSON.stringify(created)}.`);
  const jobId = created.body.job_id;
  await until(
    () => api.call<{ status: string }>('GET', `${fleets}/${jobId}`),
    ({ body }) => body.status === 'running',
  );
  const devices = await api.call<{ items: { device_id: string }[] }>('GET', `${fleets}/${jobId}/devices`);
  const [device] = devices.body.items;
  if (device === undefined) throw new Error('The fleet has no device.');
  return { jobId, simulationOrgId: created.body.simulation_org_id, deviceId: device.device_id };
}

/** Registers a webhook for the fleet's organization; tells its secret. */
export async function addWebhook(api: PartnerApi, fleet: RunningFleet, url: string): Promise<string> {
  const made = await api
    .at({ orgId: fleet.simulationOrgId })
    .call<{ secret: string }>('POST', '/notifications/webhooks', {
      url,
      topics: ['device.action_required', 'device.information'],
    });
  if (made.status !== 201) throw new Error(`The webhook was answered ${JSON.stringify(made)}.`);
  return made.body.secret;
}

export async function raise(api: PartnerApi, fleet: RunningFleet, code: string): Promise<void> {
  const path = `/device-simulator/fleets/${fleet.jobId}/devices/${fleet.deviceId}/events`;
  const raised = await api.call('POST', path, { code });
  if (raised.status !== 200) throw new Error(`The event was answered ${JSON.stringify(raised)}.`);
}

/** Asks again every 50 ms until the answer is as wanted; the test's own timeout is the end of patience. */
export async function until<T>(ask: () => T | Promise<T>, isSo: (answer: T) => boolean): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (isSo(answer)) return answer;
    await sleep(50);
  }
}
