// Starts what its argument names, of which a later part fails, and ends by itself when nothing of the first is left.
import { Registry } from 'prom-client';
import { readSettings } from '../../src/config/settings.ts';
import { startService } from '../../src/compose/service.ts';
import { createDeliveryMetrics } from '../../src/compose/metrics.ts';
import type { ProcessContext } from '../../src/compose/process-context.ts';
import { startWorkers } from '../../src/compose/workers.ts';
import { createLog } from '../../src/log/log.ts';
import { openDatabase } from '../../src/queries/connection/database.ts';
import type { OpenDatabase } from '../../src/queries/connection/database.ts';
import { startEventStreams } from '../../src/streams/announcements.ts';
import { createHostLookup } from '../../src/webhooks/name-lookup.ts';
import { WebhookClient } from '../../src/webhooks/webhook-client.ts';

const settings = readSettings(process.env);
const ignore = (): void => undefined;

/** Fails when it is read, which is when the routes are composed, behind all loops. */
function* failingOrigins(): Generator<string> {
  yield 'https://a.example';
  throw new Error('There are no further origins.');
}

const startServiceWithoutRoutes = (): Promise<unknown> =>
  startService({
    settings: { ...settings, allowedOrigins: failingOrigins() as unknown as readonly string[] },
    role: 'all',
    log: createLog('error'),
    onFatal: ignore,
    onFirstCredentials: ignore,
    signal: new AbortController().signal,
  });

/** `start` gets a database, with no server to listen at. */
async function startWithoutChannel(start: (storage: OpenDatabase) => Promise<unknown>): Promise<void> {
  const connection = settings.databaseUrl?.reveal() ?? '';
  const database = openDatabase({ connection, max: 1, onIdleError: ignore });
  await start({ ...database, config: { host: '127.0.0.1', port: 1 } }).finally(database.close);
}

function startLoops(storage: OpenDatabase): Promise<unknown> {
  const registry = new Registry();
  const context = {
    settings,
    storage: { ...storage, background: storage.db },
    log: createLog('error'),
    deliveryMetrics: createDeliveryMetrics(registry),
    webhookClient: new WebhookClient({ lookup: createHostLookup(), allowedNetworks: [] }),
    clock: () => new Date(),
    registry,
    announce: ignore,
  };
  return startWorkers(context as unknown as ProcessContext);
}

const starts: Readonly<Record<string, () => Promise<unknown>>> = {
  routes: startServiceWithoutRoutes,
  streams: () => startWithoutChannel((storage) => startEventStreams(storage, true, ignore)),
  workers: () => startWithoutChannel(startLoops),
};
await starts[process.argv[2] ?? '']?.().catch((error: unknown) => console.log(String(error)));
