import { join } from 'node:path';
import { readEncryptionKeys } from '../config/encryption-keys.ts';
import type { Settings } from '../config/settings.ts';
import { createKeyring } from '../domain/security/encryption.ts';
import type { Keyring } from '../domain/security/encryption.ts';
import { deriveLinkKey } from '../domain/security/signed-links.ts';
import type { LinkKey } from '../domain/security/signed-links.ts';
import type { Log } from '../log/log.ts';
import { openDatabase } from '../queries/connection/database.ts';
import type { DatabaseOptions, Db, OpenDatabase } from '../queries/connection/database.ts';
import type { AcquireShare } from '../queries/connection/bounded-pool.ts';
import { createDatabaseProbe } from '../queries/connection/probe.ts';
import { joinOrStartEmbeddedDatabase, startEmbeddedDatabase } from '../postgres/start.ts';
import { applyMigrations } from '../queries/connection/migrations.ts';
import { RecentPartners, whenAlone } from '../shares/recent-partners.ts';
import { createTurns } from '../shares/stranger-turns.ts';

const MIGRATIONS_FOLDER = join(import.meta.dirname, '../../migrations');

/**
 * Connections of `serve` beside those of requests: for its loops. The dispatcher, the presence of the worker, the fleet runner
 * and the event streams listen on one more each.
 */
const BACKGROUND_CONNECTIONS = 6;
/** A statement of a loop that takes longer has met a database that hangs; the loop drops it and goes on. */
const BACKGROUND_STATEMENT_MS = 10_000;
/** Streams end when their tokens cannot be checked, so loops that hold all of their connections must not keep a check from its own. */
const CHECK_CONNECTIONS = 1;
/** All that a check may take. */
const CHECK_STATEMENT_MS = 2_000;
/** What one statement of a request may take that no scope bounds. */
const REQUEST_STATEMENT_MS = 4_500;
/** Requests of one partner that may wait for a connection. */
const MAX_WAITING_REQUESTS = 1_000;
/** Parties whose shares leave connections over: four with long statements keep no fifth one waiting. */
const PARTIES_WITH_SHARES = 4;
/** All of whom no partner is known have as much as one of three parties. */
const PARTIES_WITH_STRANGERS = 3;
/** Of a pool of four or five too one address has not all that those have who are not known. */
const STRANGERS_OF_SMALL_POOLS = 2;

/** `db` serves requests, whose partners share its connections. */
export interface Storage extends OpenDatabase {
  /** For the work of the process itself: no request takes its connections. */
  readonly background: Db;
  /** For the checks of the tokens of open event streams, one at a time. */
  readonly checks: Db;
  readonly keyring: Keyring;
  readonly linkKey: LinkKey;
  /** Why the database cannot serve now; undefined when it can. */
  readonly notReadyReason: () => string | undefined;
  /** Who sends requests to this process. */
  readonly recentPartners: RecentPartners;
  /** Asks the database; what went wrong, or undefined. */
  readonly findPingFailure: () => Promise<string | undefined>;
  /** Closes the connections, then stops the database if it is ours. The last thing a process does. */
  stop(): Promise<void>;
}

export interface StorageOptions {
  readonly settings: Settings;
  readonly log: Log;
  /** `serve` owns an embedded database; a command joins the one that runs or starts one for itself. */
  readonly purpose: 'serve' | 'command';
  readonly onFatal: (error: Error) => void;
  readonly maxConnections?: number;
  /** Ends the start: rejects with the reason. */
  readonly signal?: AbortSignal;
}

