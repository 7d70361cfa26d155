import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface DemoService {
  readonly baseUrl: string;
  readonly orgId: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** What it has printed on standard error so far. */
  readonly log: () => string;
  stop(): Promise<void>;
}

export interface DemoServiceOptions {
  /** The authority in PEM whose certificates deliveries trust. */
  readonly ca: string;
  /** Its rejection ends the wait for the start. With it, signals of the terminal do not reach the service. */
  readonly interrupted?: Promise<never>;
  /** Folder of the checkout whose service runs; this one by default. */
  readonly root?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const START_MS = 60_000;

/** `partner serve` on a data folder of its own, which trusts an authority and may call loopback. */
export async function startDemoService({
  ca,
  interrupted,
  root = join(import.meta.dirname, '../..'),
  env = {},
}: DemoServiceOptions): Promise<DemoService> {
  const folder = mkdtempSync(join(tmpdir(), 'partner-demo-'));
  // Root's embedded database may have to run as another user, who must be able to pass through.
  chmodSync(folder, 0o711);
  const caFile = join(folder, 'authority.pem');
  writeFileSync(caFile, ca);
  const orgId = randomUUID();
  const clientId = 'demo';
  const clientSecret = randomBytes(32).toString('hex');
  const child = spawn(join(root, 'bin/partner'), ['serve'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // Ctrl-C reaches the demo alone: a service that is signalled twice ends without clearing up.
    detached: interrupted !== undefined,
    env: {
      ...process.env,
      PORT: '0',
      BASE_URL: '',
      DATABASE_URL: '',
      DATA_DIR: join(folder, 'data'),
      LOG_LEVEL: 'warn',
      WEBHOOK_CA_FILE: caFile,
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
      BOOTSTRAP_ORG_ID: orgId,
      BOOTSTRAP_CLIENT_ID: clientId,
      BOOTSTRAP_CLIENT_SECRET: clientSecret,
      ...env,
    },
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await exited;
    rmSync(folder, { recursive: true, force: true });
  };
  let log = '';
  try {
    const listening = new Promise<string>((resolve, reject) => {
      let text = '';
      child.stderr.setEncoding('utf8').on('data', (more: string) => (log += more));
      child.stdout.setEncoding('utf8').on('data', (more: string) => {
        text += more;
        const found = /listening on (\S+)\n/.exec(text)?.[1];
        if (found !== undefined) resolve(found);
      });
      setTimeout(() => reject(new Error('The service did not start in time.')), START_MS).unref();
      void exited.then(() => reject(new Error(`The service ended at once:\n${log}`)));
    });
    const baseUrl = await Promise.race(interrupted === undefined ? [listening] : [listening, interrupted]);
    return { baseUrl, orgId, clientId, clientSecret, log: () => log, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
