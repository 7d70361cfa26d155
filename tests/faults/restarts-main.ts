// `make faults ARGS=restarts`: 10,000 requests over 20 stops and starts with an embedded database. Exits 1 when any was lost.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixedCredentials } from '../process/partner.ts';
import { startService } from '../support/service.ts';
import { isGoodRestart, printRestarts, restartUnderLoad } from './restarts.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'partner-restarts-'));
const credentials = fixedCredentials();
try {
  const report = await restartUnderLoad({
    restarts: 20,
    requestsEach: 500,
    clients: 20,
    credentials,
    start: (port) =>
      startService({ dataDir, env: { ...credentials.env, HOST: '127.0.0.1', PORT: String(port) } }),
  });
  printRestarts(report);
  process.exitCode = isGoodRestart(report) ? 0 : 1;
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