/** Opens the database of the settings, embedded or given, and brings its tables up to date. */
export async function openStorage({
  settings,
  log,
  purpose,
  onFatal,
  maxConnections,
  signal,
}: StorageOptions): Promise<Storage> {
  const embedded =
    settings.databaseUrl === undefined
      ? await startOrJoinDatabase(settings.dataDir, log, purpose, onFatal)
      : undefined;
  const connection = embedded?.connection ?? settings.databaseUrl?.reveal() ?? '';
  try {
    const applied = await applyMigrations(connection, MIGRATIONS_FOLDER, {
      ...(signal && { signal }),
      onWait: (reason) => log.info('Migrating waits.', { reason }),
    });
    if (applied.length > 0) log.info('Migrated the database.', { applied });
    const { key, previous } = readEncryptionKeys(settings);
    const recentPartners = new RecentPartners(() => performance.now());
    const { database, background, checks } = openPools(
      connection,
      { settings, log, purpose, recentPartners },
      maxConnections,
    );
    return {
      ...database,
      recentPartners,
      background: background.db,
      checks: checks.db,
      keyring: createKeyring(key, previous),
      linkKey: deriveLinkKey(key),
      notReadyReason: () =>
        embedded === undefined || embedded.state() === 'ready'
          ? undefined
          : `the embedded database is ${embedded.state()}`,
      findPingFailure: createDatabaseProbe(database.db, () => performance.now()),
      stop: async () => {
        await Promise.all([database.close(), background.close(), checks.close()]);
        await embedded?.stop();
      },
    };
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}

/** A command has one pool; `serve` has one for requests, one for its loops and one for token checks. */
function openPools(
  connection: DatabaseOptions['connection'],
  {
    settings,
    log,
    purpose,
    recentPartners,
  }: Pick<StorageOptions, 'settings' | 'log' | 'purpose'> & Pick<Storage, 'recentPartners'>,
  maxConnections: number | undefined,
): { database: OpenDatabase; background: OpenDatabase; checks: OpenDatabase } {
  const onIdleError = (error: Error): void => log.warn('An idle database connection broke.', { error });
  if (purpose === 'command') {
    const database = openDatabase({ connection, max: maxConnections ?? BACKGROUND_CONNECTIONS, onIdleError });
    return { database, background: database, checks: database };
  }
  const capacity = maxConnections ?? settings.databasePoolSize;
  const database = openDatabase({
    connection,
    max: capacity,
    statementMs: REQUEST_STATEMENT_MS,
    acquireShare: shareConnections(capacity, recentPartners),
    onIdleError,
  });
  const background = openDatabase({
    connection,
    max: BACKGROUND_CONNECTIONS,
    statementMs: BACKGROUND_STATEMENT_MS,
    applicationName: 'partner background',
    onIdleError,
  });
  const checks = openDatabase({
    connection,
    max: CHECK_CONNECTIONS,
    statementMs: CHECK_STATEMENT_MS,
    applicationName: 'partner token checks',
    onIdleError,
  });
  return { database, background, checks };
}

/**
 * Divides the connections for requests among partners. One that is alone at work has half of them at most, beside others a quarter of all but one: a
 * statement holds one for as long as it takes, so what one partner borrowed would not be free when others come, and as many servers of the
 * database would compete with the one that others wait for. Those of which no partner is known yet are one more party, and share what
 * it has by address, so that no flood of one address keeps the first request of another from it.
 */
export function shareConnections(
  capacity: number,
  recentPartners: Pick<RecentPartners, 'hasOthers'>,
): AcquireShare {
  const asOfRight = Math.max(1, Math.floor((capacity - 1) / PARTIES_WITH_SHARES));
  const alone = Math.max(1, Math.floor(capacity / 2));
  const turns = createTurns({
    capacity,
    maxWaiting: MAX_WAITING_REQUESTS,
    asOfRight,
    atMost: whenAlone(recentPartners, alone, asOfRight),
    strangerUnits: Math.max(
      Math.floor((capacity - 1) / PARTIES_WITH_STRANGERS),
      Math.min(STRANGERS_OF_SMALL_POOLS, alone),
    ),
  });
  return (partnerId, signal, address) =>
    turns.acquire(address === undefined ? { partnerId } : { address }, signal);
}

function startOrJoinDatabase(
  dataDir: string,
  log: Log,
  purpose: 'serve' | 'command',
  onFatal: (error: Error) => void,
): ReturnType<typeof startEmbeddedDatabase> {
  const start = purpose === 'serve' ? startEmbeddedDatabase : joinOrStartEmbeddedDatabase;
  return start({ dataDir, log, onFatal });
}
