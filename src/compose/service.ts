import type { RequestListener } from 'node:http';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { PasswordThreads } from '../compute/password-threads.ts';
import { ComputePool } from '../compute/pool.ts';
import type { Settings } from '../config/settings.ts';
import { createHealthApp } from '../http/app.ts';
import { createBoundedServer, SERVER_LIMITS } from '../http/bounded-server.ts';
import { HttpServer } from '../http/http-server.ts';
import type { Log } from '../log/log.ts';
import { bootstrapFirstOrganization } from '../accounts/bootstrap.ts';
import type { FirstCredentials } from '../accounts/bootstrap.ts';
import { admitKeyring } from '../maintenance/known-keys.ts';
import { isDatabaseUnavailable } from '../queries/connection/database.ts';
import { findOlderFormatEnd } from '../queries/connection/older-format.ts';
import { readCaFile } from './ca-file.ts';
import { createLeaving } from './leaving.ts';
import { startRequestLog } from './request-log.ts';
import { startSecretUses } from './secret-uses.ts';
import { openStorage } from './database.ts';
import type { Storage } from './database.ts';
import { createDeliveryMetrics, registerComputeMetrics } from './metrics.ts';
import type { ProcessContext } from './process-context.ts';
import { startEventStreams } from '../streams/announcements.ts';
import type { EventStreams } from '../streams/announcements.ts';
import type { FindCaller } from './turns.ts';
import { startWorkers } from './workers.ts';
import type { Workers } from './workers.ts';
import { createOperationServices } from './services.ts';
import { createWebhookClient } from './webhook-client.ts';

export type ServeRole = 'all' | 'api' | 'worker';

export interface Service {
  readonly baseUrl: string;
  /**
   * Not ready at once, so that proxies lead elsewhere; after the delay of the settings stops accepting, finishes open requests,
   * releases leases, stops the database last.
   */
  stop(): Promise<void>;
}

export interface ServiceOptions {
  readonly settings: Settings;
  readonly role: ServeRole;
  readonly log: Log;
  /** The service cannot go on. */
  readonly onFatal: (error: Error) => void;
  /** Shows what a first start on an empty database makes, just before that is committed: nothing is made when it throws. */
  readonly onFirstCredentials: (first: FirstCredentials, baseUrl: string) => void;
  /** Ends a start that is under way: undoes it, and rejects with the reason. */
  readonly signal: AbortSignal;
}

/** Starts everything that the role asks for, in this process. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { settings, role, log, onFatal, signal } = options;
  const clock = (): Date => new Date();
  const extraCa = settings.webhookCaFile === undefined ? undefined : readCaFile(settings.webhookCaFile);
  const server = new HttpServer(
    createBoundedServer(settings.trustedProxies, SERVER_LIMITS, (request) => surface?.findCaller?.(request)),
  );
  const metricsServer = new HttpServer();
  let storage: Storage | undefined;
  const compute = new ComputePool({ maxJobMs: settings.computeSeconds * 1_000 });
  const passwords = new PasswordThreads();
  let workers: Workers | undefined;
  let [streams, surface]: [EventStreams?, Surface?] = [];
  // A worker has no requests that anybody else could take.
  const leaving = createLeaving(server, role === 'worker' ? 0 : settings.stopDelaySeconds * 1_000);
  const stop = async (): Promise<void> => {
    await Promise.all([streams?.stop(), server.stop(), metricsServer.stop(), workers?.stop()]);
    await Promise.all([compute.stop(), passwords.stop(), surface?.stop()]);
    await storage?.stop();
  };
  try {
    // The port comes first: where another program has it, nothing is written, and first credentials are not lost.
    const baseUrl = await server.listen(settings);
    await listenForMetrics(metricsServer, settings, log);
    storage = await openStorage({ settings, log, purpose: 'serve', onFatal, signal });
    await fillDatabase(storage, options, baseUrl, clock());
    const registry = new Registry();
    collectDefaultMetrics({ register: registry });
    registerComputeMetrics(registry, compute);
    streams = await startEventStreams({ ...storage, db: storage.background }, role !== 'worker', (error) =>
      log.warn('Event streams could not be woken; they look by themselves.', { error }),
    );
    const context: ProcessContext = {
      settings,
      storage,
      log,
      registry,
      baseUrl,
      webhookClient: createWebhookClient(settings.webhookAllowedNetworks, extraCa, log),
      clock,
      isLeaving: leaving.isLeaving,
      compute,
      passwordHasher: passwords.hasher,
      deliveryMetrics: createDeliveryMetrics(registry),
      ...streams,
    };
    if (role !== 'api') workers = await startWorkers(context);
    server.serve((surface = await startSurface(context, role, workers)).listener);
    metricsServer.serve(createHealthListener(context, false));
    if (role !== 'worker') for (const threads of [compute, passwords]) threads.startLater();
    signal.throwIfAborted();
    return { baseUrl, stop: () => leaving.leave().then(stop) };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** What a process writes before it serves: its encryption key, and the first organization of an empty database. */
