// A PostgreSQL server of one's own, in a folder that goes with it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedDatabase } from '../../src/postgres/start.ts';
import type { EmbeddedDatabase } from '../../src/postgres/start.ts';

const none = (): void => undefined;

export interface TemporaryServer {
  /** As superuser. */
  readonly connection: EmbeddedDatabase['connection'];
  /** Stops the server and removes its folder; nothing that uses the database may follow. */
  remove(): Promise<void>;
}

/** `settings` are PostgreSQL's, such as `{ fsync: 'off' }`. What ends the server by itself ends the process. */
export async function startTemporaryServer(
  settings: Readonly<Record<string, string>> = {},
): Promise<TemporaryServer> {
  const folder = mkdtempSync(join(tmpdir(), 'partner-server-'));
  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  try {
    const server = await startEmbeddedDatabase({
      dataDir: folder,
      log: { info: none, warn: none, error: console.error },
      settings,
      onFatal: (error) => {
        throw error;
      },
    });
    return {
      connection: server.connection,
      remove: async () => {
        await server.stop();
        removeFolder();
      },
    };
  } catch (error) {
    removeFolder();
    throw error;
  }
}
