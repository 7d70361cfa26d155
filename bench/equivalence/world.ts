// Versions of the service on copies of one prepared database. Neither has loops: nothing changes but by requests.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type pg from 'pg';
import { openDatabase } from '../../src/queries/connection/database.ts';
import { executeOnServer, urlOf, withDatabase } from '../../tests/support/database.ts';
import { fixedCredentials, run } from '../../tests/process/partner.ts';
import type { FixedCredentials } from '../../tests/process/partner.ts';
import { startReceiver } from '../../tests/support/receiver.ts';
import { startService } from '../../tests/support/service.ts';
import type { ServiceProcess } from '../../tests/support/service.ts';
import type { Clients } from './callers.ts';
import { prepareDatabase } from './prepare.ts';
import type { Prepared } from './prepare.ts';

const CLOCK = pathToFileURL(join(import.meta.dirname, 'clock.ts')).href;
const ANSWERS: Readonly<Record<string, number>> = { '/taken': 204, '/refused': 500, '/gone': 410 };

export interface EquivalenceWorld<Of extends Trees> {
  /** Where the versions are reached, in the order of their trees. */
  readonly baseUrls: { readonly [At in keyof Of]: string };
  readonly orgId: string;
  readonly clients: Clients;
  /** Users whom clients act for. */
  readonly prepared: Prepared;
  remove(): Promise<void>;
}

/** Source trees of the versions. The first one prepares the database, and each other one migrates its copy. */
export type Trees = readonly [string, ...string[]];

/** `server`: a superuser's connection to a PostgreSQL server; what is made there is removed. */
export async function createEquivalenceWorld<const Of extends Trees>(
  trees: Of,
  server: pg.ClientConfig,
): Promise<EquivalenceWorld<Of>> {
  const ends: (() => unknown)[] = [];
  const remove = async (): Promise<void> => {
    for (const end of ends.splice(0).toReversed()) await end();
  };
  try {
    return { ...(await start(trees, server, (end) => ends.push(end))), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function start<Of extends Trees>(
  trees: Of,
  server: pg.ClientConfig,
  onEnd: (end: () => unknown) => void,
): Promise<Omit<EquivalenceWorld<Of>, 'remove'>> {
  const folder = mkdtempSync(join(tmpdir(), 'partner-equivalence-'));
  onEnd(() => rmSync(folder, { recursive: true, force: true }));
  const receiver = await startReceiver();
  onEnd(() => receiver.close());
  receiver.answer = ({ path }, response) => response.writeHead(ANSWERS[path] ?? 404).end();
  writeFileSync(join(folder, 'authority.pem'), receiver.ca);
  const fixed = fixedCredentials();
  const name = `equivalence_${randomBytes(6).toString('hex')}`;
  const createDatabase = async (database: string, template: string): Promise<Record<string, string>> => {
    await executeOnServer(server, `create database ${database} template ${template}`);
    onEnd(() => executeOnServer(server, `drop database if exists ${database} with (force)`));
    return {
      ...environment(fixed, join(folder, 'authority.pem')),
      DATABASE_URL: urlOf(withDatabase(server, database)),
      ENCRYPTION_KEY: key,
    };
  };
  const key = randomBytes(32).toString('base64');
  const env = await createDatabase(name, 'template1');
  const { clients, prepared } = await prepare(trees[0], env, fixed, withDatabase(server, name), (path) =>
    receiver.url(path),
  );
  const baseUrls: string[] = [];
  for (const [at, tree] of trees.entries()) {
    const own = await createDatabase(`${name}_${at}`, name);
    const service = await startVersion(tree, { ...own, NODE_OPTIONS: `--import ${CLOCK}` }, [
      '--role',
      'api',
    ]);
    onEnd(() => service.remove());
    baseUrls.push(service.baseUrl);
  }
  // TypeScript knows no loop over a tuple that makes another one of its length.
  return {
    baseUrls: baseUrls as unknown as EquivalenceWorld<Of>['baseUrls'],
    orgId: fixed.orgId,
    clients,
    prepared,
  };
}

function environment(fixed: FixedCredentials, authority: string): Record<string, string> {
  return {
    ...fixed.env,
    WEBHOOK_CA_FILE: authority,
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
    SIMULATOR_FAULTS: 'off',
    LOG_LEVEL: 'error',
  };
}

function startVersion(
  tree: string,
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): Promise<ServiceProcess> {
  return startService({ env, args, command: join(tree, 'bin/partner') });
}

/** Fills the database through the first version, which has ended then. */
async function prepare(
  tree: string,
  env: Readonly<Record<string, string>>,
  fixed: FixedCredentials,
  connection: pg.ClientConfig,
  receiverUrl: (path: string) => string,
): Promise<{ readonly clients: Clients; readonly prepared: Prepared }> {
  const service = await startVersion(tree, env);
  try {
    const prepared = await prepareDatabase(service, fixed, receiverUrl);
    const other = await run(
      join(tree, 'bin/partner'),
      ['org', 'create', '--name', 'Other Ltd', '--admin-email', 'other@example.com', '--json'],
      env,
    );
    const { client_id: clientId, client_secret: clientSecret } = JSON.parse(other.output) as Record<
      string,
      string
    >;
    const own = await addClients(connection, fixed, prepared);
    const clients = { ...own, other: { clientId: clientId ?? '', clientSecret: clientSecret ?? '' } };
    return { clients, prepared };
  } finally {
    await service.remove();
  }
}

/** Applications beside the first one, with its secret: of a staff member, of an end user, and for the password grant. */
async function addClients(
  connection: pg.ClientConfig,
  { clientId, clientSecret }: FixedCredentials,
  { staffId, userId }: Prepared,
): Promise<Omit<Clients, 'other'>> {
  const { pool, close } = openDatabase({ connection, max: 1 });
  const add = async (name: string, ownerId: string | null, grant: string): Promise<Clients['staff']> => {
    await pool.query(
      `insert into applications (org_id, id, owner_user_id, name, client_id, secret_hash, client_type,
         authorization_grant_type, created_at, updated_at)
       select org_id, gen_random_uuid(), coalesce($3::uuid, owner_user_id), $2, $2, secret_hash, client_type, $4,
         created_at, updated_at
       from applications where client_id = $1`,
      [clientId, `${clientId}-${name}`, ownerId, grant],
    );
    return { clientId: `${clientId}-${name}`, clientSecret };
  };
  try {
    return {
      admin: { clientId, clientSecret },
      staff: await add('staff', staffId, 'client-credentials'),
      user: await add('user', userId, 'client-credentials'),
      password: await add('password', null, 'password'),
    };
  } finally {
    await close();
  }
}