async function fillDatabase(
  { background, keyring }: Storage,
  { settings, onFirstCredentials }: ServiceOptions,
  baseUrl: string,
  now: Date,
): Promise<void> {
  await admitKeyring(background, keyring, now);
  await bootstrapFirstOrganization(background, settings.bootstrap, now, (first) =>
    onFirstCredentials(first, baseUrl),
  );
}

async function listenForMetrics(server: HttpServer, settings: Settings, log: Log): Promise<void> {
  const { host, metricsPort: port } = settings;
  if (port === undefined) return;
  const url = await server.listen({ host, port, baseUrl: undefined, portSetting: 'METRICS_PORT' });
  log.info('Metrics have a port of their own.', { url: `${url}/metrics` });
}

async function findNotReadyReason({ storage, isLeaving }: ProcessContext): Promise<string | undefined> {
  if (isLeaving()) return 'the service is stopping';
  return storage.notReadyReason() ?? (await storage.findPingFailure());
}

function createHealthListener(options: ProcessContext, hasMetricsElsewhere: boolean): RequestListener {
  return createHealthApp({
    registry: options.registry,
    monotonicMs: () => performance.now(),
    findNotReadyReason: () => findNotReadyReason(options),
    hasMetricsElsewhere,
    baseUrl: options.baseUrl,
    log: options.log,
    isUnavailable: isDatabaseUnavailable,
    isOrganizationGone: () => false,
  });
}

/** What answers requests. */
interface Surface {
  readonly listener: RequestListener;
  /** Whose a request is, where there are callers. */
  readonly findCaller?: FindCaller;
  /** Writes what is still to be written of requests. */
  stop(): Promise<void>;
}

/** What serves the API is loaded where it is served. */
async function startSurface(
  options: ProcessContext,
  role: ServeRole,
  workers: Workers | undefined,
): Promise<Surface> {
  const { storage, log, registry, clock, settings, passwordHasher } = options;
  const hasMetricsElsewhere = settings.metricsPort !== undefined;
  if (role === 'worker')
    return { listener: createHealthListener(options, hasMetricsElsewhere), stop: () => Promise.resolve() };
  const { rateLimits, trustedProxies, allowedOrigins } = settings;
  const { composeApi } = await import('./api.ts');
  const olderFormatUntil = await findOlderFormatEnd(storage.background);
  const requests = startRequestLog({
    db: storage.background,
    log,
    clock,
    perSecond: settings.requestsLoggedPerSecond,
  });
  const uses = startSecretUses({ db: storage.background, log });
  const stop = async (): Promise<void> => {
    await Promise.all([requests.stop(), uses.stop()]);
  };
  const compose = (): Pick<Surface, 'listener' | 'findCaller'> =>
    composeApi({
      db: storage.db,
      background: storage.background,
      checks: storage.checks,
      services: (invalidateCachedTokensOf) =>
        createOperationServices(options, workers, invalidateCachedTokensOf),
      passwordHasher,
      clock,
      requestLog: requests.requestLog,
      secretUses: uses,
      rateLimits,
      trustedProxies,
      recentPartners: storage.recentPartners,
      allowedOrigins,
      olderFormatUntil,
      log,
      registry,
      findNotReadyReason: () => findNotReadyReason(options),
      hasMetricsElsewhere,
    });
  try {
    return { ...compose(), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
