import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Settings } from '../config/settings.ts';
import { createHealthApp } from '../http/app.ts';
import { installClientErrorHandler } from '../http/client-error.ts';
import type { Log } from '../log/log.ts';
import { bootstrapFirstOrganization } from '../accounts/bootstrap.ts';
import type { FirstCredentials } from '../accounts/bootstrap.ts';
import { isDatabaseUnavailable } from '../queries/connection/database.ts';
import { WebhookClient } from '../webhooks/webhook-client.ts';
import { createHostLookup } from '../webhooks/name-lookup.ts';
import { composeApi } from './api.ts';
import { openStorage } from './database.ts';
import { createDeliveryMetrics } from './metrics.ts';
import type { ProcessContext } from './process-context.ts';
import { startEventStreams } from '../streams/announcements.ts';
import type { EventStreams } from '../streams/announcements.ts';
import { startWorkers } from './workers.ts';
import type { Workers } from './workers.ts';
import { createOperationServices } from './services.ts';

export type ServeRole = 'all' | 'api' | 'worker';

export interface Service {
  readonly baseUrl: string;
  /** Those made at the first start on an empty database: to be shown once. */
  readonly firstCredentials: FirstCredentials | undefined;
  /** Stops accepting, finishes open requests, releases leases, stops the database last. */
  stop(): Promise<void>;
}

export interface ServiceOptions {
  readonly settings: Settings;
  readonly role: ServeRole;
  readonly log: Log;
  /** The service cannot go on. */
  readonly onFatal: (error: Error) => void;
}

/** How long open requests may take once the service stops. */
const DRAIN_MS = 7_000;

/** Starts everything that the role asks for, in this process. */
export async function startService({ settings, role, log, onFatal }: ServiceOptions): Promise<Service> {
  const clock = (): Date => new Date();
  const extraCa = settings.webhookCaFile === undefined ? undefined : readCaFile(settings.webhookCaFile);
  const storage = await openStorage({ settings, log, purpose: 'serve', onFatal });
  let workers: Workers | undefined;
  const server = createServer();
  const openResponses = trackOpenResponses(server);
  let streams: EventStreams | undefined;
  const stop = async (): Promise<void> => {
    await Promise.all([streams?.stop(), closeServer(server, openResponses), workers?.stop()]);
    await storage.stop();
  };
  try {
    const firstCredentials = await bootstrapFirstOrganization(storage.db, settings.bootstrap, clock());
    const baseUrl = await listenOn(server, settings);
    installClientErrorHandler(server, baseUrl);
    const registry = new Registry();
    collectDefaultMetrics({ register: registry });
    const webhookClient = new WebhookClient({
      lookup: createHostLookup(),
      allowedNetworks: settings.webhookAllowedNetworks,
      extraCa,
    });
    streams = await startEventStreams(storage, role !== 'worker', (error) =>
      log.warn('Event streams could not be woken; they look by themselves.', { error }),
    );
    const options: ProcessContext = {
      settings,
      storage,
      log,
      registry,
      baseUrl,
      webhookClient,
      clock,
      deliveryMetrics: createDeliveryMetrics(registry),
      events: streams.events,
      announce: streams.announce,
    };
    if (role !== 'api') workers = await startWorkers(options);
    server.on('request', createListener(options, role, workers));
    return { baseUrl, firstCredentials, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function readCaFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new Error(`WEBHOOK_CA_FILE ${file} cannot be read.`, { cause });
  }
}

function createListener(
  options: ProcessContext,
  role: ServeRole,
  workers: Workers | undefined,
): RequestListener {
  const { storage, log, registry, clock, settings } = options;
  const findNotReadyReason = async (): Promise<string | undefined> =>
    storage.notReadyReason() ?? (await storage.findPingFailure());
  if (role === 'worker') {
    return createHealthApp({
      registry,
      findNotReadyReason,
      baseUrl: options.baseUrl,
      log,
      isUnavailable: isDatabaseUnavailable,
      isOrganizationGone: () => false,
    });
  }
  const { rateLimits, trustedProxies } = settings;
  return composeApi({
    db: storage.db,
    services: (invalidateCachedTokensOf) =>
      createOperationServices(options, workers, invalidateCachedTokensOf),
    clock,
    rateLimits,
    trustedProxies,
    log,
    registry,
    findNotReadyReason,
  });
}

/** Resolves to the base URL; requests that come before the listener is set wait in the server's queue. */
async function listenOn(server: Server, { host, port, baseUrl }: Settings): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return baseUrl ?? `http://localhost:${(server.address() as AddressInfo).port}`;
}

function trackOpenResponses(server: Server): ReadonlySet<ServerResponse> {
  const openResponses = new Set<ServerResponse>();
  server.on('request', (_request, response) => {
    openResponses.add(response);
    response.once('close', () => openResponses.delete(response));
  });
  return openResponses;
}

async function closeServer(server: Server, openResponses: ReadonlySet<ServerResponse>): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise((resolve) => server.close(resolve));
  // Clients that keep connections open are asked to close them, and are not cut off between two requests.
  const announceClose = (response: ServerResponse): void => {
    if (!response.headersSent) response.setHeader('Connection', 'close');
  };
  for (const response of openResponses) announceClose(response);
  server.prependListener('request', (_request, response) => announceClose(response));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  await closed;
  clearTimeout(timer);
}
