import { join } from 'node:path';
import { readEncryptionKeys } from '../config/encryption-keys.ts';
import type { Settings } from '../config/settings.ts';
import { createKeyring } from '../domain/security/encryption.ts';
import type { Keyring } from '../domain/security/encryption.ts';
import { deriveLinkKey } from '../domain/security/signed-links.ts';
import type { LinkKey } from '../domain/security/signed-links.ts';
import type { Log } from '../log/log.ts';
import { openDatabase } from '../queries/connection/database.ts';
import type { OpenDatabase } from '../queries/connection/database.ts';
import { joinOrStartEmbeddedDatabase, startEmbeddedDatabase } from '../postgres/start.ts';
import { applyMigrations } from '../queries/connection/migrations.ts';

const MIGRATIONS_FOLDER = join(import.meta.dirname, '../../migrations');

export interface Storage extends OpenDatabase {
  readonly keyring: Keyring;
  readonly linkKey: LinkKey;
  /** Why the database cannot serve now; undefined when it can. */
  readonly notReadyReason: () => string | undefined;
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
}

/** Opens the database of the settings, embedded or given, and brings its tables up to date. */
export async function openStorage({
  settings,
  log,
  purpose,
  onFatal,
  maxConnections,
}: StorageOptions): Promise<Storage> {
  const embedded =
    settings.databaseUrl === undefined
      ? await startOrJoinDatabase(settings.dataDir, log, purpose, onFatal)
      : undefined;
  const connection = embedded?.connection ?? settings.databaseUrl?.reveal() ?? '';
  try {
    const applied = await applyMigrations(connection, MIGRATIONS_FOLDER);
    if (applied.length > 0) log.info('Migrated the database.', { applied });
    const { key, previous } = readEncryptionKeys(settings);
    const database = openDatabase({
      connection,
      ...(maxConnections === undefined ? {} : { max: maxConnections }),
      onIdleError: (error) => log.warn('An idle database connection broke.', { error }),
    });
    return {
      ...database,
      keyring: createKeyring(key, previous),
      linkKey: deriveLinkKey(key),
      notReadyReason: () =>
        embedded === undefined || embedded.state() === 'ready'
          ? undefined
          : `the embedded database is ${embedded.state()}`,
      findPingFailure: () =>
        database.pool.query('select 1').then(
          () => undefined,
          () => 'the database does not answer',
        ),
      stop: async () => {
        await database.close();
        await embedded?.stop();
      },
    };
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
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
