import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface InspectedService {
  readonly baseUrl: string;
  /** `ws://` address of the inspector of the service's process. */
  readonly inspectorUrl: string;
  readonly orgId: string;
  readonly clientId: string;
  readonly clientSecret: string;
  stop(): Promise<void>;
}

const START_MS = 60_000;

/** `partner serve` of the checkout in `root`, on data of its own, with an open inspector. Trusts the authority `ca`. */
export async function startInspectedService(root: string, ca: string): Promise<InspectedService> {
  const folder = mkdtempSync(join(tmpdir(), 'partner-trips-'));
  // Root's embedded database may have to run as another user, who must be able to pass through.
  chmodSync(folder, 0o711);
  const caFile = join(folder, 'authority.pem');
  writeFileSync(caFile, ca);
  const credentials = {
    orgId: randomUUID(),
    clientId: 'trips',
    clientSecret: randomBytes(32).toString('hex'),
  };
  const child = spawn(join(root, 'bin/partner'), ['serve'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      NODE_OPTIONS: '--inspect=127.0.0.1:0',
      PORT: '0',
      DATA_DIR: join(folder, 'data'),
      LOG_LEVEL: 'warn',
      SIMULATOR_FAULTS: 'off',
      WEBHOOK_CA_FILE: caFile,
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
      BOOTSTRAP_ORG_ID: credentials.orgId,
      BOOTSTRAP_CLIENT_ID: credentials.clientId,
      BOOTSTRAP_CLIENT_SECRET: credentials.clientSecret,
    },
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let output = '';
  const ready = new Promise<{ baseUrl: string; inspectorUrl: string }>((resolve, reject) => {
    const read = (text: string): void => {
      output += text;
      const inspectorUrl = [...output.matchAll(/Debugger listening on (ws:\S+)/g)].at(-1)?.[1];
      const baseUrl = /listening on (http\S+)\n/.exec(output)?.[1];
      if (inspectorUrl !== undefined && baseUrl !== undefined) resolve({ baseUrl, inspectorUrl });
    };
    child.stdout.setEncoding('utf8').on('data', read);
    child.stderr.setEncoding('utf8').on('data', read);
    setTimeout(() => reject(new Error(`The service did not start in time:\n${output}`)), START_MS).unref();
    void exited.then(() => reject(new Error(`The service ended at once:\n${output}`)));
  });
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await exited;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    return { ...(await ready), ...credentials, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
