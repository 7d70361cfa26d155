import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testDatabase } from './database.ts';
import type { TestDatabase } from './database.ts';
import { expectNoSecretIn } from './secret-leaks.ts';

export interface ServiceProcess {
  readonly baseUrl: string;
  readonly pid: number;
  readonly dataDir: string;
  /** Everything that it has printed on standard output so far. */
  readonly output: () => string;
  /** Its log so far. */
  readonly log: () => string;
  /**
   * Ends by SIGTERM unless told otherwise; resolves to how the process ended, and rejects when its log holds a secret or a
   * warning of Node. Keeps the data.
   */
  stop(signal?: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Stops it if it still runs, and removes its data. */
  remove(): Promise<void>;
}

export interface ServiceOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** Start on the data of an earlier process. */
  readonly dataDir?: string;
  /** The `partner` of another source tree. */
  readonly command?: string;
}

/**
 * Runs `partner serve` on a migrated database of its own on the shared server, which spares it an embedded server; remove()
 * drops the database. For tests that do not ask what happens to the data.
 */
export async function startServiceOnSharedServer(
  options: Pick<ServiceOptions, 'env' | 'args'> = {},
): Promise<ServiceProcess & { readonly database: TestDatabase }> {
  const database = await testDatabase();
  const ENCRYPTION_KEY = randomBytes(32).toString('base64');
  const env = { DATABASE_URL: database.url, ENCRYPTION_KEY, ...options.env };
  const service = await startService({ ...options, env });
  return {
    ...service,
    database,
    remove: async () => {
      await service.remove();
      await database.close();
    },
  };
}

export const PARTNER_COMMAND = join(import.meta.dirname, '../../bin/partner');

/** Where Node keeps compiled modules for the test processes and the programs that they start: a third less for each start. */
export const COMPILE_CACHE = join(import.meta.dirname, '../../node_modules/.cache/compiled-for-tests');

/** What a program that a test starts inherits. */
export const INHERITED_ENV: Readonly<Record<string, string>> = {
  PATH: process.env['PATH'] ?? '',
  HOME: process.env['HOME'] ?? '',
  NODE_COMPILE_CACHE: COMPILE_CACHE,
};

/** A line between those of the log, as of a listener too many. */
const NODE_WARNING = /^\(node:\d+\) .*/m;

/** Runs `partner serve` as its users do, and resolves when it says that it listens. */
export async function startService({
  env = {},
  args = [],
  dataDir,
  command = PARTNER_COMMAND,
}: ServiceOptions = {}): Promise<ServiceProcess> {
  const folder = dataDir ?? mkdtempSync(join(tmpdir(), 'partner-service-'));
  const child = spawn(command, ['serve', ...args], {
    env: {
      ...INHERITED_ENV,
      TMPDIR: tmpdir(),
      PORT: '0',
      DATA_DIR: folder,
      // No proxy stands before it.
      STOP_DELAY_SECONDS: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let log = '';
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  const baseUrl = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const found = /listening on (\S+)\n/.exec(output)?.[1];
      if (found !== undefined) resolve(found);
    });
    void exited.then(({ code }) =>
      reject(new Error(`partner serve ended with ${String(code)}:\n${log}${output}`)),
    );
  });
  const given = Object.fromEntries(
    Object.entries(env).filter(([name]) => /_KEY|_SECRET|_PASSWORD/.test(name)),
  );
  const stop: ServiceProcess['stop'] = async (signal = 'SIGTERM') => {
    child.kill(signal);
    const end = await exited;
    expectNoSecretIn('The log of the service', log, given);
    const warning = NODE_WARNING.exec(log)?.[0];
    if (warning !== undefined) throw new Error(`The log of the service holds a warning of Node: ${warning}`);
    return end;
  };
  return {
    baseUrl,
    pid: child.pid ?? 0,
    dataDir: folder,
    output: () => output,
    log: () => log,
    stop,
    remove: async () => {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
