import { randomBytes, randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import type { Route } from '../../generated/routes.ts';
import { composeApi } from '../../src/compose/api.ts';
import type { ApiOptions as ServiceOptions } from '../../src/compose/api.ts';
import { startRequestLog } from '../../src/compose/request-log.ts';
import type { RateLimits } from '../../src/config/rate-limits.ts';
import { sha256Digest, newAccessToken } from '../../src/domain/security/credentials.ts';
import { HOUR_MS } from '../../src/domain/api/durations.ts';
import type { Role } from '../../src/domain/users/roles.ts';
import { passwordHasher } from '../../src/domain/security/passwords.ts';
import { createBoundedServer } from '../../src/http/bounded-server.ts';
import type { OpenBodyLimits } from '../../src/http/open-bodies.ts';
import type { RefusalDelayOptions } from '../../src/http/refusal-delay.ts';
import type { Services } from '../../src/operations/context.ts';
import type pg from 'pg';
import { openDatabase } from '../../src/queries/connection/database.ts';
import type { Db, OpenDatabase } from '../../src/queries/connection/database.ts';
import { insertApplication } from '../../src/queries/accounts/applications.ts';
import { insertOrganization } from '../../src/queries/accounts/organizations.ts';
import { RecentPartners } from '../../src/shares/recent-partners.ts';
import { Registry } from 'prom-client';
import { ApiClient } from './api-client.ts';
import { TestClock } from './clock.ts';
import { testDatabase } from './database.ts';
import { expectNoSecretWritten, RecordingLog } from './secret-leaks.ts';
import { startServices } from './services.ts';

export interface ApiOptions {
  readonly now?: Date;
  readonly rateLimits?: RateLimits;
  readonly services?: Partial<Services>;
  /** Milliseconds between two checks of the tokens of open event streams. */
  readonly tokenCheckMs?: number;
  /** Until when credentials and links may come that do not name their organization; none do unless it is given. */
  readonly olderFormatUntil?: Date;
  /** How long a body that holds its partner's turn may take. */
  readonly bodyInTurnMs?: number;
  readonly openBodyLimits?: OpenBodyLimits;
  /** The operations; those of the document unless others are given. */
  readonly routes?: readonly Route[];
  /** Origins whose scripts may call. */
  readonly allowedOrigins?: readonly string[];
  /** How strangers are slowed down who are refused again and again; nobody is unless it is given. */
  readonly refusalDelay?: Partial<RefusalDelayOptions>;
  /** Whose `X-Forwarded-For` is believed. */
  readonly trustedProxies?: readonly string[];
  /** Which partner is alone at work; as a service finds it unless it is given. */
  readonly recentPartners?: ServiceOptions['recentPartners'];
  /** How requests reach the database of the test, and how long each may wait for it. */
  readonly requestPool?: {
    readonly open: (connection: pg.ClientConfig) => Promise<OpenDatabase>;
    readonly waitMs: number;
  };
  /** Serve as if the database had gone away after the companies were founded. */
  readonly isDatabaseAway?: boolean;
}

export interface Person {
  readonly id: string;
  readonly orgId: string;
  readonly email: string;
  readonly role: Role;
  readonly token: string;
  /** A token with the scope `read` alone. */
  readonly readToken: string;
}

/** An organization with one person of each role, and an application of each. */
export interface Company {
  readonly orgId: string;
  readonly admin: Person;
  readonly staff: Person;
  readonly user: Person;
}

export interface Api extends ApiClient {
  readonly db: Db;
  /** The connections of `db`. */
  readonly pool: pg.Pool;
  /** Every server that has a part of the database. */
  readonly everywhere: readonly pg.ClientConfig[];
  readonly clock: TestClock;
  readonly baseUrl: string;
  readonly services: Services;
  readonly log: RecordingLog;
  /** Our partner, whose admin calls by default. */
  readonly own: Company;
  /** A company that has nothing to do with ours. */
  readonly foreign: Company;
  /** Writes the requests of partners that wait to be logged. */
  writeRequestLog(): Promise<void>;
  /** Rejects when something that the service wrote holds a secret. */
  close(): Promise<void>;
}

const NOON = '2026-06-15T12:00:00.000Z';

/**
 * The whole API on a real port and a database of its own. Every call is checked by the contract validator too and recorded as
 * a covered (operation, status) pair.
 */
export async function startApi(options: ApiOptions = {}): Promise<Api> {
  const database = await testDatabase();
  const clock = new TestClock(options.now ?? NOON);
  const key = randomBytes(32);
  const server = createBoundedServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://localhost:${(server.address() as AddressInfo).port}`;
  const away = openDatabase({ connection: { host: '127.0.0.1', port: 1 } });
  // A pool that was ended fails like one whose server is gone, and at once.
  await away.close();
  const requestPool = await options.requestPool?.open(database.connection);
  const db = options.isDatabaseAway === true ? away.db : (requestPool?.db ?? database.db);
  const { services, stop } = startServices(db, baseUrl, key);
  const servicesOf = (invalidateCachedTokensOf: Services['invalidateCachedTokensOf']): Services => ({
    ...services,
    invalidateCachedTokensOf,
    ...options.services,
  });
  const [log, registry] = [new RecordingLog(), new Registry()];
  const requests = startRequestLog({
    db: database.db,
    log,
    clock: clock.now,
    perSecond: 1_000,
    // Written when a test asks for it, and at the end.
    everyMs: HOUR_MS,
  });
  const { listener } = composeApi({
    db,
    background: database.db,
    checks: database.db,
    get requestDatabaseMs() {
      return options.requestPool?.waitMs;
    },
    services: servicesOf,
    passwordHasher,
    clock: clock.now,
    requestLog: requests.requestLog,
    rateLimits: options.rateLimits,
    trustedProxies: options.trustedProxies ?? [],
    recentPartners: options.recentPartners ?? new RecentPartners(() => performance.now()),
    log,
    registry,
    findNotReadyReason: () => Promise.resolve(undefined),
    bodyInTurnMs: options.bodyInTurnMs,
    openBodyLimits: options.openBodyLimits,
    routes: options.routes,
    ...(options.allowedOrigins === undefined ? {} : { allowedOrigins: options.allowedOrigins }),
    refusalDelay: options.refusalDelay ?? { atOnce: Infinity },
    ...(options.tokenCheckMs === undefined ? {} : { tokenCheckMs: options.tokenCheckMs }),
    olderFormatUntil: options.olderFormatUntil,
  });
  server.on('request', listener);
  const own = await foundCompany(database.db, clock.now(), 'Own');
  const foreign = await foundCompany(database.db, clock.now(), 'Foreign');
  const client = new ApiClient(server, own);
  return Object.assign(client, {
    db: database.db,
    pool: database.pool,
    everywhere: database.everywhere,
    clock,
    baseUrl,
    services: servicesOf(() => {}),
    log,
    own,
    foreign,
    writeRequestLog: () => requests.flush(),
    close: async () => {
      await stop();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      try {
        await requestPool?.close();
        await requests.stop();
        await expectNoSecretWritten(log, registry, database);
      } finally {
        await database.close();
      }
    },
  });
}

/** Written straight into the tables, as a partner of its own. */
export async function foundCompany(db: Db, now: Date, name: string): Promise<Company> {
  const orgId = randomUUID();
  await insertOrganization(db, { id: orgId, name, kind: 'partner', parentOrgId: null, createdAt: now });
  const person = (role: Role): Promise<Person> => addPerson(db, orgId, role, now);
  return { orgId, admin: await person('admin'), staff: await person('staff'), user: await person('user') };
}

/** A user with an application and two tokens, written straight into the tables. */
export async function addPerson(db: Db, orgId: string, role: Role, now: Date): Promise<Person> {
  const id = randomUUID();
  const email = `${role}-${id.slice(0, 8)}@example.com`;
  await db
    .insertInto('users')
    .values({ org_id: orgId, id, email, role, created_at: now, updated_at: now })
    .execute();
  const application = {
    orgId,
    ownerUserId: id,
    name: role,
    clientId: randomBytes(20).toString('hex'),
    secretHash: sha256Digest('unused'),
    grantType: 'client-credentials' as const,
  };
  const { id: applicationId } = await insertApplication(db, application, now);
  const [token, readToken] = [newAccessToken(orgId), newAccessToken(orgId)];
  const expires = new Date('2100-01-01T00:00:00Z');
  for (const [value, scope] of [
    [token, 'read write'],
    [readToken, 'read'],
  ] as const) {
    await db
      .insertInto('access_tokens')
      .values({
        token_hash: sha256Digest(value),
        org_id: orgId,
        user_id: id,
        application_id: applicationId,
        grant_type: 'client-credentials',
        scope,
        created_at: now,
        expires_at: expires,
      })
      .execute();
  }
  return { id, orgId, email, role, token, readToken };
}
