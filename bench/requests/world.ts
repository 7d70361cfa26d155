// A service on a database of its own, a partner with users, and the peer and the bare server on the same tables.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { ChildProcess } from 'node:child_process';
import type pg from 'pg';
import { applyMigrations } from '../../src/queries/connection/migrations.ts';
import { openDatabase } from '../../src/queries/connection/database.ts';
import { fixedCredentials, PartnerApi } from '../../tests/process/partner.ts';
import { urlOf } from '../../tests/support/database.ts';
import { startService } from '../../tests/support/service.ts';
import type { ServiceProcess } from '../../tests/support/service.ts';
import { startTemporaryServer } from '../../tests/support/temporary-server.ts';
import { nextMessage, startProgram } from '../processes.ts';
import type { Caller } from './questions.ts';
import { usersPath } from './questions.ts';
import type { Listening, ServerJob } from './statements.ts';

const USERS = 1_000;
/** No request of the bench reaches it, and the shares that the service grants once are never used up. */
const USER_QUOTA = 1_000_000_000;
const DEVICE_TYPES = ['electric_vehicle', 'heat_pump', 'inverter', 'wallbox'];

/** Who is asked: what is measured, its peer and its limit. */
export type TargetName = 'service' | 'peer' | 'bare';
export type Targets = Readonly<Partial<Record<TargetName, number>>>;

export interface World {
  readonly caller: Caller;
  /** The ports. */
  readonly targets: Targets;
  readonly service: ServiceProcess;
  remove(): Promise<void>;
}

/**
 * Starts everything, the peer and the bare server only where they are wanted. All of it runs where this process does: PostgreSQL
 * with fsync, the service without rate limits and with these settings.
 */
export async function createWorld(
  isCompared: boolean,
  settings: Readonly<Record<string, string>> = {},
): Promise<World> {
  const ends: (() => unknown)[] = [];
  const remove = async (): Promise<void> => {
    for (const end of ends.toReversed()) await end();
  };
  try {
    const server = await startTemporaryServer();
    ends.push(() => server.remove());
    const { connection } = server;
    await applyMigrations(connection, join(import.meta.dirname, '../../migrations'));
    const { caller, port, service } = await startMeasuredService(connection, settings);
    ends.push(() => service.remove());
    if (isCompared) return { caller, targets: { service: port }, service, remove };
    const [peer, bare] = [await startBeside('peer.ts', connection), await startBeside('bare.ts', connection)];
    ends.push(
      () => peer.child.disconnect(),
      () => bare.child.disconnect(),
    );
    return { caller, targets: { service: port, peer: peer.port, bare: bare.port }, service, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

interface MeasuredService {
  readonly caller: Caller;
  readonly port: number;
  readonly service: ServiceProcess;
}

async function startMeasuredService(
  connection: pg.ClientConfig,
  settings: Readonly<Record<string, string>>,
): Promise<MeasuredService> {
  const fixed = fixedCredentials();
  const service = await startService({
    env: {
      ...fixed.env,
      DATABASE_URL: urlOf(connection),
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      RATE_LIMITS: 'off',
      QUOTAS: `users=${USER_QUOTA}`,
      LOG_LEVEL: 'error',
      ...settings,
    },
  });
  try {
    const api = await PartnerApi.open(service, fixed);
    const userIds = await addUsers(connection, api.orgId);
    const { orgId, clientId, clientSecret } = fixed;
    const caller = { orgId, clientId, clientSecret, token: api.token, userIds };
    // The first creation grants each of the counts its share of the quota, which the others only take from.
    await createOne(service.baseUrl, caller);
    return { caller, port: Number(new URL(service.baseUrl).port), service };
  } catch (error) {
    await service.remove();
    throw error;
  }
}

/** Users with every field and a device of each type; tells them. */
async function addUsers(connection: pg.ClientConfig, orgId: string): Promise<string[]> {
  const { pool, close } = openDatabase({ connection, max: 1 });
  try {
    const { rows } = await pool.query<{ id: string }>(
      `insert into users (org_id, id, email, role, external_user_id, first_name, last_name, street_and_number,
         street_add_info, zip_code, town, country, latitude, longitude, location_last_updated, created_at, updated_at)
       select $1, gen_random_uuid(), 'user' || n || '@example.com', 'user',
         'customer-' || n, 'Anna', 'Huber', 'Hauptstraße ' || n, 'door 7', '4020', 'Linz', 'AT', 48.3064, 14.2858,
         now(), now() - interval '1 day' + n * interval '1 s', now()
       from generate_series(1, $2::int) n
       returning id`,
      [orgId, USERS],
    );
    await pool.query(
      `insert into devices (org_id, id, user_id, device_type, name, manufacturer, model, ratings, created_at)
       select org_id, gen_random_uuid(), id, type, 'Device', 'Maker', 'Model', '{}', now()
       from users, unnest($2::text[]) type where org_id = $1 and external_user_id is not null`,
      [orgId, DEVICE_TYPES],
    );
    await pool.query('vacuum analyze');
    return rows.map(({ id }) => id);
  } finally {
    await close();
  }
}

async function createOne(baseUrl: string, { orgId, token }: Caller): Promise<void> {
  const answer = await fetch(`${baseUrl}${usersPath(orgId)}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'first@example.com', role: 'user' }),
  });
  if (answer.status !== 201) throw new Error(`The first user was answered ${answer.status}.`);
}

/** Starts the peer or the bare server. */
export async function startBeside(
  file: 'peer.ts' | 'bare.ts',
  { host, port, user, database }: pg.ClientConfig,
  userQuota = USER_QUOTA,
): Promise<Listening & { readonly child: ChildProcess }> {
  const child = startProgram(join(import.meta.dirname, file));
  child.send({ connection: { host, port, user, database }, userQuota } satisfies ServerJob);
  return { ...(await nextMessage<Listening>(child)), child };
}
